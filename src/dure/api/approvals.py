"""Approvals: what waits for people, and their decisions."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from dure.api.agui import Translator
from dure.api.auth import Caller, Who, needs
from dure.api.bodies import ApprovalsBody, Payload, Resume, checked, described, read_json
from dure.api.following import stream, told, unnumbered, wants_stream
from dure.api.replies import Json
from dure.errors import Conflict, InvalidInput, phrase

router = APIRouter(prefix="/v1", tags=["approvals"])


@router.get("/approvals")
async def list_approvals(who: Who) -> Response:
    """Everything that waits for a decision, oldest first."""
    return Json({"approvals": await who.dure.runs.approvals(who.owner)})


@router.post("/runs/{run_id}/approvals", openapi_extra=described(ApprovalsBody))
@needs("approver")
async def decide(run_id: str, request: Request, who: Who) -> Response:
    """Decide what the run waits for: all of the given decisions count, or none. Answers with the run; with
    `stream: true` or `Accept: text/event-stream` with the AG-UI events that follow.

    Raises AlreadyDecided, or Conflict when the run waits for nothing.
    """
    body = await read_json(request, ApprovalsBody, 1 << 20)
    decisions = [each.model_dump(exclude_none=True) for each in body.decisions]
    if wants_stream(request, body.stream):
        return await stream_decided(who, run_id, decisions)
    run = await who.dure.runs.decide(who.owner, run_id, decisions)
    return Json(run | {"approvals": await who.dure.runs.approvals(who.owner, run_id)})


async def stream_decided(
    who: Caller, run_id: str, decisions: list[dict[str, Any]], made: Callable[[str], Translator] = Translator
) -> Response:
    """Decide, and stream what follows; after a part of the decisions, that the run waits for the rest.

    Raises what `Runs.decide` raises."""
    runs = who.dure.runs
    before = await told(who, run_id, made(run_id))
    run = await runs.decide(who.owner, run_id, decisions)
    if run["status"] == "waiting":
        translator = made(run_id)
        if await told(who, run_id, translator) == before:
            answer = await runs.answer(who.owner, run_id)
            return unnumbered(run_id, translator.still_waiting(answer.approvals, answer.response))
    return stream(who, run_id, before, made(run_id))


async def waiting_run(who: Caller, session_id: str | None) -> str:
    """The id of the run that waits in a session. Raises InvalidInput without a session, NotFound for one that does
    not exist, Conflict where nothing waits.
    """
    if not session_id:
        raise InvalidInput(reason=phrase("api_approvals.session"))
    found = await who.dure.runs.list(who.owner, session_id=session_id, status="waiting", limit=1)
    if not found:
        await who.dure.runs.sessions.messages(who.owner, session_id)
        raise Conflict(reason=phrase("api_approvals.nothing"))
    return str(found[0]["id"])


def worded(approvals: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """What a message says to a run that waits: a JSON object is the arguments of the first call that can be edited,
    other text answers the first question that takes words; none where nothing of the kind is open."""
    try:
        args = json.loads(text)
    except ValueError:
        args = None
    action, more = ("edit", {"args": args}) if isinstance(args, dict) else ("answer", {"message": text})
    found = [each["id"] for each in approvals if action in each["actions"]]
    return [{"approval_id": id, "action": action, **more} for id in found[:1]]


def decision_of(entry: Resume) -> dict[str, Any]:
    """An AG-UI resume entry as a decision. Raises InvalidInput for a payload that says nothing we know."""
    match entry.payload:
        case str() as text:
            said = Payload(action="answer", message=text)
        case None | True:
            said = Payload()
        case False:
            said = Payload(action="reject")
        case _:
            said = checked(Payload, entry.payload, "payload")
    if entry.status == "cancelled":
        said.action = "reject"
    return said.decision(entry.interrupt_id)
