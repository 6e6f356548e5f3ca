"""The HTTP application over one Dure."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import APIRouter, FastAPI, Request, Response

from dure import __version__
from dure.api import approvals, artifacts, catalog, chat, documents, health, papers, render, runs, sessions, status
from dure.api.auth import Keys, Who
from dure.api.guard import Guard
from dure.api.health import Readiness
from dure.api.replies import Json, handle_errors
from dure.app import Dure
from dure.errors import DureError
from dure.teams import prepare
from dure.web import router as page

_router = APIRouter()
log = logging.getLogger(__name__)

_SETTLED = 3.0
"""Seconds after the start."""

_ERROR = {
    "description": "What went wrong",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["error"],
                "properties": {
                    "error": {
                        "type": "object",
                        "required": ["code", "message", "details"],
                        "properties": {
                            "code": {"type": "string"},
                            "message": {"type": "string"},
                            "details": {"type": "object"},
                        },
                    }
                },
            }
        }
    },
}


async def _learn_ahead(dure: Dure) -> None:
    """Some hundred examples take seconds to embed, once a machine: not in the first question, and not at the start."""
    await asyncio.sleep(_SETTLED)
    try:
        await prepare(dure.teams.values(), dure.embedder)
    except DureError as error:
        # Whoever asks the first question meets it.
        log.info("examples were not learnt ahead: %s", error)


def create_app(dure: Dure) -> FastAPI:
    """An ASGI app whose lifespan opens and closes `dure`. Raises SettingsError for unusable API keys."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            try:
                await opened.enter_async_context(dure)
            except Exception as error:
                # ASGI carries only text; who runs the server shows the error itself.
                app.state.failure = error
                raise
            learning = asyncio.create_task(_learn_ahead(dure))
            opened.callback(learning.cancel)
            app.state.readiness = Readiness(dure)
            opened.push_async_callback(app.state.readiness.close)
            yield

    # FastAPI's own pages load scripts from elsewhere; the document itself is served behind the keys.
    app = FastAPI(
        title="Dure",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses={"4XX": _ERROR, "5XX": _ERROR},
    )
    app.state.dure = dure
    app.state.keys = Keys(dure.settings.api_keys)
    app.add_middleware(Guard, open_to_all=not app.state.keys)
    handle_errors(app)
    for room in (chat, runs, approvals, artifacts, sessions, documents, papers, catalog, render, status, health):
        app.include_router(room.router)
    app.include_router(page)
    app.include_router(_router)
    return app


@_router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request, who: Who) -> Response:
    """The OpenAPI description of all routes."""
    return Json(request.app.openapi())
