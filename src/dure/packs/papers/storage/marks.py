"""What an owner puts on papers of their own and of everybody's: tags, collections, notes. No other owner sees it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from dure.packs.papers import keys
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.storage.schema import paper_marks as t
from dure.storage.database import now
from dure.storage.sql import among, insert

NAME, NOTE = 200, 20_000
"""Characters of a tag or collection, and of a note."""
_MOST = 200


def key_of(name: str) -> str:
    """What names that are one have in common: case, and blanks at the ends."""
    return keys.plain(keys.one_line(name))[:NAME].strip()


def put(connection: sa.Connection, owner: str, records: Iterable[tuple[int, PaperRecord]]) -> None:
    """Put on papers, by their numbers, what records say of tags, collections and notes; a note of the id of another
    replaces its text."""
    same, new = ["paper", "owner", "kind", "key"], insert(connection, t)
    rows = {row[:3]: row[3] for number, record in records for row in _rows(number, record)}
    at = now()
    values = [
        {"paper": paper, "owner": owner, "kind": kind, "key": key, "text": text, "created_at": at}
        for (paper, kind, key), text in rows.items()
    ]
    if values:
        connection.execute(new.on_conflict_do_update(index_elements=same, set_={"text": new.excluded.text}), values)


def _rows(number: int, record: PaperRecord) -> Iterator[tuple[int, str, str, str]]:
    for kind, names in (("tag", record.tags), ("collection", record.collections)):
        for name in names[:_MOST]:
            if key := key_of(name):
                yield number, kind, key, keys.one_line(name)[:NAME]
    for key, text in record.notes[:_MOST]:
        if text.strip():
            yield number, "note", key[:NAME], text.strip()[:NOTE]


def drop(connection: sa.Connection, owner: str, paper: int, kind: str, names: Sequence[str]) -> int:
    """Take tags or collections, or notes by their ids, off a paper; how many there were."""
    known = names if kind == "note" else [key_of(name) for name in names]
    its = (t.c.paper == paper, t.c.owner == owner, t.c.kind == kind)
    return connection.execute(t.delete().where(*its, among(t.c.key, known))).rowcount


def move(connection: sa.Connection, owner: str, pairs: Iterable[tuple[int, int]]) -> None:
    """Put the owner's marks of papers on others, as (from, to)."""
    for one, other in pairs:
        connection.execute(t.update().where(t.c.paper == one, t.c.owner == owner).values(paper=other))


def fields(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """`tags`, `collections` and `notes` (id, text) of papers that have some, in the order they were put."""
    query = sa.select(t.c.paper, t.c.kind, t.c.key, t.c.text).where(t.c.owner == owner, among(t.c.paper, numbers))
    found: dict[int, dict[str, Any]] = {}
    for paper, kind, key, text in connection.execute(query.order_by(t.c.created_at, t.c.key)):
        its = found.setdefault(paper, {"tags": [], "collections": [], "notes": []})
        its[f"{kind}s"].append((key, text) if kind == "note" else text)
    return found


def names(connection: sa.Connection, owner: str, kind: str) -> dict[str, int]:
    """All tags or collections of an owner, each with how many papers have it."""
    query = sa.select(sa.func.min(t.c.text), sa.func.count()).where(t.c.owner == owner, t.c.kind == kind)
    return dict(connection.execute(query.group_by(t.c.key).order_by(t.c.key)).tuples().all())


def of_owner(connection: sa.Connection, owner: str) -> list[tuple[int, str, str]]:
    """The tags and collections of an owner: (paper, kind, name)."""
    query = sa.select(t.c.paper, t.c.kind, t.c.text).where(t.c.owner == owner, t.c.kind != "note")
    return list(connection.execute(query.order_by(t.c.paper, t.c.kind, t.c.key)).tuples())
