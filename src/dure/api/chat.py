"""`POST /v1/chat`: one message, one run, one answer, as JSON or as a stream of events."""

from fastapi import APIRouter, Request, Response

from dure.api.auth import Who
from dure.api.bodies import ChatBody, described, read_json
from dure.api.replies import Json
from dure.api.sse import stream
from dure.messages import language_of
from dure.runs import Ask

router = APIRouter(prefix="/v1", tags=["chat"])


@router.post("/chat", openapi_extra=described(ChatBody))
async def chat(request: Request, who: Who) -> Response:
    """Ask a team. With `stream: true` or `Accept: text/event-stream` the answer comes as AG-UI events.

    The run belongs to Dure, not to the connection: it goes on, and is stored, when the caller hangs up.
    """
    # JSON may need six bytes for one character (`\\u0000`), twice that beyond the basic plane.
    limit = who.dure.settings.max_message_chars * 12 + 65_536
    body = await read_json(request, ChatBody, limit)
    ask = Ask(
        message=body.message,
        session_id=body.session_id,
        team=body.team,
        level=body.level,
        output_format=body.output_format,
        language=language_of(body.message),
    )
    run = await who.dure.runs.start(who.owner, ask)
    if body.stream or "text/event-stream" in request.headers.get("accept", ""):
        return await stream(who, run.id)
    answer = await who.dure.runs.answer(who.owner, run.id)
    return Json(answer.as_dict())
