"""`/v1/sessions`: conversations and their transcripts."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, Literal
from unicodedata import normalize

from fastapi import APIRouter, Path, Query, Request, Response

from dure.api.auth import Who, needs
from dure.api.bodies import SessionBody, described, read_json
from dure.api.paging import Before, Q, next_of, place, wanted
from dure.api.replies import Json, saved_as
from dure.erasing import erase
from dure.errors import Language
from dure.messages import named
from dure.runs.cron import zone_of
from dure.sources import placed
from dure.texts import TEXTS
from dure.word import MEDIA_TYPE, to_docx

router = APIRouter(prefix="/v1", tags=["sessions"])

Days = Annotated[int, Query(ge=1, le=36_500)]
Zone = Annotated[str | None, Query(max_length=100)]
_NAME = 80
"""Characters of the name of an exported file, without its ending."""
_WORDS = TEXTS["api_sessions"]
MessageId = Annotated[int, Query(ge=1, le=2**31 - 1)]


@router.get("/sessions")
async def list_sessions(
    who: Who, q: Q = None, limit: Annotated[int, Query(ge=1, le=1000)] = 200, before: Before = None, folder: Q = None
) -> Response:
    """The conversations, those pinned first, then last used first; with `q`, those that have it in their title or a
    message, with `folder` those in it, in none where it is empty. `next` of the reply is the `before` that goes on."""
    folder = normalize("NFC", folder) if folder else folder
    found = await who.dure.runs.sessions.list(who.owner, limit, q=wanted(q), folder=folder, before=place(before))
    return Json({"sessions": found, "next": next_of(found, limit, "updated_at")})


@router.get("/folders")
async def list_folders(who: Who) -> Response:
    """The folders that conversations stand in, by name, with how many `sessions` each has."""
    return Json({"folders": await who.dure.runs.sessions.folders(who.owner)})


@router.get("/retention")
async def get_retention(who: Who, days: Days | None = None) -> Response:
    """How many `days` one's conversations are kept after their last use, and the server's `limit`; `due`: how many
    would go at once with the `days` of the request."""
    retention = who.dure.runs.retention
    _, due = await retention.due(who.owner, days)
    return Json({"days": await retention.days(who.owner), "limit": retention.limit, "due": len(due)})


@router.put("/retention")
async def put_retention(who: Who, days: Days) -> Response:
    """Keep one's conversations for so many `days` from now on. `deleted` of the reply is how many went at once."""
    return Json({"days": days, "deleted": await who.dure.runs.retention.keep(who.owner, days)})


@router.delete("/retention")
async def delete_retention(who: Who) -> Response:
    """Keep them as long as the server does again; answers as `PUT`."""
    return Json({"days": None, "deleted": await who.dure.runs.retention.keep(who.owner, None)})


@router.delete("/owners/{owner}")
@needs("admin")
async def erase_owner(owner: str, who: Who) -> Response:
    """Delete all that is an owner's; `erased` of the reply is how many `sessions`, `schedules` and `documents` went."""
    return Json({"erased": await erase(who.dure, owner)})


@router.get("/sessions/{session_id}")
async def get_session(session_id: str, who: Who) -> Response:
    """One conversation, without what was said."""
    return Json(await who.dure.runs.sessions.get(who.owner, session_id))


@router.patch("/sessions/{session_id}", openapi_extra=described(SessionBody))
async def change_session(session_id: str, request: Request, who: Who) -> Response:
    """Give the conversation another `title`, put it into a `folder` (an empty one: out of it), or pin it (`pinned`)."""
    body = await read_json(request, SessionBody, 65_536)
    return Json(await who.dure.runs.sessions.change(who.owner, session_id, **body.model_dump(exclude_unset=True)))


@router.get("/sessions/{session_id}/messages")
async def messages(
    session_id: str,
    who: Who,
    limit: Annotated[int | None, Query(ge=1, le=1000)] = None,
    before: MessageId | None = None,
) -> Response:
    """The transcript, oldest message first; with `limit` the last so many, of those before the message `before`.
    `next` of the reply is the `before` for the messages before it."""
    found = await who.dure.runs.sessions.messages(who.owner, session_id, limit, before=before)
    return Json({"messages": found, "next": found[0]["id"] if len(found) == limit else None})


@router.delete("/sessions/{session_id}/messages", status_code=204, response_class=Response)
async def cut_session(session_id: str, who: Who, start: Annotated[MessageId, Query(alias="from")]) -> None:
    """Put the question `from`, and all that came after it, aside, to ask something else instead."""
    await who.dure.runs.sessions.show(who.owner, session_id, start, instead=True)


@router.post("/sessions/{session_id}/branch", status_code=204, response_class=Response)
async def show_branch(session_id: str, who: Who, to: MessageId) -> None:
    """Go on from the question `to`, with what followed it last: what stands in its place is put aside."""
    await who.dure.runs.sessions.show(who.owner, session_id, to)


@router.put("/sessions/{session_id}/share")
async def share_session(session_id: str, who: Who) -> Response:
    """Let whoever has the link read the conversation as it is now; `shared` of the reply is the link's last part."""
    return Json(await who.dure.runs.sessions.share(who.owner, session_id))


@router.delete("/sessions/{session_id}/share")
async def unshare_session(session_id: str, who: Who) -> Response:
    """The link leads nowhere any more."""
    return Json(await who.dure.runs.sessions.share(who.owner, session_id, shared=False))


@router.get("/shared/{link}")
async def shared_session(link: Annotated[str, Path(max_length=64)], request: Request) -> Response:
    """A conversation by its link, without a key."""
    return Json(await request.app.state.dure.runs.sessions.read_shared(link))


@router.get("/sessions/{session_id}/export")
async def export_session(session_id: str, who: Who, format: Literal["md", "docx"] = "md", tz: Zone = None) -> Response:
    """The conversation as Markdown or a Word file, to be saved; its times in the zone `tz`, else in UTC."""
    zone = zone_of(tz, "tz") if tz else UTC
    session = await who.dure.runs.sessions.get(who.owner, session_id)
    said = await who.dure.runs.sessions.messages(who.owner, session_id)
    ends = ("stopped", "cancelled", "failed")
    broken = await who.dure.runs.list(who.owner, session_id=session_id, status=ends, limit=len(said))
    language = who.language or "ko"
    data, media_type = as_markdown(session, said, broken, language, zone).encode(), "text/markdown; charset=utf-8"
    if format == "docx":
        data, media_type = await asyncio.to_thread(to_docx, data.decode(), session["title"], language), MEDIA_TYPE
    headers = saved_as(f"{named(session['title'], _NAME).rstrip('…') or session_id}.{format}")
    return Response(data, media_type=media_type, headers=headers)


@router.delete("/sessions/{session_id}", status_code=204, response_class=Response)
async def delete_session(session_id: str, who: Who) -> None:
    """Delete the conversation with its runs and their records."""
    await who.dure.runs.sessions.delete(who.owner, session_id)


def as_markdown(
    session: dict[str, Any],
    messages: Sequence[dict[str, Any]],
    broken: Sequence[dict[str, Any]],
    language: Language,
    zone: tzinfo,
) -> str:
    """The session's title, then each message under a heading with its time in `zone`; sources below the answer that
    cites them, and below the last that came of a run of `broken`, which did not answer in full, how that ended."""
    parts, ended = [f"# {session['title']}"], {run["id"]: run for run in broken}
    last = {each["run_id"]: number for number, each in enumerate(messages)}
    for number, each in enumerate(messages):
        at = datetime.fromisoformat(each["created_at"]).astimezone(zone)
        parts.append(f"## {_WORDS[each['role']][language]} ({at:%Y-%m-%d %H:%M %Z})")
        parts.append(each["content"].strip())
        if each["citations"]:
            lines = [_source(number, cited, language) for number, cited in enumerate(each["citations"], 1)]
            parts.append("\n".join([f"**{_WORDS['sources'][language]}**", "", *lines]))
        if each["run_id"] in ended and last[each["run_id"]] == number:
            run = ended[each["run_id"]]
            told = f": {run['error']['message']}" if run["error"] else ""
            parts.append(f"> {_WORDS[run['status']][language]}{told}")
    return "\n\n".join(parts) + "\n"


def _source(number: int, cited: dict[str, Any], language: Language) -> str:
    where = [placed(cited, language), *([f"<{cited['url']}>"] if cited.get("url") else [])]
    quote = " ".join(cited["quote"].split())
    return f"- [{cited.get('marker') or number}] {', '.join(where)}: “{quote}”"
