"""`/v1/status`: what works and how to mend the rest; `dure doctor` for those who have no terminal on the server."""

from fastapi import APIRouter, Request, Response

from dure import findings
from dure.api.auth import Who
from dure.api.replies import Json

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/status")
async def status(request: Request, who: Who) -> Response:
    """What works and what does not: model, dialect, store, embeddings, documents, MCP servers, tools, teams, and what
    packs look at."""

    async def ready() -> None:
        found = await request.app.state.readiness.model()
        if found.status == "starting":
            raise findings.Starting
        if found.error is not None:
            raise found.error

    found = await findings.model(who.dure, ready)
    found += [each async for each in findings.all_of(who.dure, who.owner)]
    return Json({"findings": [each.as_dict(who.language or "ko") for each in found]})
