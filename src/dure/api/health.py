"""`/healthz` (alive) and `/readyz` (can answer). Open to all: they tell nothing of anybody's."""

import asyncio
import time
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request, Response

from dure import __version__
from dure.api.replies import Json
from dure.app import Dure
from dure.errors import DureError

router = APIRouter(tags=["health"])

_PATIENCE = 2.0
"""Seconds a readiness check waits; what is not known by then counts as not ready yet."""
_FRESH = 5.0
"""Seconds for which a finding serves the next asker."""


@router.get("/healthz")
@router.head("/healthz", include_in_schema=False)
async def healthz() -> Response:
    """The process is alive."""
    return Json({"status": "ok", "version": __version__})


@router.get("/readyz")
@router.head("/readyz", include_in_schema=False)
async def readyz(request: Request) -> Response:
    """Whether the model and the store can serve; 503 when not, with what is amiss."""
    found = await request.app.state.readiness.check()
    return Json(found, status_code=200 if found["ready"] else 503)


class Readiness:
    """Asks the model and the store, one question at a time however many ask."""

    def __init__(self, dure: Dure) -> None:
        self._dure = dure
        self._model: asyncio.Task[dict[str, Any]] | None = None
        self._known: tuple[float, dict[str, Any]] | None = None

    async def check(self) -> dict[str, Any]:
        """`{ready, model: {name, status, error?}, store: {status, error?}}`, within some two seconds."""
        model, store = await asyncio.gather(self._ask_model(), self._ask_store())
        return {"ready": model["status"] == store["status"] == "ok", "model": model, "store": store}

    async def close(self) -> None:
        if self._model is not None:
            self._model.cancel()
            await asyncio.gather(self._model, return_exceptions=True)

    async def _ask_model(self) -> dict[str, Any]:
        if self._known is not None and time.monotonic() - self._known[0] < _FRESH:
            return self._known[1]
        self._model = asked = self._model or asyncio.create_task(self._model_state())
        done, _ = await asyncio.wait({asked}, timeout=_PATIENCE)
        if not done:
            return {"name": self._dure.model.name, "status": "starting"}
        if self._model is asked:
            self._known, self._model = (time.monotonic(), asked.result()), None
        return asked.result()

    async def _model_state(self) -> dict[str, Any]:
        try:
            await self._dure.model.ready()
        except DureError as error:
            return {"name": self._dure.model.name, "status": "failed", **error.as_dict("en")}
        return {"name": self._dure.model.name, "status": "ok"}

    async def _ask_store(self) -> dict[str, Any]:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._dure.database.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar())
        except TimeoutError:
            return {"status": "busy"}
        except sa.exc.SQLAlchemyError as error:
            return {"status": "failed", "error": {"code": "store", "message": type(error).__name__}}
        return {"status": "ok"}
