"""The library of papers: records in, papers out."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar, Unpack

from dure.data.questions.linking import places
from dure.errors import DureError, InvalidInput, NotFound, TooLarge, UnsupportedFile
from dure.knowledge.base import Knowledge
from dure.knowledge.document import Document
from dure.packs.papers import TEXTS, keys
from dure.packs.papers.formats.pdf import front, of_front
from dure.packs.papers.library import lookup, store
from dure.packs.papers.library.conditions import PaperFilters, filters_of
from dure.packs.papers.library.resolve import named, resolve
from dure.packs.papers.library.starter import load_papers
from dure.packs.papers.record import Added, FoundPaper, Paper, PaperRecord, PaperText, Problem, batch, normal
from dure.packs.papers.storage import marks, papers
from dure.packs.papers.storage.library import check_owner, shelf, shelves
from dure.runs.ask import check_length
from dure.sources import Passage
from dure.storage.database import Database
from dure.storage.only import Only

T = TypeVar("T")
Papers_ = list[Paper]

_BATCH = 200
"""Records stored at once: other writers wait so long."""
_POOL = 20
"""Passages that either way of searching brings in at first."""
_WIDE = {"year_from", "year_to", "field", "full_text"}
"""Filters that let enough of what is found pass; of others it is worth listing all that fits first."""
_ALL = 1000
_MOST = 1000
"""Papers of one list."""
_NAME, _CALLED = 4, 80
"""Characters that what a document is called has at least, and what a paper is called in a message at most."""


class SharedPaper(InvalidInput, code="shared_paper", status=403, texts=TEXTS):
    """One of everybody's papers was to be removed."""


class Papers:
    """Papers of all owners. Every method sees the papers of the `owner` it is given, and everybody's.

    Everybody's are those that Dure ships; they are loaded at the first use.
    """

    def __init__(self, database: Database, knowledge: Knowledge) -> None:
        self._database = database
        self._knowledge = knowledge
        self._ready = False
        self._turn = asyncio.Lock()
        self._front = front()

    async def ready(self) -> None:
        """Load everybody's where that was not done yet."""
        if not self._ready:
            async with self._turn:
                if not self._ready and await load_papers(self._database):
                    self._knowledge.embed()
                self._ready = True

    async def read(self, query: Callable[..., T], *args: Any) -> T:
        """What a query of the library's finds: `query(connection, *args)`, everybody's papers being there."""
        await self.ready()
        return await self._database.read(query, *args)

    async def any_read(self, owner: str) -> bool:
        """Whether an owner has papers with full texts."""
        return await self._database.read(papers.any_read, owner)

    async def add(
        self,
        owner: str,
        records: Iterable[PaperRecord | Problem],
        source: str,
        counts: Added | None = None,
        files: Path | None = None,
    ) -> Added:
        """Store records, of which an iterator may tell problems too; it is read in threads, as far as needed.

        A paper that is here already (by DOI, arXiv id, ACL id, or title and year) is completed by what it lacks.
        source: where they come from, at most 16 characters. counts: what is counted on as batches are stored, and
        given back. files: a folder; the PDFs in it that records name are taken in.
        """
        check_owner(owner)
        await self.ready()
        counts = counts or Added()
        iterator = iter(records)
        while taken := await asyncio.to_thread(batch, iterator, _BATCH):
            usable = [each for each in taken if isinstance(each, PaperRecord)]
            if usable:
                stored = await self._database.write(store.store, owner, usable, source[:16])
                counts.count(became for became, _ in stored)
                if files is not None:
                    for record in usable:
                        await self._take_in(owner, record, files, counts)
                self._knowledge.embed()
            for each in taken:
                if isinstance(each, Problem):
                    counts.fail(each)
        return counts

    async def list(
        self,
        owner: str,
        *,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        **filters: Unpack[PaperFilters],
    ) -> Papers_:
        """Papers that fit all that is given, newest first. `query`: words of title, authors' names or venue."""
        wanted = await self.read(filters_of, owner, query, filters)
        return await self._database.read(lookup.listed, owner, wanted, max(0, min(limit, _MOST)), max(0, offset))

    async def all(self, owner: str, **filters: Unpack[PaperFilters]) -> Papers_:
        """All papers that fit, newest first."""
        found: Papers_ = []
        while page := await self.list(owner, limit=_MOST, offset=len(found), **filters):
            found += page
        return found

    async def get(self, owner: str, id: str) -> Paper:
        """Raises NotFound."""
        return await self.read(lookup.one, owner, id)

    async def mark(
        self, owner: str, id: str, kind: Literal["tag", "collection"], add: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> Paper:
        """Add and drop tags or collections of a paper; they are the owner's, also on a paper of everybody's. Raises
        NotFound, and InvalidInput for one of more than 200 characters."""
        for each in (*add, *drop):
            check_length(kind, each, 0, marks.NAME)
        await self._mark(owner, id, kind, drop, **{f"{kind}s": [*add]})
        return await self.get(owner, id)

    async def _mark(self, owner: str, id: str, kind: str, drop: Sequence[str] = (), **add: Any) -> int:
        await self.ready()
        return await self._database.write(lookup.mark, owner, id, kind, drop, PaperRecord(title="", **add))

    async def note(self, owner: str, id: str, text: str) -> str:
        """Put a note on a paper; its id. Raises NotFound, and InvalidInput for one that is blank or of more than 20,000
        characters."""
        check_length("note", text, 0, marks.NOTE)
        if not text.strip():
            raise InvalidInput(reason=TEXTS.phrase("library.note"))
        key = uuid.uuid4().hex
        await self._mark(owner, id, "note", notes=[(key, text)])
        return key

    async def remove_note(self, owner: str, id: str, note: str) -> None:
        """Raises NotFound."""
        if not await self._mark(owner, id, "note", [note]):
            raise NotFound(what="note", id=note)

    async def marks(self, owner: str) -> dict[str, dict[str, int]]:
        """The owner's `tags` and `collections`, each with how many papers have it."""
        return {f"{kind}s": await self._database.read(marks.names, owner, kind) for kind in ("tag", "collection")}

    async def remove(self, owner: str, id: str) -> None:
        """Remove one of the owner's own papers with all that hangs on it. Raises NotFound, and SharedPaper for one of
        everybody's."""
        paper = await self.get(owner, id)
        if paper.shared:
            raise SharedPaper(title=paper.title)
        await self._database.write(store.remove, owner, id)
        if paper.full_text_id is not None:
            with suppress(NotFound):
                await self._knowledge.delete(shelf(owner), paper.full_text_id)

    async def attach(self, owner: str, name: str, data: bytes) -> Paper:
        """Take a paper's PDF in: it goes to the paper that it is of, by its DOI, arXiv id or title, or makes a new one.

        Its text is read and embedded in the background (`status`). `name`: the file's. Raises UnsupportedFile, TooLarge
        and, for a PDF that cannot be opened, DocumentUnreadable.
        """
        with TemporaryDirectory(prefix="dure-") as folder:
            path = Path(folder, "paper.pdf")
            await asyncio.to_thread(path.write_bytes, data)
            (id,) = (await self.import_file(owner, path, name=name, format="pdf")).attached
        return await self.get(owner, id)

    async def _take_in(self, owner: str, record: PaperRecord, folder: Path, counts: Added) -> None:
        """Attach the PDFs that a record names inside of a folder; what cannot be is told of."""
        for name in record.files:
            try:
                path = await asyncio.to_thread(_inside, folder, name)
                await self._attach(owner, path, path.name, counts, record)
            except (OSError, DureError):
                counts.fail(Problem(name, TEXTS.phrase("library.file")))

    async def _attach(self, owner: str, path: Path, name: str, counts: Added, record: PaperRecord | None = None) -> str:
        """As `attach`; what has become of the paper. record: what is known of it besides the file."""
        check_owner(owner)
        await self.ready()
        size = (await asyncio.to_thread(path.stat)).st_size
        if size > self._knowledge.max_bytes:
            raise TooLarge(name=name, size=size, limit=self._knowledge.max_bytes)
        data = await asyncio.to_thread(path.read_bytes)
        if record is None:
            if b"%PDF-" not in data[:1024]:
                raise UnsupportedFile(name=name, known="PDF")
            record = normal(of_front(name, await self._front.ask(path=str(path))))
        assert record is not None
        became, number = (await self._database.write(partial(store.store, own=True), owner, [record], "pdf"))[0]
        row = (await self._database.read(papers.by_numbers, owner, [number]))[number]
        # One name for each paper, also when its title changes: a newer file replaces the older.
        label = f"{keys.one_line(row['title'])[:80].replace('/', ' ')} [{row['id'][:8]}].pdf"
        if row["full_text_id"] is not None:
            label = (await self._knowledge.get(shelf(owner), row["full_text_id"])).name
        document = await self._knowledge.add(shelf(owner), label, data)
        await self._database.write(store.set_full_text, owner, number, document.id)
        self._knowledge.embed()
        counts.attached.append(row["id"])
        return became

    async def import_file(
        self,
        owner: str,
        path: Path,
        *,
        name: str | None = None,
        format: str | None = None,
        counts: Added | None = None,
        files: bool = False,
    ) -> Added:
        """Import a file of records, read as it comes, or a PDF.

        name: what the file is called, where `path` does not say. format: one of `formats.NAMES`; None: told by its
        content. files: whether PDFs beside the file that it names are taken in too. Raises UnsupportedFile, TooLarge,
        DocumentUnreadable (of a PDF), InvalidInput (unknown format).
        """
        from dure.packs.papers.formats.kinds import NAMES, format_of, records

        name = name or path.name
        if format is not None and format not in NAMES:
            raise InvalidInput(reason=TEXTS.phrase("library.format", format=format, known=", ".join(NAMES)))
        kind = format if format is not None else await asyncio.to_thread(format_of, path, name)
        if kind != "pdf":
            return await self.add(owner, records(path, name, kind), kind, counts, path.parent if files else None)
        counts = counts or Added()
        became = await self._attach(owner, path, name, counts)
        counts.count(["added" if became == "added" else "completed"])
        return counts

    async def import_arxiv(
        self, owner: str, ids: Sequence[str] = (), *, query: str = "", limit: int = 100, counts: Added | None = None
    ) -> Added:
        """Import papers from arXiv's API by their ids, or by a query of its syntax (at most `limit`), at the rate that
        arXiv asks for. Raises InvalidInput for what is no id, ArxivUnavailable."""
        from dure.packs.papers.formats.arxiv import API, fetch

        pages = fetch(ids, query=query, limit=limit, url=API)
        return await self._add_pages(owner, pages, "arxiv", counts)

    async def import_zotero(self, owner: str, url: str | None = None, counts: Added | None = None) -> Added:
        """Import the library of a Zotero that runs on this machine, with tags, collections, notes and PDFs. What was
        imported before is renewed. url: of its local API. Raises ZoteroUnavailable."""
        from dure.packs.papers.formats.zotero import API, fetch

        return await self._add_pages(owner, fetch(url or API), "zotero", counts, Path("/"))

    async def _add_pages(
        self,
        owner: str,
        pages: AsyncIterator[Iterable[PaperRecord | Problem]],
        source: str,
        counts: Added | None,
        files: Path | None = None,
    ) -> Added:
        counts = counts or Added()
        async for page in pages:
            await self.add(owner, page, source, counts, files)
        return counts

    async def wait(self, owner: str, ids: Sequence[str]) -> Sequence[Document]:
        """Until the full texts of the papers `ids` are ready or failed; the documents."""
        found = [await self.get(owner, id) for id in ids]
        texts = [each.full_text_id for each in found if each.full_text_id is not None]
        return await self._knowledge.wait(shelf(owner), texts)

    async def close(self) -> None:
        """End the process that looks into PDFs."""
        await self._front.close()

    async def search(
        self,
        owner: str,
        queries: Sequence[str],
        k: int = 5,
        **given: Unpack[PaperFilters],
    ) -> Sequence[FoundPaper]:
        """The `k` papers that say most about one to a few phrasings of a question, and fit all filters that are given.

        Without a question, what fits the filters, most cited first; without either, nothing.
        """
        filters = await self.read(filters_of, owner, None, given)
        asked = [query for query in queries if query.strip()]
        if not asked:
            return await self._database.read(lookup.fitting, owner, filters, min(k, _MOST)) if filters and k > 0 else []
        look = partial(self._knowledge.searcher.search, shelves(owner), asked, _ALL)
        if filters and filters.keys() <= _WIDE:
            found = await look(keep=partial(papers.fitting, owner=owner, filters=filters), pool=2 * _POOL)
            grouped = await self._database.read(lookup.grouped, owner, found, k)
            if len(grouped) >= k:
                return grouped
        within = await self._database.read(papers.passages_within, owner, filters) if filters else None
        pool = _POOL
        while True:
            found = await look(within=within, pool=pool)
            grouped = await self._database.read(lookup.grouped, owner, found, k)
            # Where full texts crowd each other out, a wider look finds more papers.
            if len(grouped) >= k or len(found.passages) < pool or pool >= _ALL:
                return grouped
            pool *= 5

    async def resolve(self, owner: str, text: str) -> Papers_:
        """The papers that `text` names exactly, by title, short name, arXiv id, DOI or ACL id, longest name first.

        Korean particles may follow a name ("BERT를 요약해줘"). Nothing is guessed: mostly the list is empty.
        """
        return await self.read(resolve, owner, text)

    async def meant(self, owner: str, name: str) -> Papers_:
        """The paper of an id, else those of a name: as `resolve`, by first author and year, by a title's beginning."""
        try:
            return [await self.get(owner, name)]
        except NotFound:
            return await self.read(named, owner, name)

    async def under_documents(self, owner: str, text: str) -> Sequence[str]:
        """The names of PDFs among the owner's documents, none of them a full text here, whose title, file name or first
        line `text` holds, or holds it where it is short."""
        searched = (await self._knowledge.search(owner, [text], _POOL, Only(kind="pdf"))).passages if text else []
        first = {each.document_id: each.text.strip().partition("\n")[0] for each in searched if not each.start}

        def fits(document: Document) -> bool:
            names = PurePath(document.name).stem, document.title, first.get(document.id, "")
            held = any(len(name) >= _NAME and any(places(name, text)) for name in names)
            return held or (_NAME <= len(text) <= _CALLED and any(places(text, "\n".join(names))))

        found = [each for each in await self._knowledge.list(owner) if each.kind == "pdf" and fits(each)]
        held = {each.sha256 for each in await self._knowledge.list(shelf(owner))} if found else set[str]()
        return list(dict.fromkeys(each.name for each in found if each.sha256 not in held))

    async def near(self, owner: str, text: str, k: int) -> Papers_:
        """Up to `k` papers that `text` may mean without naming them: half of them by authors whose names stand in it,
        then those that say most about it, the owner's own first among these."""
        found = await self.read(lookup.by_authors, owner, text, k // 2)
        searched = [each.paper for each in await self.search(owner, [text], k)]
        every = {paper.id: paper for paper in [*found, *sorted(searched, key=lambda paper: paper.shared)]}
        return list(every.values())[:k]

    async def within(self, owner: str, id: str, question: str, k: int) -> tuple[Sequence[Passage], str, bool]:
        """The passages of a paper that are nearest to a question, best first; the text they are of, and whether that is
        the full text or only the card. Raises NotFound."""
        from dure.packs.papers.library.inside import by_sentences, without_names

        paper, ids, whole, full = await self.read(lookup.passages, owner, id)
        asked = without_names(question, [paper.title, *paper.aliases])
        found = await self._knowledge.searcher.search(shelves(owner), [asked], 2 * k, within=ids)
        best = await by_sentences(asked, found.passages, self._knowledge.embedder)
        return [replace(each, title=paper.title, url=paper.link) for each in best[:k]], whole, full

    async def text(self, owner: str, id: str) -> PaperText:
        """What can be read of a paper: its full text by sections where it is there, else its card. Raises NotFound."""
        return await self.read(lookup.text, owner, id)


def _inside(folder: Path, name: str) -> Path:
    """A file inside of a folder. Raises OSError for one outside of it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise OSError
    return path
