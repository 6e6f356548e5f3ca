"""`/v1/sessions`: conversations and their transcripts."""

from fastapi import APIRouter, Response

from dure.api.auth import Who
from dure.api.replies import Json

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])


@router.get("")
async def list_sessions(who: Who) -> Response:
    """The conversations, last used first."""
    return Json({"sessions": await who.dure.runs.sessions(who.owner)})


@router.get("/{session_id}/messages")
async def messages(session_id: str, who: Who) -> Response:
    """The transcript, oldest message first."""
    return Json({"messages": await who.dure.runs.messages(who.owner, session_id)})


@router.delete("/{session_id}", status_code=204)
async def delete_session(session_id: str, who: Who) -> Response:
    """Delete the conversation with its runs and their records."""
    await who.dure.runs.delete_session(who.owner, session_id)
    return Response(status_code=204)
