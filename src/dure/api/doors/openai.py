"""Teams as OpenAI's models: `/v1/models` and `/v1/chat/completions`
(https://platform.openai.com/docs/api-reference/chat).

What cannot be taken back is not said too early: while agents work, what they think, draft and call goes out as
reasoning; the answer follows as content once it stands, with its sources below.
"""

import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from dure.api.auth import Caller, Who
from dure.api.bodies import described, read_json
from dure.api.doors.turns import Turn, asked, page_of
from dure.api.following import followed, unless_gone
from dure.api.replies import Json, error_reply, language_for
from dure.api.sse import events_reply
from dure.errors import DureError, InvalidInput, SessionWaiting, UnknownTeam, phrase
from dure.events import ReasoningDelta, TextDelta, ToolStarted
from dure.messages import json_bytes
from dure.runs import AnswerRecord
from dure.teams import Team

_LIMIT = 32 << 20
"""Bytes of a conversation."""
_SETTLED = "answer"
"""The message that the answer is settled as, which comes whole with the end of the run."""
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
Wire = dict[str, Any]


class _Route(APIRoute):
    """A route whose errors have OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except DureError as error:
                status = {422: 404 if isinstance(error, UnknownTeam) else 400}.get(error.status, error.status)
                return error_reply(error, request, _failure(error, request), status)

        return handled


router = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=_Route)


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
async def list_models(who: Who) -> Response:
    """The teams, as models."""
    return Json({"object": "list", "data": [_model(team) for team in who.dure.teams.values()]})


@router.get("/models/{model}")
async def get_model(model: str, who: Who) -> Response:
    """One team, as a model."""
    if model not in who.dure.teams:
        raise UnknownTeam(team=model[:80], known=", ".join(who.dure.teams))
    return Json(_model(who.dure.teams[model]))


def _model(team: Team) -> Wire:
    return {"id": team.name, "object": "model", "created": 0, "owned_by": "dure", "name": team.title or team.name}


@router.post("/chat/completions", openapi_extra=described(Completion))
async def complete(request: Request, who: Who) -> Response:
    """Ask a team as a model is asked. The run ends when the client hangs up, unless it waits for people."""
    body = await read_json(request, Completion, _LIMIT)
    form = (body.response_format or {}).get("type", "text")
    if form not in ("text", "json_object") or body.tool_choice not in (None, "auto", "none"):
        raise InvalidInput(reason=phrase("api_doors.model"), key="response_format or tool_choice")
    output_format = "json" if form == "json_object" else "markdown"
    ask = await asked(who, body.messages, request.headers.get("x-session-id"), body.model, output_format)
    try:
        run = await who.dure.runs.start(who.owner, ask)
        run_id, session_id = run.id, run.session_id
    except SessionWaiting as error:
        # It says once more what it waits for.
        run_id, session_id = str(error.details["run_id"]), str(ask.session_id)
    headers = {"X-Run-Id": run_id, "X-Session-Id": session_id}
    head = {"id": f"chatcmpl-{run_id}", "created": int(time.time()), "model": body.model}
    if body.stream:
        usage = (body.stream_options or {}).get("include_usage") is True
        return events_reply(_chunks(who, request, run_id, head, usage), headers)
    thought = "".join(await unless_gone(request, _all(_thoughts(who, run_id))))
    answer = await who.dure.runs.answer(who.owner, run_id)
    said = {"role": "assistant", "refusal": None, **_said(request, answer)}
    said |= {"reasoning_content": thought} if thought else {}
    choice = {"index": 0, "message": said, "finish_reason": _finish(answer), "logprobs": None}
    reply = head | {"object": "chat.completion", "choices": [choice], "usage": _usage(answer)}
    return Json(reply, headers=headers)


async def _all(pieces: AsyncGenerator[str, None]) -> list[str]:
    return [piece async for piece in pieces]


async def _chunks(who: Caller, request: Request, run_id: str, head: Wire, usage: bool) -> AsyncGenerator[bytes, None]:
    head = head | {"object": "chat.completion.chunk"} | ({"usage": None} if usage else {})

    def chunk(delta: Wire, finish: str | None = None) -> bytes:
        return _frame(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for text in _thoughts(who, run_id):
            yield chunk({"reasoning_content": text})
        answer = await who.dure.runs.answer(who.owner, run_id)
    except DureError as error:
        yield _frame(_failure(error, request))
    else:
        yield chunk(_said(request, answer))
        yield chunk({}, _finish(answer))
        if usage:
            yield _frame(head | {"choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def _frame(wire: Wire) -> bytes:
    return b"data: %b\n\n" % json_bytes(wire)


async def _thoughts(who: Caller, run_id: str) -> AsyncGenerator[str, None]:
    """What the run's agents think, draft and call, as it happens, until its end. Left before, the run is cancelled."""
    last = ""
    async with aclosing(followed(who, run_id)) as events:
        async for _, event in events:
            match event:
                case ReasoningDelta() | TextDelta() if event.message_id != _SETTLED:
                    id, text = event.message_id, event.text
                case ToolStarted():
                    id, text = event.call_id, f"{event.name} {json_bytes(event.args).decode()}"
                case _:
                    continue
            yield f"\n\n{text}" if last not in ("", id) else text
            last = id


def _said(request: Request, answer: AnswerRecord) -> Wire:
    """The answer's text, of one that waits for people also where they decide; its citations, each at the first place of
    its number in the text."""
    text, notes = answer.response, []
    if answer.status == "waiting":
        text += f"\n\n{page_of(request, answer.metadata['thread_id'])}"
    for each in answer.citations:
        place = re.search(rf"\[{each['marker']}\]", text)
        start, end = place.span() if place else (0, 0)
        url = each["url"] or f"{request.base_url}v1/documents/{each['document_id']}/original"
        cited = {"url": url, "title": each["title"], "start_index": start, "end_index": end}
        notes.append({"type": "url_citation", "url_citation": cited})
    return {"content": text, "annotations": notes}


def _finish(answer: AnswerRecord) -> str:
    if answer.metadata.get("reason") == "content_filter":
        return "content_filter"
    return "length" if answer.status == "stopped" else "stop"


def _usage(answer: AnswerRecord) -> dict[str, int]:
    used = answer.metadata.get("usage", {})
    prompt, completion = used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _failure(error: DureError, request: Request) -> Wire:
    """An error in OpenAI's shape."""
    usual = "server_error" if error.status >= 500 else "invalid_request_error"
    told = {"message": error.message(language_for(request)), "type": _TYPES.get(error.status, usual)}
    if isinstance(error, UnknownTeam):
        return {"error": told | {"param": "model", "code": "model_not_found"}}
    fields = error.details.get("fields") or [{"field": error.details.get("key")}]
    return {"error": told | {"param": fields[0]["field"], "code": error.code}}
