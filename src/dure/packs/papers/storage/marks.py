"""What an owner puts on papers of their own and of everybody's: tags, collections, notes. No other owner sees it."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from dure.packs.papers.storage.schema import paper_marks as t
from dure.storage.database import now
from dure.storage.sql import among, insert

KINDS = ("tag", "collection", "note")


def put(connection: sa.Connection, owner: str, rows: Iterable[tuple[int, str, str, str]]) -> None:
    """Marks as (paper, kind, key, text); one with the key of another of its kind on the paper replaces its text."""
    at = now()
    values = [
        {"paper": paper, "owner": owner, "kind": kind, "key": key, "text": text, "created_at": at}
        for paper, kind, key, text in dict.fromkeys(rows)
    ]
    if values:
        new = insert(connection, t)
        same = ["paper", "owner", "kind", "key"]
        connection.execute(new.on_conflict_do_update(index_elements=same, set_={"text": new.excluded.text}), values)


def drop(connection: sa.Connection, owner: str, paper: int, kind: str, keys: Sequence[str]) -> int:
    """Take marks off a paper; how many there were."""
    its = (t.c.paper == paper, t.c.owner == owner, t.c.kind == kind)
    return connection.execute(t.delete().where(*its, among(t.c.key, keys))).rowcount


def move(connection: sa.Connection, owner: str, pairs: Iterable[tuple[int, int]]) -> None:
    """Put the owner's marks of papers on others, as (from, to)."""
    for one, other in pairs:
        connection.execute(t.update().where(t.c.paper == one, t.c.owner == owner).values(paper=other))


def of(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, dict[str, list[tuple[str, str]]]]:
    """By paper and kind, in the order they were put: (key, text)."""
    query = sa.select(t.c.paper, t.c.kind, t.c.key, t.c.text).where(t.c.owner == owner, among(t.c.paper, numbers))
    found: dict[int, dict[str, list[tuple[str, str]]]] = {}
    for paper, kind, key, text in connection.execute(query.order_by(t.c.created_at, t.c.key)):
        found.setdefault(paper, {name: [] for name in KINDS})[kind].append((key, text))
    return found


def names(connection: sa.Connection, owner: str, kind: str) -> dict[str, int]:
    """All tags or collections of an owner, each with how many papers have it."""
    query = sa.select(sa.func.min(t.c.text), sa.func.count()).where(t.c.owner == owner, t.c.kind == kind)
    return dict(connection.execute(query.group_by(t.c.key).order_by(t.c.key)).tuples().all())


def papers_with(owner: str, kind: str, key: str) -> sa.Select[Any]:
    """The numbers of papers that have a mark."""
    return sa.select(t.c.paper).where(t.c.owner == owner, t.c.kind == kind, t.c.key == key)
