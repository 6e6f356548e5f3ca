"""The library of papers: records in, papers out."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import sqlalchemy as sa

from dure.errors import InvalidInput, NotFound
from dure.knowledge import Knowledge
from dure.papers import keys, store, venues
from dure.papers.normal import normal
from dure.papers.record import Added, Paper, PaperRecord, Problem
from dure.papers.starter import Starter
from dure.storage import library, papers
from dure.storage.database import Database
from dure.storage.papers import Filters, Row
from dure.storage.shelves import LONGEST_OWNER

Papers_ = list[Paper]

_BATCH = 200
"""Records stored at once: other writers wait so long."""
_MOST = 1000
"""Papers of one list."""


class SharedPaper(InvalidInput):
    """One of everybody's papers was to be removed."""

    code = "shared_paper"
    status = 403
    ko = "'{title}'은(는) 모두가 함께 보는 기본 논문이라 지울 수 없습니다."
    en = "'{title}' is one of the papers that everybody sees; it cannot be removed."


class Papers:
    """Papers of all owners. Every method sees the papers of the `owner` it is given, and everybody's.

    Everybody's are those that Dure ships; they are loaded at the first use.
    """

    def __init__(self, database: Database, knowledge: Knowledge) -> None:
        self._database = database
        self._knowledge = knowledge
        self._starter = Starter(database)

    async def ready(self) -> None:
        """Load the shipped papers where they are missing or of another version. Every method calls it."""
        if await self._starter.ready():
            self._knowledge.embed()

    async def add(
        self,
        owner: str,
        records: Iterable[PaperRecord | Problem],
        source: str,
        progress: Callable[[Added], None] | None = None,
    ) -> Added:
        """Store records, of which an iterator may tell problems too; it is read in threads, as far as needed.

        A paper that is here already (by DOI, arXiv id, ACL id, or title and year) is completed by what it lacks.
        source: where they come from, at most 16 characters. progress: called after each batch.
        """
        _check_owner(owner)
        await self.ready()
        counts = Added()
        iterator = iter(records)
        while batch := await asyncio.to_thread(_next, iterator):
            usable = []
            for each in batch:
                if isinstance(each, Problem):
                    counts.fail(each)
                else:
                    usable.append(each)
            if usable:
                counts.join(await self._database.write(store.store, owner, usable, source[:16]))
                self._knowledge.embed()
            if progress is not None:
                progress(counts)
        return counts

    async def list(
        self,
        owner: str,
        *,
        query: str | None = None,
        year_from: int | None = None,
        year_to: int | None = None,
        author: str | None = None,
        venue: str | None = None,
        field: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Papers_:
        """Papers that fit all that is given, newest first. `query`: words of title, authors' names or venue."""
        await self.ready()
        filters = await self._filters(owner, query, year_from, year_to, author, venue, field)
        return await self._database.read(_list, owner, filters, max(0, min(limit, _MOST)), max(0, offset))

    async def get(self, owner: str, id: str) -> Paper:
        """Raises NotFound."""
        await self.ready()
        found = await self._database.read(_get, owner, id)
        if found is None:
            raise NotFound(what="paper", id=id)
        return found

    async def version(self, owner: str) -> str:
        """Changes whenever the papers or the glossary that the owner sees have changed."""
        await self.ready()
        return await self._database.read(library.version, owner)

    async def _filters(
        self,
        owner: str,
        query: str | None,
        year_from: int | None,
        year_to: int | None,
        author: str | None,
        venue: str | None,
        field: str | None,
    ) -> Filters:
        """Blank texts are no filters."""
        fitting: tuple[str, ...] | None = None
        if venue is not None and venue.strip():
            known = await self._database.read(papers.venues, owner)
            fitting = tuple(each for each in known if venues.fits(venue, each))
        names = tuple(keys.name_key(keys.person(author)).split()) if author is not None else ()
        if author is not None and author.strip() and not names:
            # A name without letters is nobody's.
            fitting = ()
        words = tuple(filter(None, (keys.title_key(word) for word in (query or "").split()[:20])))
        wanted = keys.clean(field).casefold() if field is not None and field.strip() else None
        return Filters(year_from, year_to, names, fitting, wanted, words)


def _next(records: Iterator[PaperRecord | Problem]) -> list[PaperRecord | Problem]:
    """The next batch, brought into form."""
    found: list[PaperRecord | Problem] = []
    for each in islice(records, _BATCH):
        if isinstance(each, Problem):
            found.append(each)
            continue
        found.append(normal(each) or Problem(each.key, "a record without a title"))
    return found


def _list(connection: sa.Connection, owner: str, filters: Filters, limit: int, offset: int) -> Papers_:
    return of_rows(connection, owner, papers.listing(connection, owner, filters, limit, offset))


def _get(connection: sa.Connection, owner: str, id: str) -> Paper | None:
    row = papers.get(connection, owner, id)
    return None if row is None else of_rows(connection, owner, [row])[0]


def of_rows(connection: sa.Connection, owner: str, rows: Sequence[Row]) -> Papers_:
    """Rows as papers, with what other tables tell of them."""
    numbers = [row["number"] for row in rows]
    names, aliases = papers.authors_of(connection, numbers), papers.aliases_of(connection, numbers)
    cited = papers.references_of(connection, owner, numbers)
    fields = ("year", "venue", "field", "abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "url")
    more = ("citations", "key", "id", "owner", "document_id", "full_text_id", "source", "created_at")
    return [
        Paper(
            title=row["title"],
            authors=names.get(row["number"], []),
            aliases=aliases.get(row["number"], []),
            references=cited.get(row["number"], []),
            shared=row["owner"] == "",
            status=row["text_status"] or "ready",
            **{name: row[name] for name in fields + more},
        )
        for row in rows
    ]


def _check_owner(owner: str) -> None:
    if not owner or "/" in owner or len(owner) > LONGEST_OWNER:
        raise InvalidInput(reason=f"an owner's name has 1 to {LONGEST_OWNER} characters and no '/'")
