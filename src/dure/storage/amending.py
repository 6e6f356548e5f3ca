"""What tells which documents, and which parts of one, may amend others: names, headings, and what they say."""

import re
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.documents import passages_by_id, told_with_document
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


_TEXTS = Prepared(
    sa.select(passages.c.id, passages.c.context, passages.c.text)
    .join(documents, passages.c.document == documents.c.number)
    .where(among(documents.c.id, "ids"), among(passages.c.owner, "owners"))
)
_NEXT = Prepared(
    told_with_document()
    .where(documents.c.id == sa.bindparam("document"), passages.c.owner == sa.bindparam("owner"))
    .where(passages.c.start > sa.bindparam("start", type_=sa.Integer))
    .order_by(passages.c.start)
    .limit(1)
)


def amending(
    connection: sa.Connection, owners: Sequence[str], ids: Sequence[str], heads: re.Pattern[str], said: re.Pattern[str]
) -> list[dict[str, Any]]:
    """The passages of owners' documents of `ids` with `heads` in the headings above them, or `said` there or in what
    they say. All are read for that: SQL took two to four times as long with many names."""
    if not ids:
        return []
    texts = _TEXTS.run(connection, {"owners": list(owners), "ids": list(ids)}).fetchall()
    named = {
        context: bool(heads.search(context) or said.search(context)) for context in {row[1] or "" for row in texts}
    }
    held = [id for id, context, text in texts if named[context or ""] or said.search(text)]
    return passages_by_id(connection, owners, held) if held else []


def next_to(connection: sa.Connection, owner: str, document: str, start: int) -> list[dict[str, Any]]:
    """The first passage of a document that begins behind its character `start`, if there is one."""
    return _NEXT.rows(connection, {"document": document, "owner": owner, "start": start})
