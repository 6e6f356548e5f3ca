"""A conversation that a client sends whole each time, and the session that it belongs to."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from pydantic import BaseModel

from dure.api.auth import Caller
from dure.errors import InvalidInput, phrase
from dure.messages import Message, assistant, user
from dure.pictures import decoded
from dure.runs import Ask
from dure.teams import team_named
from dure.tooling import File

_PLACE = "#/s/"
"""Before a session's id, in the address of its page."""
_SHOWN = ("title", "page", "sheet", "slide", "start", "end")
"""Of a citation, in the address of its place."""
_TEXTS = ("text", "input_text", "output_text")
_IMAGES = ("image_url", "input_image", "image")


class Turn(BaseModel):
    """A message as clients of OpenAI, of AG-UI and of ACP have it; more fields than these say nothing to a team."""

    role: str
    content: str | list[dict[str, Any]] | dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """Raises InvalidInput for a sound or a file."""
        if not isinstance(self.content, list):
            return self.content if isinstance(self.content, str) else ""
        return "\n".join(_text(part) for part in self.content if part.get("type") not in _IMAGES)

    @property
    def images(self) -> list[File]:
        """Raises InvalidInput for one that is given by its address, or is none."""
        parts = self.content if isinstance(self.content, list) else []
        images = [part for part in parts if part.get("type") in _IMAGES]
        found = [part.get("image_url") or part.get("source") or part.get("data") for part in images]
        given = [each.get("url") or each.get("value") if isinstance(each, dict) else each for each in found]
        return [decoded(str(each), f"#{number}") for number, each in enumerate(given, 1)]


def _text(part: dict[str, Any]) -> str:
    """A part's text, of what was attached with where it is from. Raises InvalidInput for what is none."""
    match part:
        case {"type": "resource", "resource": {"uri": uri, "text": str(text)}}:
            return f'<context ref="{uri}">\n{text}\n</context>'
        case {"type": "resource_link", "name": name, "uri": uri}:
            return f"[{name}]({uri})"
        case {"type": kind} if kind in _TEXTS:
            return str(part.get("text") or "")
    raise InvalidInput(reason=phrase("api_doors.part", type=str(part.get("type"))[:40]), key="messages")


def page_of(request: Request, session_id: str) -> str:
    """The address where a session is read and decided on."""
    return f"{request.base_url}{_PLACE}{session_id}"


def source_of(request: Request, citation: dict[str, Any]) -> str:
    """The address where the page shows a citation's document at its passage: one that a browser may open, which has
    no key to send."""
    place = {key: citation[key] for key in _SHOWN if citation.get(key) is not None}
    return f"{request.base_url}#/documents?{urlencode({'open': citation['document_id'], **place})}"


async def asked(
    who: Caller, turns: Sequence[Turn], given: str | None, team: str, output_format: str = "markdown"
) -> Ask:
    """The last message, to be asked in the session `given`; else in that of the page that the last answer points to;
    else in the one that holds just the turns before. Where it does not exist it begins with those turns, as where a
    client's user changed an earlier one. Instructions of the client's are left out: a team has its own.

    Raises UnknownTeam, InvalidInput where the last turn is not the user's."""
    team_named(who.dure.teams, team)
    said: list[Message] = [
        (user if each.role == "user" else assistant)(each.text) for each in turns if each.role in ("user", "assistant")
    ]
    if not said or said[-1]["role"] != "user":
        raise InvalidInput(reason=phrase("api_doors.last"), key="messages")
    *before, last = said
    sessions = who.dure.runs.sessions
    if before and given is None:
        _, pointed, rest = str(before[-1]["content"]).rpartition(_PLACE)
        named = (rest.split() or [""])[0] if pointed else ""
        given = named if await sessions.known(who.owner, named) else await sessions.holding(who.owner, before)
    if before and (given is None or not await sessions.known(who.owner, given)):
        given = await sessions.begin(who.owner, before, given)
    images = next(each for each in reversed(turns) if each.role == "user").images
    return Ask(str(last["content"]), given, team, output_format=output_format, images=images)
