"""`/v1/teams` and `/v1/tools`: who there is to ask, and what they work with; `/openapi.json`: how all is asked."""

from typing import Any, get_args

from fastapi import APIRouter, Request, Response

from dure.agents import Level, OutputFormat
from dure.api.auth import Who, needs
from dure.api.replies import Json
from dure.teams import Team
from dure.toolsets import listed

router = APIRouter(tags=["teams and tools"])


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request, who: Who) -> Response:
    """The OpenAPI description of all routes."""
    return Json(request.app.openapi())


@router.get("/v1/teams")
async def teams(who: Who) -> Response:
    """The teams with their agents and example questions, how they can be asked, the models that have names, the packs
    that are on, and what is lacking to begin: the bundled model's `weights`, `documents`."""
    found = [_team(t) for t in who.dure.teams.values()]
    lacks = {"weights": who.dure.lacks_weights, "documents": not await who.dure.knowledge.list(who.owner)}
    known = {"models": list(who.dure.models), "packs": [pack.name for pack in who.dure.on]}
    return Json({"teams": found, **known, "lacks": [what for what, lacking in lacks.items() if lacking]})


@router.get("/v1/tools")
async def tools(who: Who) -> Response:
    """The tools with the JSON Schema of their arguments, and the state of the MCP servers."""
    shown = ("name", "description", "parameters", "effect", "server")
    found = [{key: getattr(tool, key) for key in shown} for tool in who.dure.tools.values()]
    return Json({"tools": found, "mcp_servers": who.dure.mcp.status()})


@router.post("/v1/tools/{server}/accept")
@needs("admin")
async def accept_tools(server: str, who: Who) -> Response:
    """Take the tools of an MCP server for what they say of themselves by now; answers with the state of all."""
    who.dure.mcp.accept(server)
    return Json({"mcp_servers": who.dure.mcp.status()})


def _team(team: Team) -> dict[str, Any]:
    agents = [
        {
            "name": a.name,
            "title": a.title,
            "description": a.description,
            "tools": [name for t in a.tools for name in ([t] if isinstance(t, str) else listed(t))],
            "examples": list(a.examples),
        }
        for a in team.agents
    ]
    shown = {"name": team.name, "title": team.title, "kind": team.kind, "description": team.description}
    choices = {"levels": list(get_args(Level)), "output_formats": list(get_args(OutputFormat))}
    return shown | {"agents": agents, "examples": list(team.examples)} | choices
