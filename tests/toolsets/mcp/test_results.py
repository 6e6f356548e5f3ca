import base64

from fixtures.pictures import png
from mcp_types import CallToolResult, ImageContent

from dure.toolsets.mcp.results import as_tool_result


def test_structured_content_with_a_number_beyond_64_bits():
    found = as_tool_result(CallToolResult(content=[], structured_content={"account": 2**70, "온도": 21}))
    assert found.text == f'{{"account":"{2**70}","온도":21}}'
    assert found.data == {"account": 2**70, "온도": 21}


def test_a_picture_is_known_by_its_bytes_whatever_the_server_calls_it():
    picture, script = png(), b"<svg onload='alert(1)'/>"
    contents = [ImageContent(data=base64.b64encode(each).decode(), mime_type="image/gif") for each in (picture, script)]
    found = as_tool_result(CallToolResult(content=contents))
    (file,) = found.files
    assert (file.data, file.media_type, file.seen) == (picture, "image/png", True)
    assert found.text == f"[image: image/gif, {len(picture)} bytes]\n[image: image/gif, 24 bytes]"
