"""A person logs in at an MCP server: to its page, and back from it to ours."""

from contextlib import suppress
from secrets import token_urlsafe
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dure.api.auth import Who, needs
from dure.api.replies import Json
from dure.toolsets.mcp.failures import McpError
from dure.toolsets.mcp.servers import LOGIN_SECONDS

router = APIRouter(prefix="/v1/tools", tags=["teams and tools"])

_COOKIE = "dure-login"
_PAGE = "#/start/tools"


@router.post("/{server}/login")
@needs("admin")
async def begin(server: str, request: Request, who: Who) -> Response:
    """Begin a login at an MCP server: `{"url": …}`, where the browser that asked goes next. It is for all owners."""
    back, whose = f"{request.base_url}v1/tools/callback", token_urlsafe(32)
    reply = Json({"url": await who.dure.mcp.login(server, back, whose)})
    place = urlsplit(back)
    age, secure = LOGIN_SECONDS, place.scheme == "https"
    reply.set_cookie(_COOKIE, whose, age, path=place.path, secure=secure, httponly=True, samesite="lax")
    return reply


@router.get("/callback")
async def end(request: Request) -> Response:
    """Where the MCP server's authorization server sends the browser back to, which has no key: it is known by the
    login's `state` and by the cookie that it got when the login began. Leads to the page."""
    whose = request.cookies.get(_COOKIE, "")
    with suppress(McpError):
        # The page tells why.
        await request.app.state.dure.mcp.logged_in(request.query_params, whose or "none")
    return RedirectResponse(f"{request.base_url}{_PAGE}", 303)
