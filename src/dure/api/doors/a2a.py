"""`/a2a/{team}`: each team as an A2A 1.0 agent over JSON-RPC (https://a2a-protocol.org), and its card."""

import asyncio
import hashlib
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from dure import __version__
from dure.api.auth import Client
from dure.api.bodies import content, read_whole
from dure.api.doors.a2a_push import Pushes
from dure.api.doors.openai import LIMIT
from dure.api.replies import Json
from dure.api.wires import Wire
from dure.errors import missing
from dure.messages import json_bytes
from dure.teams import DEFAULT_TEAM, Team, team_named

if TYPE_CHECKING:
    from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher

router = APIRouter(tags=["A2A"])
CARD = "/.well-known/agent-card.json"
_INPUT = ["text/plain", "application/json", "image/png", "image/jpeg", "image/gif", "image/webp"]


@router.get(CARD)
async def usual_card(request: Request, who: Client) -> Response:
    """The card of the usual team."""
    return await card(DEFAULT_TEAM, request, who)


@router.get(f"/a2a/{{team}}{CARD}")
async def card(team: str, request: Request, who: Client) -> Response:
    """The card of a team."""
    await asyncio.to_thread(_dispatcher)
    told = _card(team_named(who.dure.teams, team), f"{request.base_url}a2a/{team}", keys=bool(request.app.state.keys))
    tag = f'"{hashlib.sha256(json_bytes(told)).hexdigest()[:32]}"'
    return Json(told, headers={"ETag": tag, "Cache-Control": "private, max-age=60"})


@router.post("/a2a/{team}/", include_in_schema=False)
@router.post("/a2a/{team}", openapi_extra=content("application/json", {"type": "object"}))
async def call(team: str, request: Request, who: Client) -> Response:
    """The protocol's methods as JSON-RPC: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask,
    SubscribeToTask. Tasks are runs, contexts sessions."""
    request.state.asked = who, team_named(who.dure.teams, team).name, str(request.base_url), request.app.state.pushes
    dispatcher = await asyncio.to_thread(_dispatcher)
    body = await read_whole(request, LIMIT)

    async def whole() -> Any:
        return {"type": "http.request", "body": body}

    return await dispatcher.handle_requests(Request(request.scope, whole))


async def resume(pushes: Pushes) -> None:
    """Go on telling servers of tasks as processes before this one were asked to."""
    if find_spec("a2a") is not None:
        await pushes.resume()


@cache
def _dispatcher() -> "JsonRpcDispatcher":
    """The protocol's own reading of requests, over our runs; loaded when it is first wanted. Raises SettingsError
    without the extra `a2a`."""
    try:
        from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher

        from dure.api.doors.a2a_tasks import Contexts, Tasks
    except ModuleNotFoundError:
        raise missing("A2A", "a2a") from None
    return JsonRpcDispatcher(Tasks(), Contexts())


def _card(team: Team, url: str, *, keys: bool) -> Wire:
    """https://a2a-protocol.org/latest/specification/#44-agent-discovery-objects"""
    title = team.title or team.name
    skill = {"id": team.name, "name": title, "description": team.description, "examples": list(team.examples)}
    told = {
        "name": f"Dure: {title}",
        "description": team.description,
        "version": __version__,
        "supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": False},
        "defaultInputModes": _INPUT,
        "defaultOutputModes": ["text/markdown", "application/json"],
        "skills": [skill | {"tags": [agent.name for agent in team.agents]}],
    }
    if keys:
        told["securitySchemes"] = {"key": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}
        told["securityRequirements"] = [{"schemes": {"key": {"list": []}}}]
    return told
