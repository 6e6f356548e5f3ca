"""Tags, collections and notes of papers, as the library's methods put and give them."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import sqlalchemy as sa

from dure.errors import InvalidInput, NotFound, Text
from dure.packs.papers import keys
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.storage import marks, papers

Kind = Literal["tag", "collection"]
_NAME, _NOTE, _MOST = 200, 20_000, 200


def key_of(name: str) -> str:
    """What names that are one have in common: case, and blanks at the ends."""
    return keys.plain(keys.clean(name))[:_NAME].strip()


def rows_of(number: int, record: PaperRecord) -> Iterator[tuple[int, str, str, str]]:
    """What a record puts on its paper."""
    for kind, names in (("tag", record.tags), ("collection", record.collections)):
        for name in names[:_MOST]:
            if key := key_of(name):
                yield number, kind, key, keys.clean(name)[:_NAME]
    for key, text in record.notes[:_MOST]:
        if text.strip():
            yield number, "note", key[:_NAME], text.strip()[:_NOTE]


def change(connection: sa.Connection, owner: str, id: str, kind: Kind, add: Sequence[str], drop: Sequence[str]) -> None:
    """Add and drop tags or collections of a paper. Raises NotFound."""
    number = _number(connection, owner, id)
    record = PaperRecord(title="", tags=[*add]) if kind == "tag" else PaperRecord(title="", collections=[*add])
    marks.drop(connection, owner, number, kind, [key_of(name) for name in drop])
    marks.put(connection, owner, rows_of(number, record))


def note(connection: sa.Connection, owner: str, id: str, text: str) -> str:
    """Put a note on a paper; its id. Raises NotFound, and InvalidInput for a blank one."""
    if not text.strip():
        raise InvalidInput(reason=Text("a note needs a text", ko="메모에는 글이 있어야 합니다"))
    key = uuid.uuid4().hex
    marks.put(connection, owner, rows_of(_number(connection, owner, id), PaperRecord(title="", notes=[(key, text)])))
    return key


def remove_note(connection: sa.Connection, owner: str, id: str, note: str) -> None:
    """Raises NotFound."""
    if not marks.drop(connection, owner, _number(connection, owner, id), "note", [note]):
        raise NotFound(what="note", id=note)


def fields(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """`tags`, `collections` and `notes` of papers that have some."""
    return {
        number: {
            "tags": [text for _, text in its["tag"]],
            "collections": [text for _, text in its["collection"]],
            "notes": its["note"],
        }
        for number, its in marks.of(connection, owner, numbers).items()
    }


def names(connection: sa.Connection, owner: str) -> dict[str, dict[str, int]]:
    """The owner's `tags` and `collections`, each with how many papers have it."""
    return {"tags": marks.names(connection, owner, "tag"), "collections": marks.names(connection, owner, "collection")}


def put(connection: sa.Connection, owner: str, records: Iterable[tuple[int, PaperRecord]]) -> None:
    """What records say of their papers' tags, collections and notes."""
    marks.put(connection, owner, [row for number, record in records for row in rows_of(number, record)])


def _number(connection: sa.Connection, owner: str, id: str) -> int:
    row = papers.get(connection, owner, id)
    if row is None:
        raise NotFound(what="paper", id=id)
    return int(row["number"])
