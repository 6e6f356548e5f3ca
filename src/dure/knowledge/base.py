"""The knowledge base: documents in, passages out."""

import asyncio
import hashlib
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

from dure.errors import Forbidden, Language, NotFound, TooLarge, UnsupportedFile, existing
from dure.knowledge.amendments import amendments
from dure.knowledge.document import Document, error_dict, of_row, tags_of
from dure.knowledge.files import clean_name
from dure.knowledge.indexing import Indexer
from dure.knowledge.parse import KINDS, Box, Unreadable, kind_named, kind_of
from dure.knowledge.parse.reader import MAX_WIDTH, Pictures
from dure.knowledge.rest import beside, notes, with_rest
from dure.knowledge.search import Found, Scope, Searcher, passage_of
from dure.knowledge.shelves import Shelves
from dure.sources import Citation, Passage
from dure.storage import documents, ingest, shelves
from dure.storage.database import Database
from dure.storage.files import Files
from dure.storage.only import Only, begun_in, passages_within, tag_lines

if TYPE_CHECKING:
    from dure.models import Embedder

Passages = list[Passage]
Documents = list[Document]
Near = list[tuple[Document, Passage]]
T = TypeVar("T")

_ALL = Only()
_MOST = 8
"""Passages that are looked at for each near document that is wanted."""
_ORPHAN = 3600.0
"""Seconds after which a file that belongs to no document is removed."""


class Knowledge:
    """Documents of all owners. Every method sees only the rows of the `owner` it is given and of the shelves that the
    owner is a member of; what opens one document also what packs let the owner read (`share`).

    `files` holds the originals under names made here. `embedder` None keeps search lexical. `max_bytes`
    is the largest file accepted. Not usable before `start()`.
    """

    def __init__(self, database: Database, files: Files, embedder: "Embedder | None", *, max_bytes: int) -> None:
        self._database = database
        self._files = files
        self.max_bytes = max_bytes
        """The largest file accepted."""
        self.embedder = embedder
        """None: search is lexical."""
        self._indexer = Indexer(database, files, embedder)
        self.searcher = Searcher(database, embedder)
        """Searches the shelves of several owners at once."""
        self._pictures = Pictures()
        self.shelves = Shelves(database, files)
        self._shared: list[Callable[[str], Sequence[str]]] = []

    def share(self, readable: Callable[[str], Sequence[str]]) -> None:
        """Let owners open documents that are stored as of others: `readable` says as of which."""
        self._shared.append(readable)

    async def start(self, *, index: bool = True) -> None:
        """Begin; with `index` what is queued or not yet embedded is read and embedded in the background."""
        known = await self._database.read(documents.files)
        for name, kept in (await self._files.names()).items():
            # Left by a crash between writing a file and its row, or between deleting both.
            if name not in known and time.time() - kept > _ORPHAN:
                await self._files.delete(name)
        if index:
            await self._indexer.start()

    async def close(self) -> None:
        """Stop indexing; it resumes at the next `start()`."""
        await self._pictures.close()
        await self._indexer.close()

    async def add(
        self, owner: str, name: str, data: bytes, shelf: str = shelves.PERSONAL, tags: Sequence[str] | None = None
    ) -> Document:
        """Take a file in; returns at once, mostly as `queued`. `name` is the user's, of any characters. `tags`: of any
        words; None: those of the document of that name that is there.

        The same name and content again: the document that is there. The same name, other content: the older document
        is replaced once the new one is ready. A file that is empty, damaged or encrypted becomes a `failed` document.
        Raises TooLarge, UnsupportedFile, InvalidInput for an unusable name or tags, NotFound and Forbidden for a shelf
        that the owner may not read or change.
        """
        holder = await self._database.read(_editable, owner, shelf)
        name = clean_name(name)
        wanted = None if tags is None else tags_of(tags)
        if len(data) > self.max_bytes:
            raise TooLarge(name=name, size=len(data), limit=self.max_bytes)
        error = None
        try:
            kind = await asyncio.to_thread(kind_of, name, data)
        except Unreadable as unreadable:
            kind, error = kind_named(name) or "text", error_dict(unreadable)
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        there = await self._database.read(documents.newest, holder, name)
        if there is not None and there["sha256"] == digest:
            if there["status"] == "failed":
                # Perhaps it took too long, or its file was lost: another try.
                await self._files.put(there["file"], data)
                await self._database.write(_change, owner, there["id"], documents.requeue, error)
                self._indexer.queued.set()
            if wanted is not None:
                await self._database.write(_change, owner, there["id"], documents.tag, wanted)
            return await self.get(owner, there["id"])
        id = uuid.uuid4().hex
        file = id + (KINDS[kind].extensions[0] if error is None else ".bin")
        await self._files.put(file, data)
        row = await self._database.write(
            _add,
            owner,
            shelf,
            id=id,
            name=name,
            title=PurePath(name).stem or name,
            kind=kind,
            tags=there["tags"] if wanted is None and there is not None else tag_lines(wanted or []),
            sha256=digest,
            size=len(data),
            file=file,
            status="failed" if error else "queued",
            error=error,
        )
        self._indexer.queued.set()
        return of_row(row)

    def embed(self) -> None:
        """Passages were stored that have no vectors: embed them soon."""
        self._indexer.split.set()

    async def wait(
        self,
        owner: str,
        ids: Sequence[str],
        *,
        embedded: bool = False,
        progress: Callable[[Documents], None] | None = None,
    ) -> Documents:
        """Until all of `ids` are ready or failed (`embedded`: and have all their vectors, where there is an embedder).
        What this process reads counts once it is found by meaning, too: who waits may end it, and nobody else makes the
        quicker model's vectors.

        `progress` is called with the documents at every change. Documents deleted meanwhile are left out.
        """
        before: Documents | None = None
        while True:
            found = await self.list(owner, list(ids))
            if progress is not None and found != before:
                progress(found)
            before = found
            waits = embedded and self.embedder is not None
            ready = [d for d in found if d.status == "ready" and not (waits and d.embedded < d.passages)]
            done = len(ready) + sum(d.status == "failed" for d in found)
            if done == len(found) and self._indexer.reading.keys().isdisjoint(ids):
                return found
            await self._indexer.changed()

    async def list(self, owner: str, ids: Sequence[str] | None = None) -> Documents:
        """All documents, or those of `ids`, in the order they were added."""

        def found(connection: sa.Connection) -> list[documents.Row]:
            return documents.listing(connection, shelves.readable(connection, owner), ids)

        return [of_row(row) for row in await self._database.read(found)]

    async def get(self, owner: str, id: str) -> Document:
        """Raises NotFound."""
        return of_row(await self._look(owner, id, lambda connection, row: row))

    async def reindex(self, owner: str, ids: Sequence[str] | None = None) -> Documents:
        """Read documents anew from their files, all or those of `ids`; what they had can be found until that is done.
        Returns those that will be read. Goes on after a restart. Raises NotFound, and Forbidden for one of `ids` on a
        shelf that the owner may only read."""
        asked = []
        for each in await self.list(owner) if ids is None else [await self.get(owner, id) for id in ids]:
            try:
                if await self._database.write(_change, owner, each.id, documents.requeue):
                    asked.append(each.id)
            except Forbidden:
                if ids is not None:
                    raise
        self._indexer.queued.set()
        return [await self.get(owner, id) for id in asked]

    async def tag(self, owner: str, id: str, tags: Sequence[str]) -> Document:
        """Give a document these tags in place of those it has. Raises InvalidInput for unusable ones, NotFound, and
        Forbidden on a shelf that the owner may only read."""
        await self._database.write(_change, owner, id, documents.tag, tags_of(tags))
        return await self.get(owner, id)

    async def delete(self, owner: str, id: str) -> None:
        """Delete a document, its passages and its file. Raises NotFound, and Forbidden on a shelf that the owner may
        only read."""
        file = await self._database.write(_change, owner, id, documents.delete)
        if file:
            await self._files.delete(file)

    async def passages(self, owner: str, id: str) -> Passages:
        """The passages of a document, in order. Raises NotFound."""
        rows = await self._look(owner, id, lambda c, row: documents.passages_of(c, row["owner"], id))
        return [passage_of(row) for row in rows]

    async def text(self, owner: str, id: str) -> str:
        """The whole text that spans refer to; "" while there is none. Raises NotFound."""
        return await self._look(owner, id, lambda c, row: documents.slice_of(c, row["owner"], id)) or ""

    async def slice(self, owner: str, id: str, start: int, end: int) -> dict[str, Any]:
        """Characters `start` to `end` of the text, as far as there are any: `{document_id, kind, title, chars, start,
        end, text, pages}`, `chars` of the whole text, of each page it touches its number and span. Raises NotFound."""

        def found(connection: sa.Connection, row: documents.Row) -> tuple[documents.Row, str | None, list[Any]]:
            text = documents.slice_of(connection, row["owner"], id, start, max(start, end))
            return row, text, documents.pages_of(connection, row["owner"], id)

        row, text, begins = await self._look(owner, id, found)
        piece = _piece(row["title"], row["chars"], text or "", begins, start, end)
        return {"document_id": id, "kind": row["kind"], **piece}

    async def preview(self, path: Path, name: str, start: int, end: int) -> dict[str, Any]:
        """Of a file that is no document, read for this once, as `slice`, without `document_id`, and in `count` how many
        pages there are, in `headings` level and first character of those that the file has as such. Raises
        UnsupportedFile, DocumentUnreadable."""
        kind = kind_of(name, await asyncio.to_thread(path.read_bytes))
        answer = await self._pictures.ask(path=str(path), kind=kind)
        begins = [(number, begin) for number, begin in answer["pages"]]
        text, chars = answer["text"][start : max(start, end)], len(answer["text"])
        count = max((number or 0 for number, _ in begins), default=0)
        headings = [(level, at) for level, at in answer["styled"] if start <= at < start + len(text)]
        piece = _piece(answer["title"] or name, chars, text, begins, start, end)
        return {"kind": kind, "count": count, "headings": headings, **piece}

    async def preview_page(self, path: Path, page: int, width: int) -> bytes:
        """A page of a PDF that is no document, as `picture`."""
        return await self._pictures.page(path, "pdf", page, min(width, MAX_WIDTH))

    async def picture(self, owner: str, id: str, page: int, width: int) -> bytes:
        """A page of a PDF or picture, from 1, as a PNG of about `width` pixels. Raises NotFound, UnsupportedFile for
        what is neither, DocumentUnreadable."""
        row = await self._drawable(owner, id, page)
        path = await self._files.local(row["file"])
        return await self._pictures.page(path, row["kind"], page, min(width, MAX_WIDTH))

    async def boxes(self, owner: str, id: str, page: int, start: int, end: int) -> Sequence[Box]:
        """Where characters `start` to `end` of the text stand on a page of a PDF or picture: left, top, right and
        bottom of each line, in shares of the page; nothing where that is not found. Raises as `picture` does."""
        row = await self._drawable(owner, id, page)
        touched = (await self.slice(owner, id, start, end))["pages"] or [{"page": page, "start": 0, "end": end}]
        here = next((each for each in touched if each["page"] == page), None)
        if here is None:
            return []
        text = (await self.slice(owner, id, here["start"], min(end, here["end"])))["text"]
        asked = {"kind": row["kind"], "page": page, "text": text, "start": max(0, start - here["start"])}
        path = await self._files.local(row["file"])
        found: Sequence[Box] = (await self._pictures.ask(path=str(path), **asked))["boxes"]
        return found

    async def _drawable(self, owner: str, id: str, page: int) -> documents.Row:
        row = await self._look(owner, id, lambda connection, row: row)
        if row["kind"] not in ("pdf", "picture"):
            raise UnsupportedFile(name=row["name"], known="PDF, PNG, JPEG, TIFF")
        if row["pages"] is not None and page > row["pages"]:
            raise NotFound(what="page", id=str(page), pages=row["pages"])
        return row

    async def original(self, owner: str, id: str) -> Path:
        """The file as it was uploaded. Raises NotFound, also for a paper's card, which has none."""
        file = await self._look(owner, id, lambda connection, row: str(row["file"]))
        if not file:
            raise NotFound(what="file", id=id)
        return await self._files.local(file)

    async def search(self, owner: str, queries: Sequence[str], k: int = 6, only: Only = _ALL) -> Found:
        """The `k` best passages for one to a few phrasings of a question, or for several questions, in the documents
        that `only` tells, each followed by its notes (`notes`) and what later versions of its document say of the same
        rule (`amendments`) and with the few rows that are left of a table where it ends (`with_rest`); at the end what
        belongs beside them (`beside`). Raises NotFound for a shelf."""

        def followed(connection: sa.Connection, owners: Sequence[str], found: Found) -> Found:
            others = beside(connection, owners, found.passages, queries)
            known = [*found.passages, *(each for its in others.values() for each in its)]
            behind, closing = amendments(connection, owners, known)
            for id, noted in notes(connection, owners, found.passages).items():
                behind[id] = [*noted, *behind.get(id, ())]
            for id, its in others.items():
                changed = [change for each in its for change in behind.get(each.id, ())]
                closing[id] = [*closing.get(id, ()), *its, *changed]
            found = found.followed(behind, closing, k) if behind or closing else found
            return replace(found, passages=with_rest(connection, owners, found.passages))

        return await self.searcher.search(_scope(owner, only), queries, k, then=followed)

    async def unembedded(self, owner: str) -> int:
        """How many documents that the owner searches have no vectors of their own yet: what they say is found by its
        words, or by a quicker model's vectors. 0 where there is no embedder."""
        if self.embedder is None:
            return 0
        return await self._database.read(lambda c: ingest.unembedded(c, shelves.readable(c, owner)))

    async def languages(self, owner: str) -> set[Language]:
        """The languages that the documents which the owner searches begin in; of many, the newest."""
        return await self._database.read(lambda c: begun_in(c, shelves.readable(c, owner)))

    async def nearest_documents(self, owner: str, id: str, k: int = 5) -> Near:
        """The `k` documents nearest to one of the owner's in what they say, nearest first, each with its passage that
        is nearest. What the one says is taken from its title and from passages spread over it. Raises NotFound."""
        row, own = await self._look(owner, id, lambda connection, row: row), await self.passages(owner, id)
        spread = [passage.text for passage in own[:: max(1, -(-len(own) // 4))]]

        def others(connection: sa.Connection, found: Sequence[int]) -> set[int]:
            return {*found} - {row["number"]}

        asked = [row["title"], *spread]
        found = await self.searcher.search(_scope(owner, _ALL), asked, _MOST * k, keep=others)
        nearest: dict[str, Passage] = {}
        for passage in found.passages:
            nearest.setdefault(passage.document_id, passage)
        there = {each.id: each for each in await self.list(owner, list(nearest))}
        return [(there[each], passage) for each, passage in nearest.items() if each in there][:k]

    async def check(self, owner: str, citation: Citation) -> bool:
        """Whether the citation's quote stands at its span of its document, which the owner may read."""

        def quoted(connection: sa.Connection, row: documents.Row) -> str | None:
            return documents.slice_of(connection, row["owner"], row["id"], citation.start, citation.end)

        try:
            return await self._look(owner, citation.document_id, quoted) == citation.quote
        except NotFound:
            return False

    async def _look(self, owner: str, id: str, look: Callable[[sa.Connection, documents.Row], T]) -> T:
        """What `look` finds of a document, in the transaction that has found that the owner may read it. Raises
        NotFound."""

        def found(connection: sa.Connection) -> T:
            others = [each for shared in self._shared for each in shared(owner)]
            row = documents.find(connection, shelves.readable(connection, owner) + others, id)
            return look(connection, existing(row, "document", id))

        return await self._database.read(found)


def _scope(owner: str, only: Only) -> Scope:
    def scope(connection: sa.Connection) -> tuple[Sequence[str], Sequence[int] | None]:
        shelf = only.shelf
        owners = [shelves.holder_of(connection, owner, shelf)] if shelf else shelves.readable(connection, owner)
        return owners, passages_within(connection, owners, only)

    return scope


def _piece(title: str, chars: int, text: str, begins: Sequence[Any], start: int, end: int) -> dict[str, Any]:
    """`text`, what stands from `start` to `end` of `chars` characters, with the pages that it touches; `begins`: number
    and first character of each page."""
    start = min(start, chars)
    end = min(max(start, end), chars)
    # A document that was not read yet has no pages.
    ends = [begin for _, begin in begins[1:]] + [chars] if begins else []
    pages = [
        {"page": number, "start": begin, "end": stop}
        for (number, begin), stop in zip(begins, ends, strict=True)
        if number is not None and begin < end and stop > start
    ]
    return {"title": title, "chars": chars, "pages": pages, "start": start, "end": start + len(text), "text": text}


def _editable(connection: sa.Connection, owner: str, shelf: str) -> str:
    """As whose documents the owner may store those of a shelf. Raises NotFound, Forbidden."""
    holder = shelves.holder_of(connection, owner, shelf)
    shelves.check_editor(connection, owner, holder)
    return holder


def _add(connection: sa.Connection, owner: str, shelf: str, /, **columns: Any) -> documents.Row:
    return documents.add(connection, _editable(connection, owner, shelf), **columns)


def _change(connection: sa.Connection, owner: str, id: str, change: Callable[..., T], *args: Any) -> T:
    """What `change` makes of a document that the owner may change. Raises NotFound, Forbidden."""
    row = existing(documents.find(connection, shelves.readable(connection, owner), id), "document", id)
    shelves.check_editor(connection, owner, row["owner"])
    return change(connection, row["owner"], id, *args)
