"""`/v1/runs`: what was done for a message, while it happens and afterwards."""

import re
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from dure.api.auth import Who
from dure.api.bodies import AgainBody, RatingBody, described, read_json
from dure.api.documents import MOST_TEXT, At, PageNumber, PngReply, Wide
from dure.api.following import last_event_id, stream, wants_stream
from dure.api.paging import Before, Q, next_of, place, wanted
from dure.api.replies import Json, saved_as
from dure.events import RunStatus
from dure.records.export import stored

router = APIRouter(prefix="/v1/runs", tags=["runs"])


def _written(time: Any) -> Any:
    """A time as people write it: pydantic would take a number, `2024`, for seconds since 1970."""
    if isinstance(time, str) and not _DATE.match(time):
        raise PydanticCustomError("datetime_parsing", "Input should be a time as in ISO 8601")
    return time


_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*", re.ASCII)
RunId = Annotated[str, Query(max_length=64)]


@router.get("")
async def list_runs(
    who: Who,
    session_id: Annotated[str | None, Query(max_length=128)] = None,
    status: RunStatus | None = None,
    team: Annotated[str | None, Query(max_length=64)] = None,
    experiment: Annotated[str | None, Query(max_length=100)] = None,
    q: Q = None,
    since: Annotated[datetime | None, BeforeValidator(_written)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Before = None,
) -> Response:
    """The runs, newest first: of one session, status, team or experiment, with `q` in the message or the answer, begun
    at or after `since`. `next` of the reply is the `before` that goes on after it."""
    runs = await who.dure.records.list(
        who.owner,
        session_id=session_id,
        status=status,
        limit=limit,
        team=team,
        experiment=experiment,
        since=stored(since) if since else None,
        before=place(before),
        q=wanted(q),
    )
    return Json({"runs": runs, "next": next_of(runs, limit, "created_at")})


@router.get("/compare")
async def compare_runs(who: Who, a: RunId, b: RunId) -> Response:
    """Two runs side by side: what was the same, what differed, and how the answers differ."""
    return Json(await who.dure.records.compare(who.owner, [a, b]))


@router.get("/{run_id}/experiment")
async def get_experiment(run_id: str, who: Who) -> Response:
    """The run's record as a timeline's material: routing, model calls with prompts, replies, tokens and cost, tool
    calls, queries, approvals, errors."""
    return Json((await who.dure.records.view(who.owner, run_id)).as_dict())


@router.get("/{run_id}")
async def get_run(run_id: str, who: Who) -> Response:
    """The run, what it waits for, its files and its record: every event, with each model request and reply, tool
    call and result."""
    return Json(await who.dure.records.get(who.owner, run_id))


@router.post("/{run_id}/again", openapi_extra=described(AgainBody))
async def again(run_id: str, request: Request, who: Who) -> Response:
    """Begin a run that takes over what one that has ended did before the `step` of that number in its record, a model
    call, a tool call or the beginning of an agent's work, and goes on from there, with another `model` if wanted. It
    takes the other's place in the conversation, as what is asked anew. Answers with the run; with `stream: true` or
    `Accept: text/event-stream` with its AG-UI events, those taken over first."""
    body = await read_json(request, AgainBody, 65_536)
    run = await who.dure.runs.again(who.owner, run_id, body.step, body.model)
    if wants_stream(request, body.stream):
        return stream(who, run.id)
    return Json(await who.dure.runs.brief(who.owner, run.id))


@router.post("/{run_id}/rating", openapi_extra=described(RatingBody))
async def rate_run(run_id: str, request: Request, who: Who) -> Response:
    """Say what one thinks of the run: `rating` from 1 to 5, and a `comment` if wanted. Again: instead."""
    body = await read_json(request, RatingBody, 65_536)
    return Json(await who.dure.records.rate(who.owner, run_id, body.rating, body.comment))


@router.get("/{run_id}/events")
async def run_events(run_id: str, request: Request, who: Who) -> Response:
    """The run's AG-UI events, replayed and then live, until it ends or waits for people. `Last-Event-ID` goes on
    after the event of that number."""
    after = last_event_id(request)
    # NotFound while there is still a status to tell it by.
    await who.dure.runs.brief(who.owner, run_id)
    return stream(who, run_id, after)


@router.post("/{run_id}/cancel")
async def cancel_run(run_id: str, who: Who) -> Response:
    """Stop the run, also one that waits for people; one that has ended stays as it is."""
    return Json(await who.dure.runs.cancel(who.owner, run_id))


@router.get("/{run_id}/artifacts", tags=["artifacts"])
async def list_artifacts(run_id: str, who: Who) -> Response:
    """The files that the run made, in the order they were made."""
    return Json({"artifacts": await who.dure.runs.artifacts(who.owner, run_id)})


@router.get("/{run_id}/artifacts/{artifact_id}", response_class=FileResponse, tags=["artifacts"])
async def download(run_id: str, artifact_id: str, who: Who) -> Response:
    """One of them, to be saved."""
    artifact, path = await who.dure.runs.artifact(who.owner, run_id, artifact_id)
    media_type = artifact["media_type"]
    kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream"
    return FileResponse(path, headers=saved_as(artifact["name"]) | {"Content-Type": kind})


@router.get("/{run_id}/artifacts/{artifact_id}/text", tags=["artifacts"])
async def artifact_text(run_id: str, artifact_id: str, who: Who, start: At = 0, end: At = MOST_TEXT) -> Response:
    """Of a file that can be read as documents are, characters `start` to `end` of its text, at most 200,000, with the
    pages that they stand on; its `kind`, and how many pages there are in `count`."""
    artifact, path = await who.dure.runs.artifact(who.owner, run_id, artifact_id)
    end = min(end, start + MOST_TEXT)
    return Json(await who.dure.knowledge.preview(path, artifact["name"], start, end))


@router.get("/{run_id}/artifacts/{artifact_id}/pages/{page}.png", response_class=PngReply, tags=["artifacts"])
async def artifact_page(run_id: str, artifact_id: str, page: PageNumber, who: Who, width: Wide = 1000) -> Response:
    """A page of a PDF as a PNG of about `width` pixels."""
    _, path = await who.dure.runs.artifact(who.owner, run_id, artifact_id)
    return PngReply(await who.dure.knowledge.preview_page(path, page, width))
