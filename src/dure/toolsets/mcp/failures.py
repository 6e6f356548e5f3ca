"""What goes wrong with MCP servers."""

from dure.errors import ToolError


class McpError(ToolError, code="mcp_error"):
    """An MCP server answered with an error, or with something that cannot be used."""


class McpUnavailable(McpError, code="mcp_unavailable", status=503): ...


class McpLogin(McpUnavailable, code="mcp_login"):
    """Nobody has logged in at the server, or the login is over."""


class McpLost(McpError, code="mcp_lost", status=502):
    """The connection ended during a call: whether the call had its effect is not known."""


class McpTimeout(McpError, TimeoutError, code="mcp_timeout", status=504): ...
