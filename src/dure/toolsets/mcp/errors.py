"""What can go wrong with an MCP server: a tool's error, never the end of a run."""

from dure.errors import ToolError


class McpError(ToolError):
    """An MCP server answered with an error, or with something that cannot be used."""

    code = "mcp_error"
    ko = "MCP 서버 '{server}': {reason}"
    en = "MCP server '{server}': {reason}"


class McpUnavailable(McpError):
    code = "mcp_unavailable"
    status = 503
    ko = "MCP 서버 '{server}'에 지금 연결할 수 없습니다: {reason}"
    en = "MCP server '{server}' cannot be reached now: {reason}"


class McpLost(McpError):
    """The connection ended during a call: whether the call had its effect is not known."""

    code = "mcp_lost"
    status = 502
    ko = "호출 중에 MCP 서버 '{server}'와(과)의 연결이 끊겼습니다. 실행되었는지 알 수 없습니다."
    en = "The connection to MCP server '{server}' was lost during the call; it is not known whether it had its effect."


class McpTimeout(McpError, TimeoutError):
    code = "mcp_timeout"
    status = 504
    ko = "MCP 서버 '{server}'이(가) {seconds}초 안에 답하지 않았습니다."
    en = "MCP server '{server}' did not answer within {seconds} seconds."
