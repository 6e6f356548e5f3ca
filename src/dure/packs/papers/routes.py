"""`/v1/papers` and `/v1/glossary`: the library."""

import asyncio
import tempfile
from pathlib import Path
from shutil import copyfileobj
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.datastructures import UploadFile

from dure.api.auth import Who
from dure.api.bodies import Body, described, read_json
from dure.api.replies import Json
from dure.api.uploads import files, receive
from dure.errors import DureError
from dure.packs.papers.library.glossary import Term
from dure.packs.papers.opened import glossary_of, papers_of
from dure.packs.papers.record import Added

router = APIRouter(prefix="/v1", tags=["papers"])

_BODY = 200_000

_REFERENCES: dict[str, Any] = {"application/x-bibtex": {}, "application/vnd.citationstyles.csl+json": {}}
Text = Annotated[str, Field(max_length=4000)]
Short = Annotated[str, Field(max_length=200)]
Filter = Annotated[str | None, Query(max_length=300)]
Year = Annotated[int | None, Query(ge=1000, le=2200)]


@router.get("/papers")
async def list_papers(
    who: Who,
    q: Annotated[str | None, Query(max_length=2000)] = None,
    year_from: Year = None,
    year_to: Year = None,
    author: Filter = None,
    venue: Filter = None,
    field: Filter = None,
    tag: Filter = None,
    collection: Filter = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """Papers that fit all filters, newest first. With `q`: those that say most about it, best first, each with its
    `passages` and `score`, and how strong the `evidence` is (0 to 1); at most 50, without `offset`."""
    filters: dict[str, Any] = {"year_from": year_from, "year_to": year_to, "author": author, "venue": venue}
    filters |= {"field": field, "tag": tag, "collection": collection}
    if q is None or not q.strip():
        found = await papers_of(who.dure).list(who.owner, limit=limit, offset=offset, **filters)
        return Json({"papers": [paper.as_dict() for paper in found]})
    best = await papers_of(who.dure).search(who.owner, [q], min(limit, 50), **filters)
    papers = [
        {**each.paper.as_dict(), "score": each.score, "passages": [p.as_dict() for p in each.passages]} for each in best
    ]
    return Json({"papers": papers, "evidence": best[0].evidence if best else 0.0})


@router.get("/papers/marks")
async def list_marks(who: Who) -> Response:
    """One's own `tags` and `collections`, each with how many papers have it."""
    return Json(await papers_of(who.dure).marks(who.owner))


class MarksBody(Body):
    """`PATCH /v1/papers/{paper_id}`."""

    tags: Annotated[list[Short], Field(max_length=200)] | None = None
    collections: Annotated[list[Short], Field(max_length=200)] | None = None


@router.patch("/papers/{paper_id}", openapi_extra=described(MarksBody))
async def mark_paper(paper_id: str, request: Request, who: Who) -> Response:
    """Give a paper the tags and collections of one's own that are told, in place of those it has; the paper."""
    body, papers = await read_json(request, MarksBody, _BODY), papers_of(who.dure)
    paper = await papers.get(who.owner, paper_id)
    if body.tags is not None:
        paper = await papers.mark(who.owner, paper_id, "tag", add=body.tags, drop=paper.tags)
    if body.collections is not None:
        paper = await papers.mark(who.owner, paper_id, "collection", add=body.collections, drop=paper.collections)
    return Json(paper.as_dict())


class NoteBody(Body):
    """`POST /v1/papers/{paper_id}/notes`."""

    text: Annotated[str, Field(max_length=20_000)]


@router.post("/papers/{paper_id}/notes", status_code=201, openapi_extra=described(NoteBody))
async def add_note(paper_id: str, request: Request, who: Who) -> Response:
    """Put a note of one's own on a paper: `{id, text}`."""
    body = await read_json(request, NoteBody, _BODY)
    id = await papers_of(who.dure).note(who.owner, paper_id, body.text)
    return Json({"id": id, "text": body.text.strip()}, status_code=201)


@router.delete("/papers/{paper_id}/notes/{note_id}", status_code=204, response_class=Response)
async def delete_note(paper_id: str, note_id: str, who: Who) -> None:
    """Remove a note of one's own."""
    await papers_of(who.dure).remove_note(who.owner, paper_id, note_id)


@router.get("/papers/export", response_class=Response, responses={200: {"content": _REFERENCES}})
async def export_papers(
    who: Who,
    format: Literal["bibtex", "csl"] = "bibtex",
    id: Annotated[list[str] | None, Query(max_length=1000)] = None,
    tag: Filter = None,
    collection: Filter = None,
) -> Response:
    """Papers as a file of references, BibTeX or CSL-JSON: those of the ids, else all that fit the filters."""
    from dure.packs.papers.formats.export import EXPORTS

    papers = papers_of(who.dure)
    chosen = [await papers.get(who.owner, each) for each in id or ()]
    chosen = chosen or await papers.all(who.owner, tag=tag, collection=collection)
    write, suffix, kind = EXPORTS[format]
    name = {"Content-Disposition": f'attachment; filename="papers.{suffix}"'}
    return Response(await asyncio.to_thread(write, chosen), media_type=kind, headers=name)


@router.get("/papers/{paper_id}")
async def get_paper(paper_id: str, who: Who) -> Response:
    """One paper."""
    return Json((await papers_of(who.dure).get(who.owner, paper_id)).as_dict())


@router.post("/papers", openapi_extra=files())
async def import_papers(
    request: Request, who: Who, format: Annotated[str | None, Query(max_length=40)] = None
) -> Response:
    """Import one or more files, each a multipart part `file`: BibTeX, CSL-JSON, Zotero's RDF, arXiv's JSON or Atom, ACL
    Anthology XML, Semantic Scholar's JSON lines (all also gzipped) or PDF. A PDF's text is read in the background.

    Replies how many papers were added, completed, skipped (already there) and failed, with the problems. Of several
    files, one that cannot be read is told of in `failed_files` and does not keep out the others.
    """
    papers, counts, failures = papers_of(who.dure), Added(), list[tuple[str, DureError]]()
    async with receive(request, who.dure.settings.max_upload_bytes) as (uploads, _):
        for each in uploads:
            name = str(each.filename)
            try:
                with tempfile.TemporaryDirectory(prefix="dure-") as folder:
                    path = await asyncio.to_thread(_kept, each, folder)
                    await papers.import_file(who.owner, path, name=name, format=format, counts=counts)
            except DureError as error:
                failures.append((name, error))
        if failures and len(failures) == len(uploads):
            raise failures[0][1]
    language = who.language or "ko"
    reply = counts.as_dict(language)
    if failures:
        reply["failed_files"] = [{"name": name, **error.as_dict(language)} for name, error in failures]
    return Json(reply)


def _kept(upload: UploadFile, folder: str) -> Path:
    """Its bytes as a file; the user's name never reaches the file system."""
    upload.file.seek(0)
    path = Path(folder, "upload")
    with path.open("wb") as target:
        copyfileobj(upload.file, target)
    return path


@router.delete("/papers/{paper_id}", status_code=204, response_class=Response)
async def delete_paper(paper_id: str, who: Who) -> None:
    """Remove a paper of one's own; those that everybody sees stay (403)."""
    await papers_of(who.dure).remove(who.owner, paper_id)


class TermBody(Body):
    """`POST /v1/glossary`."""

    term_ko: Short = ""
    term_en: Short = ""
    aliases: Annotated[list[Short], Field(max_length=30, default_factory=list)]
    field: Annotated[str, Field(max_length=64)] = ""
    easy_ko: Text = ""
    easy_en: Text = ""
    expert_ko: Text = ""
    expert_en: Text = ""


@router.get("/glossary")
async def glossary(who: Who, q: Annotated[str | None, Query(max_length=2000)] = None) -> Response:
    """All terms. With `q`, a term or a question that holds one: the `terms` it names, or those `near` in spelling."""
    if q is None or not q.strip():
        return Json({"terms": [term.as_dict() for term in await glossary_of(who.dure).list(who.owner)]})
    looked = await glossary_of(who.dure).lookup(who.owner, q)
    return Json({"terms": [t.as_dict() for t in looked.terms], "near": [t.as_dict() for t in looked.near]})


@router.post("/glossary", status_code=201, openapi_extra=described(TermBody))
async def add_term(request: Request, who: Who) -> Response:
    """Add a term of one's own: a name and a definition at least."""
    body = await read_json(request, TermBody, _BODY)
    return Json((await glossary_of(who.dure).add(who.owner, Term(**body.model_dump()))).as_dict(), status_code=201)


@router.delete("/glossary/{term_id}", status_code=204, response_class=Response)
async def delete_term(term_id: str, who: Who) -> None:
    """Remove a term of one's own; those that everybody sees stay (403)."""
    await glossary_of(who.dure).remove(who.owner, term_id)
