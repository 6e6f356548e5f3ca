"""What goes wrong with MCP servers."""

from typing import Literal

from dure.errors import ToolError, phrase
from dure.toolsets.mcp.config import ServerConfig

Cause = Literal["", "key", "away"]
"""key: it lets nobody in with what the configuration holds. away: nobody listens there."""


class McpError(ToolError, code="mcp_error"):
    """An MCP server answered with an error, or with something that cannot be used."""


class McpUnavailable(McpError, code="mcp_unavailable", status=503): ...


class McpLogin(McpUnavailable, code="mcp_login"):
    """Nobody has logged in at the server, or the login is over."""


class McpLost(McpError, code="mcp_lost", status=502):
    """The connection ended during a call: whether the call had its effect is not known."""


class McpTimeout(McpError, TimeoutError, code="mcp_timeout", status=504): ...


def first_of(error: BaseException) -> BaseException:
    """The first of a group's errors, however deep; another error as it is."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def no_message(error: Exception) -> str:
    """What a server said where a message was to come, as the library tells it."""
    from pydantic import ValidationError

    return str(error.errors()[0]["input"]) if isinstance(error, ValidationError) else str(error)


def why(error: BaseException, config: ServerConfig, denied: int | None) -> tuple[Cause, str]:
    """Why there is no session, and the cause where that is known. denied: the status with which nobody was let in."""
    error = first_of(error)
    status = getattr(getattr(error, "response", None), "status_code", None)
    if denied := denied or (status if status in (401, 403) else None):
        return "key", phrase("toolsets_mcp.denied", status=denied)
    if isinstance(error, FileNotFoundError | PermissionError | NotADirectoryError):
        return "", f"{error.strerror or type(error).__name__}: {error.filename or config.command}"
    if config.transport == "stdio" and str(error).endswith("Connection closed"):
        return "", "the process ended"
    return "away" if type(error).__name__ == "ConnectError" else "", str(error) or type(error).__name__
