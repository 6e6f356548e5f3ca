"""Which documents alone are searched, their tags, and the languages that they are in."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from dure.errors import Language
from dure.storage.schema import documents, passages
from dure.storage.sql import Prepared, among


@dataclass(slots=True, frozen=True)
class Only:
    """Of which documents alone, all of it. `folder`: in which they or the folders around them were. `since`, `until`:
    the days they were added (UTC), both included. `shelf`: "personal" or a name. `tag`: one that they have. `author`:
    part of the name of whom their file names."""

    shelf: str | None = None
    kind: str | None = None
    folder: str | None = None
    since: date | None = None
    until: date | None = None
    tag: str | None = None
    author: str | None = None


_LOOKED = 1000
"""Of owners' documents, the newest, at whose beginning is looked."""
_day = sa.func.substr(documents.c.created_at, 1, 10)


def plain_tag(name: str) -> str:
    """A tag as it is stored and looked for: in small letters, on one line."""
    shown = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", name))
    return " ".join(shown.split()).lower()


def tag_lines(tags: Sequence[str]) -> str:
    """Tags as the column `tags` holds them."""
    return "".join(f"\n{tag}" for tag in tags) + "\n" if tags else ""


def passages_within(connection: sa.Connection, owners: Sequence[str], only: Only) -> list[int] | None:
    """The ids of owners' passages in such documents, whatever their shelf; None: in all."""
    wanted: list[sa.ColumnElement[bool]] = []
    if only.kind is not None:
        wanted.append(documents.c.kind == only.kind)
    if only.folder is not None:
        # What is within a folder is named after it: see `knowledge.files`.
        wanted.append(documents.c.name.startswith(only.folder.replace("/", " - ") + " - ", autoescape=True))
    if only.since is not None:
        wanted.append(_day >= only.since.isoformat())
    if only.until is not None:
        wanted.append(_day <= only.until.isoformat())
    if only.tag is not None:
        wanted.append(documents.c.tags.contains(tag_lines([plain_tag(only.tag)]), autoescape=True))
    if only.author is not None:
        wanted.append(documents.c.author.icontains(only.author, autoescape=True))
    if not wanted:
        return None
    query = sa.select(passages.c.id).join(documents, passages.c.document == documents.c.number)
    return list(connection.execute(query.where(among(documents.c.owner, owners), *wanted)).scalars())


def _begun() -> sa.Select[tuple[bool]]:
    newest = sa.select(documents.c.number).where(among(documents.c.owner, "owners"), documents.c.passages > 0)
    some = newest.order_by(documents.c.number.desc()).limit(_LOOKED).subquery()
    first = sa.select(passages.c.korean).where(passages.c.document == some.c.number).order_by(passages.c.start).limit(1)
    return sa.select(first.correlate(some).scalar_subquery()).select_from(some).distinct()


_BEGUN = Prepared(_begun())


def begun_in(connection: sa.Connection, owners: Sequence[str]) -> set[Language]:
    """The languages that owners' documents begin in."""
    return {"ko" if row[0] else "en" for row in _BEGUN.run(connection, {"owners": list(owners)}).fetchall()}
