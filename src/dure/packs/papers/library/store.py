"""What becomes of records in the store: each is a new paper, completes one that is there, or says nothing new."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from dure.packs.papers import keys
from dure.packs.papers.library import card
from dure.packs.papers.record import ET_AL, PaperRecord
from dure.packs.papers.storage import citations, library, marks, papers
from dure.packs.papers.storage.papers import Row
from dure.packs.papers.storage.schema import paper_aliases, paper_references
from dure.storage import documents
from dure.storage.database import now

_TEXTS = ("abstract", "summary_ko", "summary_en", "venue", "kind", "field", "doi", "arxiv_id", "acl_id", "url", "key")
_IDS = ("doi", "arxiv_id", "acl_id")
_WORTH = frozenset(
    {"abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "year", "citations", "authors"}
)
"""What a record must add to everybody's paper for its owner to get one of their own."""
_SHORT = 16
"""Letters of a title up to which it may be another paper's too ("Preface")."""


@dataclass(slots=True)
class Held:
    """A paper that is in the store (`number`), or will be."""

    record: PaperRecord
    number: int | None = None
    id: str = ""
    document_id: str = ""
    owner: str = ""
    shared: int | None = None
    cites: frozenset[str] = frozenset()
    """Keys of references that are stored already."""
    changed: set[str] = field(default_factory=set)
    """What it has gained since it was read."""


def store(
    connection: sa.Connection, owner: str, records: Sequence[PaperRecord], source: str, *, own: bool = False
) -> list[tuple[str, int]]:
    """Store a batch of `normal` records, in one transaction; what has become of each (`_Batch.take`), and its paper's
    number. own: as papers of the owner's own, whatever they add to everybody's. Imports of one owner wait for each
    other."""
    library.touch(connection, owner)
    batch = _Batch(owner, _held(connection, owner, records))
    taken = [batch.take(record, own) for record in records]
    touched = {held.id: held for _, held in taken if held.number is None or held.changed}
    write(connection, owner, list(touched.values()), source)
    stored = [(became, held.number) for became, held in taken if held.number is not None]
    marks.put(connection, owner, [(number, record) for (_, number), record in zip(stored, records, strict=True)])
    return stored


def remove(connection: sa.Connection, owner: str, id: str) -> None:
    """Remove one of the owner's own papers, and its card."""
    library.touch(connection, owner)
    row = papers.get(connection, owner, id)
    if row is not None and row["owner"] == owner:
        if row["shared"] is not None:
            marks.move(connection, owner, [(row["number"], row["shared"])])
        papers.delete(connection, row["number"])
        documents.delete(connection, library.shelf(owner), row["document_id"])


def set_full_text(connection: sa.Connection, owner: str, number: int, document_id: str) -> None:
    """Give a paper the document of its PDF."""
    library.touch(connection, owner)
    document = documents.get(connection, library.shelf(owner), document_id)
    papers.update(connection, number, full_text=document and document["number"], updated_at=now())


def _held(connection: sa.Connection, owner: str, records: Sequence[PaperRecord]) -> list[Held]:
    wanted: dict[str, Iterable[str]] = {name: [getattr(each, name) for each in records] for name in ("key", *_IDS)}
    wanted["title_key"] = [keys.title_key(each.title) for each in records]
    held = of_rows(connection, papers.same(connection, owner, wanted))
    if any(each.references for each in records):
        cited = citations.reference_keys(connection, [each.number for each in held if each.number is not None])
        for each in held:
            each.cites = frozenset(cited.get(each.number or 0, ())).union(_identities(each.record))
    return held


def of_rows(connection: sa.Connection, rows: Sequence[Row]) -> list[Held]:
    place = ("number", "id", "document_id", "owner", "shared")
    return [
        Held(PaperRecord(**fields), **{name: row[name] for name in place})
        for row, fields in zip(rows, record_fields(connection, rows), strict=True)
    ]


def record_fields(connection: sa.Connection, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What rows tell of papers, with the names that stand in tables of their own: `PaperRecord` without references."""
    numbers = [row["number"] for row in rows]
    names, aliases = (papers.names_of(connection, each, numbers) for each in (papers.AUTHORS, papers.ALIASES))
    return [
        {
            **{name: row[name] for name in ("title", "year", "citations", *_TEXTS)},
            "authors": names.get(row["number"], []) + [ET_AL] * row["more_authors"],
            "aliases": aliases.get(row["number"], []),
        }
        for row in rows
    ]


class _Batch:
    """The papers that records of a batch may be the same as, those of the batch itself included."""

    def __init__(self, owner: str, held: Iterable[Held]) -> None:
        self._owner = owner
        self._known: dict[str, list[Held]] = {}
        for each in held:
            self._remember(each)

    def take(self, record: PaperRecord, own: bool) -> tuple[str, Held]:
        """What becomes of a record, it is `added`, has `completed` a paper, or is `skipped`; and the paper."""
        there = self._find(record)
        if there is None:
            return "added", self._new(Held(record))
        if there.owner == self._owner:
            gained = complete(there.record, record, there.cites)
            if not gained:
                return "skipped", there
            there.changed |= gained
            self._remember(there)
            return "completed", there
        mine = replace(there.record)
        if complete(mine, record) & _WORTH or own:
            return "added", self._new(Held(mine, shared=there.number))
        return "skipped", there

    def _new(self, held: Held) -> Held:
        held.id, held.document_id, held.owner = uuid.uuid4().hex, uuid.uuid4().hex, self._owner
        self._remember(held)
        return held

    def _remember(self, held: Held) -> None:
        for key in _identities(held.record):
            there = self._known.setdefault(key, [])
            if held not in there:
                there.append(held)

    def _find(self, record: PaperRecord) -> Held | None:
        known = ((key, each) for key in _identities(record) for each in self._known.get(key, ()))
        found = [each for key, each in known if not key.startswith("title:") or _same_title(each.record, record)]
        # The owner's own before everybody's, which it may stand for.
        return next((each for each in found if each.owner == self._owner), next(iter(found), None))


def _identities(record: PaperRecord) -> list[str]:
    """By what a paper is known to be the same one, and what it is called where it is cited."""
    ids = {"key": record.key, "doi": record.doi, "arxiv": record.arxiv_id, "acl": record.acl_id}
    return [f"{kind}:{id}" for kind, id in (*ids.items(), ("title", keys.title_key(record.title))) if id]


def _same_title(one: PaperRecord, two: PaperRecord) -> bool:
    """Whether two papers of one title are the same one."""
    if any(getattr(one, name) and getattr(two, name) and getattr(one, name) != getattr(two, name) for name in _IDS):
        return False
    if one.year is not None and two.year is not None and abs(one.year - two.year) > 1:
        return False
    if len(keys.title_key(one.title)) > _SHORT:
        return True
    if one.named and two.named:
        last, others = ({keys.name_key(name).rpartition(" ")[2] for name in each.named} for each in (one, two))
        return not last.isdisjoint(others)
    return one.year == two.year


def complete(there: PaperRecord, record: PaperRecord, cites: Collection[str] = ()) -> set[str]:
    """Fill what `there` lacks from another record of the same paper; the names of the fields that gained. What the same
    source tells anew (by its `key`) counts. `cites`: keys of references that it has beside those of `there`."""
    gained = set()
    renewed = bool(record.key) and record.key == there.key
    for name in (*_TEXTS, "year", *(["title"] if renewed else [])):
        old, new = getattr(there, name), getattr(record, name)
        if new and (renewed or not old) and new != old:
            setattr(there, name, new)
            gained.add(name)
    if record.citations is not None and record.citations > (there.citations if there.citations is not None else -1):
        there.citations = record.citations
        gained.add("citations")
    whole = there.more_authors and not record.more_authors and len(record.named) > len(there.named)
    if whole or (record.authors and (renewed or not there.authors) and record.authors != there.authors):
        there.authors = record.authors
        gained.add("authors")
    known = set(map(keys.alias_key, there.aliases))
    if more := [alias for alias in record.aliases if keys.alias_key(alias) not in known]:
        there.aliases = there.aliases + more
        gained.add("aliases")
    known = {*there.references, *cites}
    if more := [each for each in record.references if each not in known]:
        there.references = there.references + more
        gained.add("references")
    return gained


def write(connection: sa.Connection, owner: str, held: Sequence[Held], source: str) -> None:
    """Write what is new or has changed: rows, cards, authors, names, citations."""
    new = [each for each in held if each.number is None]
    old = [each.number for each in held if each.number is not None]
    cards = [card.card_of(each.record, each.document_id, each.id) for each in held]
    numbers = card.put(connection, library.shelf(owner), cards)
    at = now()
    fixed = {"owner": owner, "source": source, "created_at": at, "updated_at": at}
    rows = [{**fixed, "id": e.id, "card": numbers[e.document_id], "shared": e.shared, **_values(e.record)} for e in new]
    by_id = papers.add(connection, rows)
    for each in new:
        each.number = by_id[each.id]
    marks.move(connection, owner, [(each.shared, by_id[each.id]) for each in new if each.shared is not None])
    whose = {each.number: each for each in held if each.number is not None}
    for number in old:
        papers.update(connection, number, updated_at=at, **_values(whose[number].record))
    with_authors = {n: e for n, e in whose.items() if e.id in by_id or "authors" in e.changed}
    names = {n: [(name, keys.name_key(name)) for name in e.record.named] for n, e in with_authors.items()}
    papers.set_authors(connection, owner, names)
    called = [
        {"paper": n, "alias_key": keys.alias_key(alias), "alias": alias}
        for n, e in whose.items()
        for alias in e.record.aliases
    ]
    papers.put(connection, paper_aliases, called)
    told: list[dict[str, Any]] = [
        {"paper": n, "key": key, "owner": owner} for n, e in whose.items() for key in e.record.references
    ]
    papers.put(connection, paper_references, told)
    mine = {key for each in held for key in _identities(each.record)}
    citations.link(connection, owner, mine | {each["key"] for each in told})


def _values(record: PaperRecord) -> dict[str, object]:
    told = {name: getattr(record, name) for name in ("title", *_TEXTS, "year", "citations", "more_authors")}
    return {**told, "title_key": keys.title_key(record.title)}
