"""What tells which documents, and which parts of one, amend others: names, and headings."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.documents import told_with_document
from dure.storage.schema import documents, passages
from dure.storage.sql import Prepared, among

_CALLED = sa.select(documents.c.id, documents.c.owner, documents.c.title, documents.c.name).where(
    among(documents.c.owner, "owners")
)
_BEGIN = [among(sa.func.substr(n, 1, 2, type_=sa.Text), "starts") for n in (documents.c.title, documents.c.name)]
_NAMED = {
    "ids": Prepared(_CALLED.where(among(documents.c.id, "ids"))),
    "starts": Prepared(_CALLED.where(sa.or_(*_BEGIN)).order_by(documents.c.number)),
}


def called(connection: sa.Connection, owners: Sequence[str], **those: Sequence[str]) -> list[dict[str, Any]]:
    """Ids, owners, titles and file names of owners' documents: of `ids`, or whose title or name has one of `starts` as
    its first two characters, in the order they were added."""
    (by,) = those
    return _NAMED[by].rows(connection, {"owners": list(owners), by: list(those[by])}) if those[by] else []


_HEADING = sa.func.lower(passages.c.context)
# Written out: SQLite compiles a statement anew each time that it gets another pattern for LIKE.
_TOLD = [_HEADING.like(sa.literal_column(f"'%{word}%'")) for word in ("개정", "amend")]
_AMENDING = Prepared(
    told_with_document()
    .where(among(documents.c.id, "ids"), among(passages.c.owner, "owners"))
    .where(sa.or_(*_TOLD))
    .order_by(passages.c.id)
)


def amending(connection: sa.Connection, owners: Sequence[str], ids: Sequence[str]) -> list[dict[str, Any]]:
    """The passages of owners' documents of `ids` that stand under headings which tell of an amendment."""
    return _AMENDING.rows(connection, {"owners": list(owners), "ids": list(ids)}) if ids else []
