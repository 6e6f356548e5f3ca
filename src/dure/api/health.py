"""`/healthz` (alive) and `/readyz` (can answer), open to all, since they tell nothing of anybody's; `/v1/status` says
what works and how to mend the rest, and `/v1/model` mends the model: for those who have no terminal on the server."""

import asyncio
import logging
import time
from functools import partial
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request, Response

from dure import findings
from dure.api.auth import Who, needs
from dure.api.bodies import ModelBody, described, read_json
from dure.api.replies import Json, alive, language_for
from dure.app import Dure
from dure.errors import DureError, Language, WeightsMissing
from dure.messages import user
from dure.models import Model, diagnosis, fetched, open_model
from dure.settings import ModelSettings
from dure.storage.files import check

router = APIRouter(tags=["health"])
log = logging.getLogger("dure.api")

_PATIENCE = 2.0
"""Seconds a readiness check waits; what is not known by then counts as not ready yet."""
_FRESH = 5.0
"""Seconds for which a finding serves the next asker."""
_WORD = 60.0
"""Seconds that a model which is tried has for a word."""


@router.get("/healthz")
@router.head("/healthz", include_in_schema=False)
async def healthz() -> Response:
    """The process is alive."""
    return alive()


@router.get("/readyz")
@router.head("/readyz", include_in_schema=False)
async def readyz(request: Request) -> Response:
    """Whether the model and the store can serve; 503 when not, with what is amiss."""
    found = await request.app.state.readiness.check(language_for(request))
    return Json(found, status_code=200 if found["ready"] else 503)


@router.get("/v1/status")
async def status(request: Request, who: Who) -> Response:
    """What works and what does not: model, dialect, store, embeddings, documents, MCP servers, tools, teams, and what
    packs look at."""
    found = await findings.model(who.dure, request.app.state.readiness.model)
    found += [each async for each in findings.all_of(who.dure, who.owner)]
    return Json({"findings": [each.as_dict(who.language or "ko") for each in found]})


@router.post("/v1/model/fetch", status_code=204, response_class=Response)
@needs("admin")
async def fetch_model(request: Request, who: Who) -> None:
    """Make the model ready, with the bundled one's weights fetched; answers when it is. `/readyz` tells how far."""
    await request.app.state.readiness.fetch()


@router.post("/v1/model/try", openapi_extra=described(ModelBody))
@needs("admin")
async def try_model(request: Request, who: Who) -> Response:
    """Ask a model of an OpenAI-compatible server for a word: `{state, detail, mend}`, as `/v1/status` tells it."""
    body = await read_json(request, ModelBody, 65_536)
    tried = open_model(who.dure.settings, chosen=ModelSettings(**body.model_dump()))
    mend = partial(diagnosis.mend, tried, place="")
    found = await findings.look("model", findings.part_of("model"), _word(tried), mend, within=_WORD)
    await tried.close()
    return Json(found.as_dict(who.language or "ko"))


async def _word(tried: Model) -> findings.Told:
    await tried.ready()
    await tried.ask([user("Hi")], max_tokens=16)
    return "ok", findings.same(tried.name)


class Readiness:
    """Asks the model and the store, one question at a time however many ask."""

    def __init__(self, dure: Dure) -> None:
        self._dure = dure
        self._asked: asyncio.Task[None] | None = None
        self._answered = 0.0
        self._instead = ""

    async def check(self, language: Language) -> dict[str, Any]:
        """`{ready, model: {name, status, error?, asked?}, store: {status, error?}}`, within some two seconds. Of an
        error the code alone, whose sentence may name addresses, and for the store its `kind` (full, locked, damaged,
        unusable); for weights that are missing, how to fetch them too. asked: the model that is asked instead."""
        asked = asyncio.gather(self.model(), return_exceptions=True)
        store, (model,) = await self._ask_store(), await asked
        shown: dict[str, Any] = {"name": self._dure.model.name, "status": "ok"}
        if isinstance(model, findings.Starting):
            shown["status"] = "starting"
            if self._dure.lacks_weights:
                shown["fetched"] = fetched(self._dure.settings)
        elif isinstance(model, DureError):
            told = {"message": model.message(language)} if isinstance(model, WeightsMissing) else {}
            shown |= {"status": "failed", "error": {"code": model.code, **told}}
            shown |= {"asked": self._instead} if self._instead else {}
        serves = shown["status"] == "ok" or "asked" in shown
        return {"ready": serves and store["status"] == "ok", "model": shown, "store": store}

    async def close(self) -> None:
        if self._asked is not None:
            self._asked.cancel()
            await asyncio.gather(self._asked, return_exceptions=True)

    async def model(self) -> None:
        """Returns where the model can be asked, within some two seconds. Weights are not fetched to find out. Raises
        what asking would, and Starting where it is not known yet."""
        asked = self._asked
        if self._dure.lacks_weights and (asked is None or asked.done()):
            raise WeightsMissing
        if asked is None or (asked.done() and time.monotonic() - self._answered >= _FRESH):
            self._asked = asked = asyncio.create_task(self._ask_model())
        done, _ = await asyncio.wait({asked}, timeout=_PATIENCE)
        if not done:
            raise findings.Starting
        asked.result()

    async def fetch(self) -> None:
        """Make the model ready, whatever has to be fetched for it. Raises what asking would."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(self._ask_model())
        await asyncio.shield(self._asked)

    async def _ask_model(self) -> None:
        self._instead = ""
        try:
            await self._dure.models.ready()
        except DureError:
            self._instead = await self._dure.models.another()
            raise
        except Exception:
            log.exception("whether the model is ready cannot be found out")
            raise DureError from None
        finally:
            self._answered = time.monotonic()

    async def _ask_store(self) -> dict[str, Any]:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._dure.database.check()
                await check(self._dure.files)
        except TimeoutError:
            return {"status": "busy"}
        except DureError as error:
            kind = {"kind": error.details["kind"]} if "kind" in error.details else {}
            return {"status": "failed", "error": {"code": error.code, **kind}}
        except sa.exc.SQLAlchemyError:
            return {"status": "failed", "error": {"code": "store"}}
        return {"status": "ok"}
