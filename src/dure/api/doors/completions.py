"""Teams as OpenAI's models: `/v1/models` and `/v1/chat/completions`
(https://platform.openai.com/docs/api-reference/chat)."""

import time
from collections.abc import AsyncGenerator
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from dure.api.auth import Client
from dure.api.bodies import described, failing, read_json
from dure.api.doors.openai import LIMIT, Asked, OpenAIErrorReply, OpenAIRoute, ask_team, failure, usage_of
from dure.api.doors.turns import Turn
from dure.api.replies import Json
from dure.api.wires import Wire
from dure.errors import DureError
from dure.messages import json_bytes
from dure.runs import AnswerRecord
from dure.teams import Team, team_named

router = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=OpenAIRoute, responses=failing(OpenAIErrorReply))


class Completion(BaseModel):
    """`POST /v1/chat/completions`. What steers sampling is left to the team's own model."""

    model: str
    messages: list[Turn] = Field(min_length=1)
    stream: bool | None = None
    stream_options: Wire | None = None
    response_format: Wire | None = None
    n: Literal[1, None] = 1
    tool_choice: Any = None


@router.get("/models")
async def list_models(who: Client) -> Response:
    """The teams, as models."""
    return Json({"object": "list", "data": [_model(team) for team in who.dure.teams.values()]})


@router.get("/models/{model}")
async def get_model(model: str, who: Client) -> Response:
    """One team, as a model."""
    return Json(_model(team_named(who.dure.teams, model)))


def _model(team: Team) -> Wire:
    return {"id": team.name, "object": "model", "created": 0, "owned_by": "dure", "name": team.title or team.name}


@router.post("/chat/completions", openapi_extra=described(Completion))
async def complete(request: Request, who: Client) -> Response:
    """Ask a team as a model is asked. The run ends when the client hangs up, unless it waits for people."""
    body = await read_json(request, Completion, LIMIT)
    asked = await ask_team(who, request, body.model, body.messages, None, body.response_format, body.tool_choice)
    head = {"id": f"chatcmpl-{asked.run_id}", "created": int(time.time()), "model": body.model}
    if body.stream:
        return asked.streamed(_chunks(asked, head, (body.stream_options or {}).get("include_usage") is True))
    answer, thought = await asked.whole()
    said = {"role": "assistant", "refusal": None, **_said(asked, answer)}
    said |= {"reasoning_content": thought} if thought else {}
    choice = {"index": 0, "message": said, "finish_reason": _finish(answer), "logprobs": None}
    reply = head | {"object": "chat.completion", "choices": [choice], "usage": usage_of(answer)}
    return Json(reply, headers=asked.headers)


async def _chunks(asked: Asked, head: Wire, usage: bool) -> AsyncGenerator[bytes, None]:
    head = head | {"object": "chat.completion.chunk"} | ({"usage": None} if usage else {})

    def chunk(delta: Wire, finish: str | None = None) -> bytes:
        return _frame(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for text in asked.thoughts():
            yield chunk({"reasoning_content": text})
        answer = await asked.answer()
    except DureError as error:
        yield _frame(failure(error, asked.request))
    else:
        yield chunk(_said(asked, answer))
        yield chunk({}, _finish(answer))
        if usage:
            yield _frame(head | {"choices": [], "usage": usage_of(answer)})
    yield b"data: [DONE]\n\n"


def _frame(wire: Wire) -> bytes:
    return b"data: %b\n\n" % json_bytes(wire)


def _said(asked: Asked, answer: AnswerRecord) -> Wire:
    text, notes = asked.said(answer)
    return {"content": text, "annotations": [{"type": "url_citation", "url_citation": each} for each in notes]}


def _finish(answer: AnswerRecord) -> str:
    if answer.metadata.get("reason") == "content_filter":
        return "content_filter"
    return "length" if answer.status == "stopped" else "stop"
