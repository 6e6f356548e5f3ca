"""The HTTP application over one Dure."""

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from importlib import import_module

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from dure import __version__
from dure.agents import loop
from dure.api import approvals, catalog, chat, documents, health, metrics, runs, schedules, sessions
from dure.api.bodies import ErrorReply, failing, invalid
from dure.api.doors import a2a, agui, completions, mcp_http, responses
from dure.api.doors.a2a_push import Pushes
from dure.api.guard import Guard
from dure.api.health import Readiness
from dure.api.replies import error_reply
from dure.app import Dure
from dure.errors import DureError, InvalidInput, MethodNotAllowed, NotFound
from dure.keys import Keys
from dure.pack import loaded
from dure.registry import late
from dure.storage import DEFAULT_OWNER
from dure.storage.shelves import PERSONAL
from dure.teams import prepare
from dure.web.page import router as page

log = logging.getLogger("dure.api")

_ROOMS = (
    *(chat, runs, approvals, sessions, schedules, documents, catalog, health, metrics),
    *(completions, responses, mcp_http, agui, a2a),
)
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_AGAIN = 30.0
"""Seconds after which a folder that could not be followed is tried again."""

_SETTLED = 3.0
"""Seconds after the start."""


async def _ahead(dure: Dure) -> None:
    """What the first question would wait for: a second of loading HTTP and graphs; some hundred examples, which take
    seconds to embed, once a machine, and not while others have just begun to ask."""
    # `requests` hides this of its own imports, which fails in a thread: filters are the whole process's, and any
    # `catch_warnings` that ends meanwhile puts back those it began with.
    warnings.filterwarnings("ignore", "SOCKS support in urllib3")
    await asyncio.sleep(_SETTLED)
    await asyncio.to_thread(import_module, "aiohttp")
    await asyncio.to_thread(loop.graph)
    try:
        await prepare(dure.teams.values(), dure.embedder)
    except DureError as error:
        # Whoever asks the first question meets it.
        log.info("examples were not learnt ahead: %s", error)


async def _watched(dure: Dure, given: str) -> None:
    """Follow a folder of the settings: `DIR`, `OWNER=DIR` or `OWNER/SHELF=DIR`."""
    whose, _, folder = given.rpartition("=")
    owner, _, shelf = whose.partition("/")

    def told(name: str, error: DureError | None) -> None:
        log.info("%s: %s", name, error or "followed")

    while True:
        try:
            await dure.watch(folder, told, owner=owner or DEFAULT_OWNER, shelf=shelf or PERSONAL)
        except Exception as error:
            # The database may be away, the shelf not made yet.
            log.warning("%s cannot be followed: %s", folder, error)
        await asyncio.sleep(_AGAIN)


async def _failed(request: Request, error: Exception) -> Response:
    """Every failure as a JSON error, whatever went wrong."""
    if isinstance(error, RequestValidationError):
        return error_reply(invalid(error.errors()), request)
    if isinstance(error, HTTPException):
        return error_reply(_of_http(error, request), request)
    assert isinstance(error, DureError)
    if error.status >= 500 and not error.run_id:
        log.warning("%s %s: %s: %s", request.method, request.url.path, error.code, error)
    return error_reply(error, request)


def _of_http(error: HTTPException, request: Request) -> DureError:
    path = request.url.path
    if error.status_code == 404:
        return NotFound(what="path", id=path)
    if error.status_code == 405:
        # Of all routes of the path, where the framework tells the first one's.
        asked = [{**request.scope, "method": method} for method in _METHODS]
        found = [each for each in asked if any(r.matches(each)[0] is Match.FULL for r in request.app.routes)]
        allow = ", ".join(each["method"] for each in found)
        return MethodNotAllowed(method=request.method, path=path, allow=allow)
    if 400 <= error.status_code < 500:
        return InvalidInput(reason=str(error.detail))
    return DureError()


@cache
def _routes(*packs: tuple[str, str]) -> list[BaseRoute]:
    """What FastAPI works out of each with its first request, 40 ms of CPU, is the same for all apps of a process."""
    all_rooms = APIRouter(responses=failing(ErrorReply))
    for each in (*(room.router for room in _ROOMS), *(loaded(*each) for each in packs), page):
        all_rooms.include_router(each)
    return all_rooms.routes


def create_app(dure: Dure) -> FastAPI:
    """An ASGI app whose lifespan opens and closes `dure`. Raises SettingsError for unusable API keys."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            await opened.enter_async_context(dure)
            opened.callback(asyncio.create_task(_ahead(dure)).cancel)
            opened.callback(asyncio.create_task(dure.runs.retention.daily()).cancel)
            for each in dure.settings.watch:
                opened.callback(asyncio.create_task(_watched(dure, each)).cancel)
            app.state.readiness = Readiness(dure)
            opened.push_async_callback(app.state.readiness.close)
            app.state.metrics = metrics.Metrics()
            dure.runs.listen(app.state.metrics.heard)
            app.state.mcp = mcp_http.McpSessions()
            opened.push_async_callback(app.state.mcp.close)
            app.state.pushes = Pushes(dure, late("dure.api.doors.a2a_tasks:shown"))
            opened.push_async_callback(app.state.pushes.close)
            opened.callback(asyncio.create_task(a2a.resume(app.state.pushes)).cancel)
            yield

    # FastAPI's own pages load scripts from elsewhere; the document itself is served behind the keys.
    app = FastAPI(title="Dure", version=__version__, lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    app.state.dure = dure
    app.state.keys = Keys(dure.settings.api_keys)
    origins = dure.settings.allowed_origins if app.state.keys else []
    app.add_middleware(Guard, open_to_all=not app.state.keys, origins=origins, root_path=dure.settings.root_path)
    if origins:
        told = ("X-Run-Id", "X-Session-Id", "Mcp-Session-Id", "Content-Disposition", "Retry-After")
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"], expose_headers=told
        )
    app.add_middleware(GZipMiddleware, minimum_size=4096, compresslevel=5)  # events are sent as they come
    for kind in (DureError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _failed)
    app.router.routes += _routes(*((pack.name, pack.routes) for pack in dure.on if pack.routes))
    return app
