"""`/v1/runs`: what was done for a message, while it happens and afterwards."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from dure.api.auth import Who
from dure.api.replies import Json
from dure.api.sse import last_event_id, stream
from dure.events import RunStatus

router = APIRouter(prefix="/v1/runs", tags=["runs"])


@router.get("")
async def list_runs(
    who: Who,
    session_id: Annotated[str | None, Query(max_length=128)] = None,
    status: RunStatus | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """The runs, newest first, of one session or status if given."""
    runs = await who.dure.runs.list(who.owner, session_id=session_id, status=status, limit=limit)
    return Json({"runs": runs})


@router.get("/{run_id}")
async def get_run(run_id: str, who: Who) -> Response:
    """The run, what it waits for, its files and its record: every event, with each model request and reply, tool
    call and result."""
    return Json(await who.dure.runs.get(who.owner, run_id))


@router.get("/{run_id}/events")
async def run_events(run_id: str, request: Request, who: Who) -> Response:
    """The run's AG-UI events, replayed and then live, until it ends or waits for people. `Last-Event-ID` goes on
    after the event of that number."""
    return await stream(who, run_id, last_event_id(request))


@router.post("/{run_id}/cancel")
async def cancel_run(run_id: str, who: Who) -> Response:
    """Stop the run, also one that waits for people; one that has ended stays as it is."""
    return Json(await who.dure.runs.cancel(who.owner, run_id))
