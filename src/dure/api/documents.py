"""`/v1/documents`, `/v1/shelves` and `/v1/search`: what the answers are taken from."""

import asyncio
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from dure.api.auth import Who, needs
from dure.api.bodies import Body, described, read_json
from dure.api.replies import Json, saved_as
from dure.api.uploads import files, receive
from dure.errors import DureError, InvalidInput, NotFound, phrase
from dure.knowledge.parse.reader import MAX_WIDTH
from dure.storage.only import Only
from dure.storage.shelves import PERSONAL
from dure.web.page import unchanged

router = APIRouter(prefix="/v1", tags=["documents"])

MOST_TEXT = 200_000
"""Characters of text in a reply."""
_MOST_BODY = 100_000
"""Bytes."""

Shelf = Annotated[str, Query(max_length=100)]
PageNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
At = Annotated[int, Query(ge=0, le=2**31 - 1)]
Wide = Annotated[int, Query(ge=16, le=MAX_WIDTH)]


class PngReply(Response):
    media_type = "image/png"


@router.post("/documents", status_code=202, openapi_extra=files("tag"))
async def upload(request: Request, who: Who, shelf: Shelf = PERSONAL) -> Response:
    """Take in one or more files, each a multipart part `file`; they are indexed in the background. Parts `tag`: what
    they are tagged with. `shelf`: where to put them, one's own documents without it.

    Of several files, one that cannot be taken is told of in `failed` and does not keep out the others.
    """
    documents: list[dict[str, Any]] = []
    failures: list[tuple[str, DureError]] = []
    async with receive(request, who.dure.settings.max_upload_bytes, "tag") as (uploads, form):
        # No file is called so.
        tags = [str(each) for each in form.getlist("tag")] or None
        for each in uploads:
            name, data = str(each.filename), await each.read()
            try:
                document = await who.dure.knowledge.add(who.owner, name, data, shelf, tags)
            except DureError as error:
                failures.append((name, error))
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


@router.get("/documents/{document_id}/text")
async def text(document_id: str, who: Who, start: At = 0, end: At | None = None) -> Response:
    """Characters `start` to `end` of the document's text, at most 200,000, with the pages that they stand on."""
    most = start + MOST_TEXT
    end = most if end is None else min(end, most)
    return Json(await who.dure.knowledge.slice(who.owner, document_id, start, end))


@router.get("/documents/{document_id}/pages/{page}.png", response_class=PngReply)
async def page_picture(document_id: str, page: PageNumber, request: Request, who: Who, width: Wide = 1000) -> Response:
    """A page of a PDF or picture as a PNG of about `width` pixels."""
    document = await who.dure.knowledge.get(who.owner, document_id)
    etag = f'"{document.sha256[:24]}-{page}-{width}"'
    # Kept by the browser, but asked for again: whoever may no longer see the document does not.
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if unchanged(request, etag):
        return Response(status_code=304, headers=headers)
    picture = await who.dure.knowledge.picture(who.owner, document_id, page, width)
    return PngReply(picture, headers=headers)


@router.get("/documents/{document_id}/pages/{page}/boxes")
async def page_boxes(document_id: str, page: PageNumber, who: Who, start: At, end: At) -> Response:
    """Where characters `start` to `end` of the text stand on a page of a PDF or picture: `boxes` of left, top, right
    and bottom, one a line, in shares of the page."""
    end = min(end, start + MOST_TEXT)
    return Json({"boxes": await who.dure.knowledge.boxes(who.owner, document_id, page, start, end)})


@router.get("/documents/{document_id}/original", response_class=FileResponse)
async def original(document_id: str, who: Who) -> Response:
    """The file as it was uploaded, to be saved."""
    document = await who.dure.knowledge.get(who.owner, document_id)
    path = await who.dure.knowledge.original(who.owner, document_id)
    if not await asyncio.to_thread(path.is_file):
        raise NotFound(what="file", id=document_id)
    return FileResponse(path, media_type="application/octet-stream", headers=saved_as(document.name))


class TagsBody(Body):
    """`PATCH /v1/documents/{document_id}`."""

    tags: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=50)]


@router.patch("/documents/{document_id}", openapi_extra=described(TagsBody))
async def tag_document(document_id: str, request: Request, who: Who) -> Response:
    """Give a document the `tags` that are told in place of those it has; the document."""
    body = await read_json(request, TagsBody, _MOST_BODY)
    found = await who.dure.knowledge.tag(who.owner, document_id, body.tags)
    return Json(found.as_dict(who.language or "ko"))


@router.delete("/documents/{document_id}", status_code=204, response_class=Response)
async def delete_document(document_id: str, who: Who) -> None:
    """Delete the document, its passages and its file."""
    await who.dure.knowledge.delete(who.owner, document_id)


class Membership(Body):
    role: Literal["reader", "editor"] = "reader"


@router.get("/shelves")
async def list_shelves(request: Request, who: Who) -> Response:
    """The shelves that one is a member of, with the own role and how many documents stand there. To an admin: all of
    them, with their members, and the `owners` that have keys, each with a key's role."""
    found = await who.dure.knowledge.shelves.list(who.owner)
    if who.role == "admin":
        return Json({"shelves": found, "owners": request.app.state.keys.owners})
    found = [{key: each[key] for key in ("name", "documents", "role")} for each in found if each["role"]]
    return Json({"shelves": found})


@router.put("/shelves/{shelf}/members/{member}", status_code=204, openapi_extra=described(Membership))
@needs("admin")
async def put_member(shelf: str, member: str, request: Request, who: Who) -> Response:
    """Make an owner, or `*` for all, a member of a shelf; the first member makes the shelf. Of one that is made for
    readers whoever makes it is an editor."""
    given = await read_json(request, Membership, _MOST_BODY)
    await who.dure.knowledge.shelves.put(shelf, member, given.role, who.owner)
    return Response(status_code=204)


@router.delete("/shelves/{shelf}/members/{member}", status_code=204, response_class=Response)
@needs("admin")
async def remove_member(shelf: str, member: str, who: Who) -> None:
    """Take a member off a shelf: from now on nothing on it is found, opened or gone on with by that owner."""
    await who.dure.knowledge.shelves.remove(shelf, member)


@router.delete("/shelves/{shelf}", status_code=204, response_class=Response)
@needs("admin")
async def delete_shelf(shelf: str, who: Who) -> None:
    """Delete a shelf and all documents on it."""
    await who.dure.knowledge.shelves.delete(shelf)


@router.get("/documents/{document_id}/nearest")
async def nearest(document_id: str, who: Who, k: Annotated[int, Query(ge=1, le=20)] = 5) -> Response:
    """The `k` documents nearest to this one in what they say, nearest first, each with its nearest passage."""
    found = await who.dure.knowledge.nearest_documents(who.owner, document_id, k)
    told = [{**document.as_dict(who.language or "ko"), "passage": passage.as_dict()} for document, passage in found]
    return Json({"documents": told})


@router.get("/search")
async def search(
    who: Who,
    q: Annotated[str, Query(max_length=2000, json_schema_extra={"pattern": r"\S"})],
    k: Annotated[int, Query(ge=1, le=50)] = 6,
    shelf: Shelf | None = None,
    kind: Annotated[str | None, Query(max_length=20)] = None,
    folder: Annotated[str | None, Query(max_length=200)] = None,
    since: date | None = None,
    until: date | None = None,
    tag: Annotated[str | None, Query(max_length=200)] = None,
    author: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """The `k` passages that say most about `q`, best first, and how strong the evidence is (0 to 1); only of documents
    of that shelf, kind and tag, out of that folder, added from the day `since` to the day `until`, of an author whose
    name has `author` in it."""
    if not q.strip():
        raise InvalidInput(reason=phrase("api_documents.query"))
    found = await who.dure.knowledge.search(who.owner, [q], k, Only(shelf, kind, folder, since, until, tag, author))
    return Json({"query": q, **found.as_dict()})
