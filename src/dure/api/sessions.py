"""`/v1/sessions`: conversations and their transcripts."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from dure.api.auth import Who
from dure.api.bodies import TitleBody, described, read_json
from dure.api.downloads import saved_as
from dure.api.paging import Before, Q, next_of, place, wanted
from dure.api.replies import Json
from dure.api.transcript import as_markdown

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])

MessageId = Annotated[int, Query(ge=1, le=2**31 - 1)]


@router.get("")
async def list_sessions(
    who: Who, q: Q = None, limit: Annotated[int, Query(ge=1, le=1000)] = 200, before: Before = None
) -> Response:
    """The conversations, last used first; with `q`, those that have it in their title or a message. `next` of the
    reply is the `before` that goes on after it."""
    found = await who.dure.runs.sessions.list(who.owner, limit, q=wanted(q), before=place(before))
    return Json({"sessions": found, "next": next_of(found, limit, "updated_at")})


@router.patch("/{session_id}", openapi_extra=described(TitleBody))
async def rename_session(session_id: str, request: Request, who: Who) -> Response:
    """Give the conversation another title."""
    body = await read_json(request, TitleBody, 65_536)
    return Json(await who.dure.runs.sessions.rename(who.owner, session_id, body.title))


@router.get("/{session_id}/messages")
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


@router.delete("/{session_id}/messages", status_code=204)
async def cut_session(session_id: str, who: Who, start: Annotated[MessageId, Query(alias="from")]) -> Response:
    """Put the question `from`, and all that came after it, aside, to ask something else instead."""
    await who.dure.runs.sessions.show(who.owner, session_id, start, instead=True)
    return Response(status_code=204)


@router.post("/{session_id}/branch", status_code=204)
async def show_branch(session_id: str, who: Who, to: MessageId) -> Response:
    """Go on from the question `to`, with what followed it last: what stands in its place is put aside."""
    await who.dure.runs.sessions.show(who.owner, session_id, to)
    return Response(status_code=204)


@router.get("/{session_id}/export")
async def export_session(session_id: str, who: Who) -> Response:
    """The conversation as Markdown, to be saved."""
    session = await who.dure.runs.sessions.get(who.owner, session_id)
    said = await who.dure.runs.sessions.messages(who.owner, session_id)
    text = as_markdown(session, said, who.language or "ko")
    headers = saved_as(f"{session['title'][:80] or session_id}.md")
    return Response(text.encode(), media_type="text/markdown; charset=utf-8", headers=headers)


@router.delete("/{session_id}", status_code=204)
async def delete_session(session_id: str, who: Who) -> Response:
    """Delete the conversation with its runs and their records."""
    await who.dure.runs.sessions.delete(who.owner, session_id)
    return Response(status_code=204)
