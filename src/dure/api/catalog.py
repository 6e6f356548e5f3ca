"""`/v1/teams` and `/v1/tools`: who there is to ask, and what they work with, MCP servers and logins at them too;
`/openapi.json`: how all is asked."""

import asyncio
from contextlib import suppress
from secrets import token_urlsafe
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from dure.agents import Level, OutputFormat
from dure.api.auth import Who, needs
from dure.api.bodies import Body, described, read_json
from dure.api.replies import Json
from dure.errors import NotFound
from dure.teams import Team, data_of, unknown_tools
from dure.texts import said
from dure.tooling import beside
from dure.toolsets import listed
from dure.toolsets.mcp.failures import McpError
from dure.toolsets.mcp.servers import LOGIN_SECONDS

router = APIRouter(tags=["teams and tools"])

TeamName = Annotated[str, Path(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,47}$")]
_MOST_BODY = 200_000
"""Bytes."""
_COOKIE = "dure-login"
_PAGE = "#/start/tools"
"""Where who has logged in is led."""


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request, who: Who) -> Response:
    """The OpenAPI description of all routes, and below which address they are."""
    return Json(request.app.openapi() | {"servers": [{"url": str(request.base_url).rstrip("/")}]})


@router.get("/v1/teams")
async def teams(who: Who, examples: bool = True) -> Response:
    """The teams with their agents and example questions, how they can be asked, the models that have names, the packs
    that are on, and what is lacking to begin: the bundled model's `weights`, `documents`. examples: of agents, too."""
    found = [_team(who, t, examples) for t in who.dure.teams.values()]
    lacks = {"weights": who.dure.lacks_weights, "documents": not await who.dure.knowledge.list(who.owner)}
    known = {"models": list(who.dure.models), "packs": [pack.name for pack in who.dure.on]}
    return Json({"teams": found, **known, "lacks": [what for what, lacking in lacks.items() if lacking]})


@router.get("/v1/tools")
async def tools(who: Who) -> Response:
    """The tools with the JSON Schema of their arguments, and the state of the MCP servers."""
    shown = ("name", "description", "parameters", "effect", "server")
    found = [{key: getattr(tool, key) for key in shown} for tool in who.dure.tools.values()]
    return Json({"tools": found, "mcp_servers": said(who.dure.mcp.status(), who.language or "en")})


@router.post("/v1/tools/{server}/accept")
@needs("admin")
async def accept_tools(server: str, who: Who) -> Response:
    """Take the tools of an MCP server for what they say of themselves by now; answers with the state of all."""
    who.dure.mcp.accept(server)
    await who.dure.mcp.pins.share(who.dure.database)
    return Json({"mcp_servers": said(who.dure.mcp.status(), who.language or "en")})


class TeamBody(Body):
    """`PUT /v1/teams/{team}`."""

    toml: str
    dry: bool = False
    """Say what comes of it, and write nothing."""


@router.get("/v1/teams/{team}")
@needs("admin")
async def get_team(team: TeamName, who: Who) -> Response:
    """One team as data, `definition`, and its file, `toml`: "" where it has none that can be changed here."""
    if team not in who.dure.teams:
        raise NotFound(what="team", id=team)
    return Json(_told(who, who.dure.teams[team]))


@router.put("/v1/teams/{team}", openapi_extra=described(TeamBody))
@needs("admin")
async def put_team(team: TeamName, request: Request, who: Who) -> Response:
    """Write a team's file; without a text it is deleted, and one of ours of that name is there again. Whoever asks next
    asks the new team, runs go on with the one they began with. Answers as `GET`, null where there is none any more."""
    body = await read_json(request, TeamBody, _MOST_BODY)
    written = await asyncio.to_thread(who.dure.team_files.put, team, body.toml, dry=body.dry)
    if not body.dry:
        # In its place among the others: runs hold the same mapping.
        who.dure.teams.update({team: written[team]}) if team in written else who.dure.teams.pop(team, None)
    return Json(_told(who, written[team]) if team in written else None)


def _told(who: Who, team: Team) -> dict[str, Any]:
    about = {"definition": data_of(team)[1], "toml": who.dure.team_files.text(team.name)}
    return {"team": _team(who, team), **about, "unknown_tools": unknown_tools([team], who.dure.tools)}


def _team(who: Who, team: Team, examples: bool = True) -> dict[str, Any]:
    agents = []
    for a in team.agents:
        tools = [name for t in a.tools for name in ([t] if isinstance(t, str) else listed(t))]
        told = {"name": a.name, "title": a.title, "description": a.description, "tools": tools}
        # What it works with besides those that it names as its tools.
        told["also"] = [name for name in (a.search, *beside(tools, who.dure.tools)) if name and name not in tools]
        agents.append(told | ({"examples": list(a.examples)} if examples else {}))
    shown = {"name": team.name, "title": team.title, "kind": team.kind, "description": team.description}
    choices = {"levels": list(get_args(Level)), "output_formats": list(get_args(OutputFormat))}
    return shown | {"agents": agents, "examples": list(team.examples)} | choices


@router.post("/v1/tools/{server}/login")
@needs("admin")
async def begin(server: str, request: Request, who: Who) -> Response:
    """Begin a login at an MCP server: `{"url": …}`, where the browser that asked goes next. It is for all owners."""
    back, whose = f"{request.base_url}v1/tools/callback", token_urlsafe(32)
    reply = Json({"url": await who.dure.mcp.login(server, back, whose)})
    place = urlsplit(back)
    age, secure = LOGIN_SECONDS, place.scheme == "https"
    reply.set_cookie(_COOKIE, whose, age, path=place.path, secure=secure, httponly=True, samesite="lax")
    return reply


@router.get("/v1/tools/callback")
async def end(request: Request) -> Response:
    """Where the MCP server's authorization server sends the browser back to, which has no key: it is known by the
    login's `state` and by the cookie that it got when the login began. Leads to the page."""
    whose = request.cookies.get(_COOKIE, "")
    with suppress(McpError):
        # The page tells why.
        await request.app.state.dure.mcp.logged_in(request.query_params, whose or "none")
    return RedirectResponse(f"{request.base_url}{_PAGE}", 303)
