"""Teams as OpenAI's models: `/v1/models` and `/v1/chat/completions`
(https://platform.openai.com/docs/api-reference/chat).

What cannot be taken back is not said too early: while agents work, what they think, draft and call goes out as
reasoning; the answer follows as content once it stands, with its sources below.
"""

import time
from collections.abc import AsyncGenerator
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from dure.api.auth import Caller, Who
from dure.api.bodies import described, read_json
from dure.api.doors.openai_shapes import Route, annotations, begun, failure, pieces, said, team_of
from dure.api.doors.turns import Turn, placed
from dure.api.following import unless_gone
from dure.api.replies import Json
from dure.api.sse import events_reply
from dure.errors import DureError, InvalidInput, phrase
from dure.messages import json_bytes
from dure.runs import AnswerRecord, Ask
from dure.teams import Team

_LIMIT = 32 << 20
"""Bytes of a conversation."""

router = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=Route)


class StreamOptions(BaseModel):
    include_usage: bool = False


class Format(BaseModel):
    type: Literal["text", "json_object", "json_schema"] = "text"


class Completion(BaseModel):
    """`POST /v1/chat/completions`. What steers sampling is left to the team's own model."""

    model: str
    messages: list[Turn] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    response_format: Format = Format()
    n: Literal[1, None] = 1
    tool_choice: Any = None


@router.get("/models")
async def list_models(who: Who) -> Response:
    """The teams, as models."""
    return Json({"object": "list", "data": [_model(team) for team in who.dure.teams.values()]})


@router.get("/models/{model}")
async def get_model(model: str, who: Who) -> Response:
    """One team, as a model."""
    return Json(_model(team_of(who, model)))


@router.post("/chat/completions", openapi_extra=described(Completion))
async def complete(request: Request, who: Who) -> Response:
    """Ask a team as a model is asked. The run ends when the client hangs up, unless it waits for people."""
    body = await read_json(request, Completion, _LIMIT)
    if body.response_format.type == "json_schema" or body.tool_choice not in (None, "auto", "none"):
        raise InvalidInput(reason=phrase("api_doors.model"), key="response_format or tool_choice")
    message, session_id = await placed(who, body.messages, request.headers.get("x-session-id"))
    output_format = "json" if body.response_format.type == "json_object" else "markdown"
    ask = Ask(message, session_id, team_of(who, body.model).name, output_format=output_format)
    run_id, headers = await begun(who, ask)
    head = {"id": f"chatcmpl-{run_id}", "created": int(time.time()), "model": body.model}
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        return events_reply(_chunks(who, request, run_id, head, usage), headers)
    thought, answer = await unless_gone(request, _finished(who, run_id))
    spoken: dict[str, Any] = {"role": "assistant", "content": said(request, answer), "refusal": None}
    spoken |= {"annotations": annotations(request, answer)} | ({"reasoning_content": thought} if thought else {})
    choice = {"index": 0, "message": spoken, "finish_reason": _finish(answer), "logprobs": None}
    reply = head | {"object": "chat.completion", "choices": [choice], "usage": _usage(answer)}
    return Json(reply, headers=headers)


async def _finished(who: Caller, run_id: str) -> tuple[str, AnswerRecord]:
    thought = "".join([text async for text in pieces(who, run_id)])
    return thought, await who.dure.runs.answer(who.owner, run_id)


async def _chunks(
    who: Caller, request: Request, run_id: str, head: dict[str, Any], usage: bool
) -> AsyncGenerator[bytes, None]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        more = {"usage": None} if usage else {}
        return _frame(head | {"object": "chat.completion.chunk", "choices": [choice]} | more)

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for text in pieces(who, run_id):
            yield chunk({"reasoning_content": text})
        answer = await who.dure.runs.answer(who.owner, run_id)
    except DureError as error:
        yield _frame(failure(error, request))
    else:
        yield chunk({"content": said(request, answer), "annotations": annotations(request, answer)})
        yield chunk({}, _finish(answer))
        if usage:
            yield _frame(head | {"object": "chat.completion.chunk", "choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def _frame(wire: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % json_bytes(wire)


def _finish(answer: AnswerRecord) -> str:
    if answer.metadata.get("reason") == "content_filter":
        return "content_filter"
    return "length" if answer.status == "stopped" else "stop"


def _usage(answer: AnswerRecord) -> dict[str, int]:
    used = answer.metadata.get("usage", {})
    prompt, completion = used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _model(team: Team) -> dict[str, Any]:
    return {"id": team.name, "object": "model", "created": 0, "owned_by": "dure", "name": team.title or team.name}
