"""What OpenAI's two ways of asking have in common here: how a team is asked, what is told of its answer, and errors.

What cannot be taken back is not said too early: while agents work, what they think, draft and call goes out as
reasoning; the answer follows as content once it stands, with its sources below.
"""

import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.background import BackgroundTask

from dure.api.auth import Caller
from dure.api.doors.turns import Turn, asked, page_of, source_of
from dure.api.following import events_reply, settled, unless_gone
from dure.api.replies import error_reply, language_for
from dure.api.wires import Wire
from dure.errors import DureError, InvalidInput, SessionWaiting, UnknownTeam, phrase
from dure.events import ReasoningDelta, ToolStarted
from dure.language import language_of_message
from dure.messages import json_bytes
from dure.runs import AnswerRecord
from dure.teams import Team
from dure.texts import TEXTS
from dure.toolsets.arguments import refused

LIMIT = 32 << 20
"""Bytes of a conversation."""
_DECIDE = TEXTS.one("api_doors.decide")
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAIFailure(BaseModel):
    """An error as OpenAI tells it."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAIErrorReply(BaseModel):
    """The reply to every request at these doors that failed."""

    error: OpenAIFailure


class OpenAIRoute(APIRoute):
    """A route whose errors have OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except DureError as error:
                status = {422: 404 if isinstance(error, UnknownTeam) else 400}.get(error.status, error.status)
                return error_reply(error, request, failure(error, request), status)

        return handled


class Asked:
    """A team that was asked: its run, and the reply that tells of it."""

    def __init__(self, who: Caller, request: Request, run_id: str, session_id: str) -> None:
        self.who, self.request, self.run_id = who, request, run_id
        self.headers = {"X-Run-Id": run_id, "X-Session-Id": session_id}

    async def answer(self) -> AnswerRecord:
        """Waits for it. Raises the typed error of a run that failed."""
        return await self.who.dure.runs.answer(self.who.owner, self.run_id)

    async def whole(self) -> tuple[AnswerRecord, str]:
        """The answer, and all that the run's agents thought, drafted and called before; its own draft is no thought
        beside it. The run ends where the client hangs up before. Raises as `answer`."""

        async def read() -> str:
            return "".join([text async for text in self.thoughts()])

        thought = await unless_gone(self.request, read())
        answer = await self.answer()
        return answer, thought.removesuffix(answer.response).rstrip()

    async def thoughts(self) -> AsyncGenerator[str, None]:
        """The same as it happens, until the run's end. Left before, the run is cancelled."""
        last = ""
        async with aclosing(self.who.dure.runs.followed(self.who.owner, self.run_id)) as events:
            async for _, event in events:
                match settled(event):
                    case ReasoningDelta(message_id=id, text=text):
                        pass
                    case ToolStarted(call_id=id, name=name, args=args):
                        text = f"{name} {json_bytes(args).decode()}"
                    case _:
                        continue
                yield f"\n\n{text}" if last not in ("", id) else text
                last = id

    def streamed(self, frames: AsyncGenerator[bytes, None]) -> Response:
        """`frames` as the reply; the run ends when the client hangs up, unless it waits for people."""
        return events_reply(frames, self.headers, BackgroundTask(self.who.dure.runs.leave, self.who.owner, self.run_id))

    def said(self, answer: AnswerRecord) -> tuple[str, list[Wire]]:
        """The answer's text, of one that waits for people also where they decide; and its citations, each at the first
        place of its number in the text."""
        text, notes = answer.response, []
        if answer.status == "waiting":
            # Whoever reads this in a chat would else write "yes", and be asked the same again.
            told = _DECIDE[language_of_message(self.request.state.text)]
            text += f"\n\n{told}\n{page_of(self.request, answer.metadata['thread_id'])}"
        for each in answer.citations:
            # JSON of the client's own schema has no numbers.
            if place := re.search(rf"\[{each['marker']}\]", text):
                url = each["url"] or source_of(self.request, each)
                start, end = place.span()
                notes.append({"url": url, "title": each["title"], "start_index": start, "end_index": end})
        return text, notes


async def ask_team(
    who: Caller, request: Request, team: str, turns: Sequence[Turn], given: str | None, form: Wire | None, choice: Any
) -> Asked:
    """Begin a run on the last turn; of a session that waits for people, what it waits for is told again. given: the
    session, unless the request's header names it. form: of the answer, as the client wants it; choice: whether it
    wants its own tools called.

    Raises InvalidInput, and what `asked` and `Runs.start` raise."""
    request.state.text = turns[-1].text
    kind = (form or {}).get("type", "text")
    if kind not in ("text", "json_object", "json_schema") or choice not in (None, "auto", "none"):
        raise InvalidInput(reason=phrase("api_doors.model"), key="format or tool_choice")
    output_format = "markdown" if kind == "text" else "json"
    ask = await asked(who, turns, request.headers.get("x-session-id") or given, team, output_format)
    if kind == "json_schema":
        ask = replace(ask, given=_shaped(who.dure.teams[team], form or {}))
    try:
        run = await who.dure.runs.start(who.owner, ask)
        return Asked(who, request, run.id, run.session_id)
    except SessionWaiting as error:
        return Asked(who, request, str(error.details["run_id"]), str(ask.session_id))


def _shaped(team: Team, form: Wire) -> Team:
    """The team, its answer JSON of the schema that the chat API has below the form, and the Responses API in it."""
    schema = (form.get("json_schema") or form).get("schema")
    if team.kind != "solo" or not isinstance(schema, dict) or schema.get("type") != "object" or refused(schema):
        raise InvalidInput(reason=phrase("api_doors.schema"), key="format")
    return team.model_copy(update={"result": schema})


def usage_of(answer: AnswerRecord, read: str = "prompt", written: str = "completion") -> Wire:
    """The tokens of a run in OpenAI's shape; read, written: what the way of asking calls the two kinds."""
    used = answer.metadata.get("usage", {})
    tokens = {read: used.get("prompt_tokens", 0), written: used.get("completion_tokens", 0)}
    told: Wire = {f"{name}_tokens": count for name, count in tokens.items()} | {"total_tokens": sum(tokens.values())}
    told[f"{read}_tokens_details"] = {"cached_tokens": used.get("cached_tokens", 0)}
    return told | {f"{written}_tokens_details": {"reasoning_tokens": used.get("reasoning_tokens", 0)}}


def failure(error: DureError, request: Request) -> Wire:
    """An error in OpenAI's shape."""
    usual = "server_error" if error.status >= 500 else "invalid_request_error"
    told = {"message": error.message(language_for(request)), "type": _TYPES.get(error.status, usual)}
    if isinstance(error, UnknownTeam):
        return {"error": told | {"param": "model", "code": "model_not_found"}}
    fields = error.details.get("fields") or [{"field": error.details.get("key")}]
    return {"error": told | {"param": fields[0]["field"], "code": error.code}}
