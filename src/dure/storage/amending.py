"""What tells which documents, and which parts of one, may amend others: names, headings, and what they say."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.documents import passages_by_id, told_with_document
from dure.storage.fulltext import index_of
from dure.storage.schema import documents, passages
from dure.storage.sql import Prepared, among
from dure.storage.terms import Groups

_LOOKED_AT = 100
"""Passages that hold some words of which it is looked whether a document begins with them."""
_CALLED = sa.select(documents.c.id, documents.c.owner, documents.c.title, documents.c.name).where(
    among(documents.c.owner, "owners")
)
_BEGIN = [among(sa.func.substr(n, 1, 2, type_=sa.Text), "starts") for n in (documents.c.title, documents.c.name)]
_BEGUN = _CALLED.add_columns(sa.func.substr(passages.c.text, 1, 200, type_=sa.Text).label("head")).where(
    passages.c.document == documents.c.number, passages.c.start == 0
)
_NAMED = {
    "ids": Prepared(_BEGUN.where(among(documents.c.id, "ids"))),
    "starts": Prepared(_CALLED.where(sa.or_(*_BEGIN)).order_by(documents.c.number)),
    "passages": Prepared(_BEGUN.where(among(passages.c.id, "passages")).order_by(documents.c.number)),
}


def called(connection: sa.Connection, owners: Sequence[str], **those: Sequence[str | int]) -> list[dict[str, Any]]:
    """Ids, owners, titles and file names of owners' documents, in the order they were added: whose title or name has
    one of `starts` as its first two characters, or, each with `head`, how its text begins, of `ids`, or whose first
    passage is one of `passages`."""
    (by,) = those
    return _NAMED[by].rows(connection, {"owners": list(owners), by: list(those[by])}) if those[by] else []


def beginning_with(connection: sa.Connection, owners: Sequence[str], groups: Groups) -> list[dict[str, Any]]:
    """The same of owners' documents whose titles and first passages hold all terms of one of `groups`."""
    look = index_of(connection).beginnings
    found = [id for owner in owners for group in groups for id in look(connection, owner, group, _LOOKED_AT)]
    return called(connection, owners, passages=found)


_TEXTS = Prepared(
    sa.select(passages.c.id, passages.c.context, passages.c.text)
    .join(documents, passages.c.document == documents.c.number)
    .where(documents.c.id == sa.bindparam("document"))
)
# Ids of passages are never used twice: these tell whether a document was read anew.
_STATES = Prepared(
    sa.select(documents.c.id, sa.func.count(), sa.func.max(passages.c.id))
    .join(passages, passages.c.document == documents.c.number)
    .where(among(documents.c.id, "ids"), among(passages.c.owner, "owners"))
    .group_by(documents.c.id)
)
_KEPT = 256
"""Documents of which it is kept which of their passages name what."""
_named = dict[tuple[str, int, int], dict[str, list[int]]]()


def amending(
    connection: sa.Connection,
    owners: Sequence[str],
    ids: Sequence[str],
    names: Iterable[str],
    named_in: Callable[[str, str], Iterable[str]],
) -> list[dict[str, Any]]:
    """The passages of owners' documents of `ids` that name one of `names`, by `named_in` of the headings above one and
    what it says, which is asked once of each passage."""
    wanted, held = {*names}, set[int]()
    for row in _STATES.run(connection, {"owners": list(owners), "ids": list(ids)}).fetchall() if ids else ():
        document, *_ = key = (str(row[0]), int(row[1]), int(row[2]))
        if (named := _named.get(key)) is None:
            named = {}
            for id, context, text in _TEXTS.run(connection, {"document": document}).fetchall():
                for name in named_in(context or "", text):
                    named.setdefault(name, []).append(id)
            if len(_named) >= _KEPT:
                _named.pop(next(iter(_named)), None)
            _named[key] = named
        held.update(id for name in wanted.intersection(named) for id in named[name])
    return passages_by_id(connection, owners, sorted(held)) if held else []


_HOLDING = Prepared(
    told_with_document()
    .where(among(documents.c.id, "ids"), among(passages.c.owner, "owners"), passages.c.text.like(sa.bindparam("like")))
    .order_by(passages.c.id)
)


def holding(connection: sa.Connection, owners: Sequence[str], ids: Sequence[str], like: str) -> list[dict[str, Any]]:
    """The passages of owners' documents of `ids` whose text is `like` that, as SQL has it."""
    return _HOLDING.rows(connection, {"owners": list(owners), "ids": list(ids), "like": like})
