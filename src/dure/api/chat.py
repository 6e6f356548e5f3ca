"""`POST /v1/chat`: one message, one run, one answer, as JSON or as a stream of events."""

from fastapi import APIRouter, Request, Response

from dure.api.approvals import decision_of, stream_decided, waiting_run
from dure.api.auth import Who
from dure.api.bodies import ChatBody, described, read_json
from dure.api.following import stream, wants_stream
from dure.api.replies import Json
from dure.runs import Ask

_PICTURES = 14 << 20
"""Bytes of a message's pictures in Base64, and of what else stands beside its text."""
router = APIRouter(prefix="/v1", tags=["chat"])


@router.post("/chat", openapi_extra=described(ChatBody))
async def chat(request: Request, who: Who) -> Response:
    """Ask a team. With `stream: true` or `Accept: text/event-stream` the answer comes as AG-UI events.

    With `resume` (AG-UI's answers to interrupts) it decides what the session's run waits for, and answers with what
    comes of it.

    The run belongs to Dure, not to the connection: it goes on, and is stored, when the caller hangs up.
    """
    # JSON may need six bytes for one character (`\\u0000`), twice that beyond the basic plane.
    limit = who.dure.settings.max_message_chars * 12 + _PICTURES
    body = await read_json(request, ChatBody, limit)
    streams = wants_stream(request, body.stream)
    if body.resume:
        run_id = await waiting_run(who, body.session_id)
        decisions = [decision_of(each) for each in body.resume]
        if streams:
            return await stream_decided(who, run_id, decisions)
        await who.dure.runs.decide(who.owner, run_id, decisions)
    else:
        given = body.model_dump(exclude={"resume", "message", "stream"})
        run_id = (await who.dure.runs.start(who.owner, Ask(body.message or "", **given))).id
        if streams:
            return stream(who, run_id)
    return Json((await who.dure.runs.answer(who.owner, run_id)).as_dict())
