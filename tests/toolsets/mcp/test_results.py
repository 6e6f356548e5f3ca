from mcp_types import CallToolResult

from dure.toolsets.mcp.results import as_tool_result


def test_structured_content_with_a_number_beyond_64_bits():
    found = as_tool_result(CallToolResult(content=[], structured_content={"account": 2**70, "온도": 21}))
    assert found.text == f'{{"account":"{2**70}","온도":21}}'
    assert found.data == {"account": 2**70, "온도": 21}
