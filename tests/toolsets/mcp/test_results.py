import base64

from mcp_types import CallToolResult, ImageContent

from dure.toolsets.mcp.results import as_tool_result


def test_structured_content_with_a_number_beyond_64_bits():
    found = as_tool_result(CallToolResult(content=[], structured_content={"account": 2**70, "온도": 21}))
    assert found.text == f'{{"account":"{2**70}","온도":21}}'
    assert found.data == {"account": 2**70, "온도": 21}


def test_a_picture_is_known_by_its_bytes_whatever_the_server_calls_it():
    png, script = b"\x89PNG\r\n\x1a\n" + bytes(9), b"<svg onload='alert(1)'/>"
    contents = [ImageContent(data=base64.b64encode(each).decode(), mime_type="image/gif") for each in (png, script)]
    found = as_tool_result(CallToolResult(content=contents))
    (file,) = found.files
    assert (file.data, file.media_type, file.seen) == (png, "image/png", True)
    assert found.text == "[image: image/gif, 17 bytes]\n[image: image/gif, 24 bytes]"
