"""`/v1/documents` and `/v1/search`: what the answers are taken from."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from dure.api.auth import Who
from dure.api.replies import Json
from dure.api.uploads import receive
from dure.errors import DureError, InvalidInput

router = APIRouter(prefix="/v1", tags=["documents"])

_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                }
            }
        },
    }
}


@router.post("/documents", status_code=202, openapi_extra=_UPLOAD)
async def upload(request: Request, who: Who) -> Response:
    """Take in one or more files, each a multipart part `file`; they are indexed in the background.

    Of several files, one that cannot be taken is told of in `failed` and does not keep out the others.
    """
    documents: list[dict[str, Any]] = []
    failures: list[tuple[str, DureError]] = []
    async with receive(request, who.dure.settings.max_upload_bytes) as uploads:
        for each in uploads:
            data = await asyncio.to_thread(each.read)
            try:
                document = await who.dure.knowledge.add(who.owner, each.name, data)
            except DureError as error:
                failures.append((each.name, error))
            else:
                documents.append(document.as_dict(who.language or "ko"))
    if failures and not documents:
        raise failures[0][1]
    reply: dict[str, Any] = {"documents": documents}
    if failures:
        reply["failed"] = [{"name": name, **e.as_dict(who.language or "ko")} for name, e in failures]
    return Json(reply, status_code=202)


@router.get("/documents")
async def list_documents(who: Who) -> Response:
    """All documents with their status: queued, indexing, ready or failed (with the reason)."""
    found = await who.dure.knowledge.list(who.owner)
    return Json({"documents": [d.as_dict(who.language or "ko") for d in found]})


@router.get("/documents/{document_id}")
async def get_document(document_id: str, who: Who) -> Response:
    """One document with its status."""
    found = await who.dure.knowledge.get(who.owner, document_id)
    return Json(found.as_dict(who.language or "ko"))


@router.get("/documents/{document_id}/passages")
async def passages(document_id: str, who: Who) -> Response:
    """The document's passages in reading order, with page and character span."""
    found = await who.dure.knowledge.passages(who.owner, document_id)
    return Json({"passages": [p.as_dict() for p in found]})


@router.delete("/documents/{document_id}", status_code=204)
async def delete_document(document_id: str, who: Who) -> Response:
    """Delete the document, its passages and its file."""
    await who.dure.knowledge.delete(who.owner, document_id)
    return Response(status_code=204)


@router.get("/search")
async def search(
    who: Who,
    q: Annotated[str, Query(max_length=2000)],
    k: Annotated[int, Query(ge=1, le=50)] = 6,
) -> Response:
    """The `k` passages that say most about `q`, best first, and how strong the evidence is (0 to 1)."""
    if not q.strip():
        raise InvalidInput(reason=who.pick("q: 검색어가 비어 있습니다", "q: the query is empty"))
    found = await who.dure.knowledge.search(who.owner, [q], k)
    return Json({"query": q, "passages": [p.as_dict() for p in found.passages], "evidence": found.evidence})
