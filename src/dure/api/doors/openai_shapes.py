"""What OpenAI's APIs have in common: teams as models, errors, and an answer with its sources."""

import re
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from dure.api.auth import Caller
from dure.api.doors.turns import page_of
from dure.api.following import followed
from dure.api.replies import Json, error_reply, language_for
from dure.errors import DureError, SessionWaiting, UnknownTeam
from dure.events import ReasoningDelta, TextDelta, ToolStarted
from dure.messages import json_bytes
from dure.runs import AnswerRecord, Ask
from dure.teams import Team

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_SETTLED = "answer"
"""The message that the answer is settled as, which comes whole with the end of the run."""


class Route(APIRoute):
    """A route whose errors have OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except DureError as error:
                reply = error_reply(error, request)
                headers = {name: text for name, text in reply.headers.items() if not name.startswith("content-")}
                unknown = 404 if isinstance(error, UnknownTeam) else 400
                return Json(failure(error, request), unknown if error.status == 422 else error.status, headers)

        return handled


def failure(error: DureError, request: Request) -> dict[str, Any]:
    """An error in OpenAI's shape."""
    usual = "server_error" if error.status >= 500 else "invalid_request_error"
    told = {"message": error.message(language_for(request)), "type": _TYPES.get(error.status, usual)}
    if isinstance(error, UnknownTeam):
        return {"error": told | {"param": "model", "code": "model_not_found"}}
    fields = error.details.get("fields") or [{"field": error.details.get("key")}]
    return {"error": told | {"param": fields[0]["field"], "code": error.code}}


def team_of(who: Caller, model: str) -> Team:
    """The team that a model's name means. Raises UnknownTeam."""
    if model not in who.dure.teams:
        raise UnknownTeam(team=model[:80], known=", ".join(who.dure.teams))
    return who.dure.teams[model]


async def begun(who: Caller, ask: Ask) -> tuple[str, dict[str, str]]:
    """A run on the message, and the headers that tell of it; where the session's last run waits for people, that one,
    which says so once more. Raises what `Runs.start` does."""
    try:
        run_id = (await who.dure.runs.start(who.owner, ask)).id
    except SessionWaiting as error:
        run_id = str(error.details["run_id"])
    session_id = (await who.dure.runs.brief(who.owner, run_id))["session_id"]
    return run_id, {"X-Run-Id": run_id, "X-Session-Id": session_id}


async def pieces(who: Caller, run_id: str) -> AsyncGenerator[str, None]:
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


def said(request: Request, answer: AnswerRecord) -> str:
    """The answer's text; of one that waits for people also where they decide."""
    if answer.status != "waiting":
        return answer.response
    return f"{answer.response}\n\n{page_of(request, answer.metadata['thread_id'])}"


def annotations(request: Request, answer: AnswerRecord) -> list[dict[str, Any]]:
    """The citations, each at the first place of its number in the text."""
    found = []
    for each in answer.citations:
        place = re.search(rf"\[{each['marker']}\]", answer.response)
        url = each["url"] or f"{request.base_url}v1/documents/{each['document_id']}/original"
        start, end = place.span() if place else (0, 0)
        cited = {"url": url, "title": each["title"], "start_index": start, "end_index": end}
        found.append({"type": "url_citation", "url_citation": cited | {"quote": each["quote"]}})
    return found
