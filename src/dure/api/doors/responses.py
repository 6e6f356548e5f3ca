"""`POST /v1/responses`: a team as a model of OpenAI's Responses API
(https://platform.openai.com/docs/api-reference/responses)."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import count
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from dure.api.auth import Caller, Client
from dure.api.bodies import described, failing, read_json
from dure.api.doors.openai import LIMIT, Asked, OpenAIErrorReply, OpenAIRoute, ask_team, failure, usage_of
from dure.api.doors.turns import Turn
from dure.api.replies import Json
from dure.api.wires import Wire
from dure.errors import DureError, InvalidInput, phrase
from dure.messages import json_bytes
from dure.runs import AnswerRecord

router = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=OpenAIRoute, responses=failing(OpenAIErrorReply))
_ID = "resp_"
"""Before a run's id, in that of its response."""


class Item(Turn):
    """What a conversation is made of. Other items than messages are what a model did before, which says nothing to a
    team; a reference alone would leave out what was said."""

    role: str = ""
    type: str = "message"


class ResponseBody(BaseModel):
    """`POST /v1/responses`. What steers sampling is left to the team's own model."""

    model: str
    input: str | Annotated[list[Item], Field(min_length=1)]
    previous_response_id: str | None = None
    conversation: str | Wire | None = None
    stream: bool | None = None
    text: Wire | None = None
    tool_choice: Any = None


@router.post("/responses", openapi_extra=described(ResponseBody))
async def respond(request: Request, who: Client) -> Response:
    """Ask a team as OpenAI's Responses API is asked. The run ends when the client hangs up, unless it waits for
    people."""
    body = await read_json(request, ResponseBody, LIMIT)
    turns: Sequence[Turn] = [Turn(role="user", content=body.input)] if isinstance(body.input, str) else body.input
    if any(isinstance(each, Item) and each.type == "item_reference" for each in turns):
        raise InvalidInput(reason=phrase("api_doors.part", type="item_reference"), key="input")
    given = body.conversation.get("id") if isinstance(body.conversation, dict) else body.conversation
    if body.previous_response_id:
        before, given = await _before(who, body.previous_response_id.removeprefix(_ID), len(turns) == 1)
        turns = [*before, *turns]
    asked = await ask_team(who, request, body.model, turns, given, (body.text or {}).get("format"), body.tool_choice)
    head: Wire = {"id": _ID + asked.run_id, "object": "response", "created_at": int(time.time()), "model": body.model}
    head |= {"previous_response_id": body.previous_response_id, "tools": [], "tool_choice": "auto"}
    head |= {"parallel_tool_calls": True, "instructions": None, "metadata": {}, "temperature": None, "top_p": None}
    if body.stream:
        return asked.streamed(_events(asked, head))
    return Json(_whole(asked, head, *await asked.whole()), headers=asked.headers)


async def _before(who: Caller, run_id: str, alone: bool) -> tuple[list[Turn], str | None]:
    """The conversation up to the end of a run. If that is the end of its session too, and but one turn follows
    (`alone`), the session; else the conversation goes on in another. Raises NotFound."""
    session_id = (await who.dure.runs.brief(who.owner, run_id))["session_id"]
    said = await who.dure.runs.sessions.messages(who.owner, session_id)
    ends = max((number for number, each in enumerate(said, 1) if each["run_id"] == run_id), default=len(said))
    turns = [Turn(role=each["role"], content=each["content"]) for each in said[:ends]]
    return turns, session_id if alone and ends == len(said) else None


async def _events(asked: Asked, head: Wire) -> AsyncGenerator[bytes, None]:
    numbers = count()

    def event(kind: str, **fields: Any) -> bytes:
        wire = {"type": f"response.{kind}", "sequence_number": next(numbers), **fields}
        return b"event: response.%b\ndata: %b\n\n" % (kind.encode(), json_bytes(wire))

    begun = _response(head, "in_progress", [])
    yield event("created", response=begun)
    yield event("in_progress", response=begun)
    thought, place = "", {"item_id": _thought(asked, "")["id"], "output_index": 0, "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    try:
        async for text in asked.thoughts():
            if not thought:
                yield event("output_item.added", output_index=0, item=_thought(asked, "") | {"summary": []})
                yield event("reasoning_summary_part.added", **place, part=part)
            thought += text
            yield event("reasoning_summary_text.delta", **place, delta=text)
        if thought:
            yield event("reasoning_summary_text.done", **place, text=thought)
            yield event("reasoning_summary_part.done", **place, part=part | {"text": thought})
            yield event("output_item.done", output_index=0, item=_thought(asked, thought))
        answer = await asked.answer()
    except DureError as error:
        told = failure(error, asked.request)["error"]
        failed = {"error": {"code": told["code"], "message": told["message"]}}
        yield event("failed", response=_response(head, "failed", []) | failed)
        return
    whole = _whole(asked, head, answer, thought)
    for frame in _spoken(event, whole["output"][-1], len(whole["output"]) - 1):
        yield frame
    yield event("completed" if whole["status"] == "completed" else "incomplete", response=whole)


def _spoken(event: Callable[..., bytes], item: Wire, index: int) -> list[bytes]:
    """The events of the answer, which comes whole."""
    part = item["content"][0]
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    notes = enumerate(part["annotations"])
    return [
        event("output_item.added", output_index=index, item=item | {"status": "in_progress", "content": []}),
        event("content_part.added", **place, part=part | {"text": "", "annotations": []}),
        event("output_text.delta", **place, delta=part["text"], logprobs=[]),
        *(event("output_text.annotation.added", **place, annotation_index=n, annotation=each) for n, each in notes),
        event("output_text.done", **place, text=part["text"], logprobs=[]),
        event("content_part.done", **place, part=part),
        event("output_item.done", output_index=index, item=item),
    ]


def _whole(asked: Asked, head: Wire, answer: AnswerRecord, thought: str) -> Wire:
    text, notes = asked.said(answer)
    status = {"stopped": "incomplete", "cancelled": "cancelled"}.get(answer.status, "completed")
    annotations = [{"type": "url_citation"} | each for each in notes]
    part = {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}
    item = {"id": f"msg_{asked.run_id}", "type": "message", "role": "assistant", "content": [part]}
    item["status"] = "completed" if status == "completed" else "incomplete"
    filtered = answer.metadata.get("reason") == "content_filter"
    why = {"reason": "content_filter" if filtered else "max_output_tokens"} if status == "incomplete" else None
    output = [_thought(asked, thought), item] if thought else [item]
    return _response(head, status, output) | {"usage": usage_of(answer, "input", "output"), "incomplete_details": why}


def _thought(asked: Asked, text: str) -> Wire:
    return {"id": f"rs_{asked.run_id}", "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def _response(head: Wire, status: str, output: list[Wire]) -> Wire:
    return head | {"status": status, "output": output, "error": None, "incomplete_details": None, "usage": None}
