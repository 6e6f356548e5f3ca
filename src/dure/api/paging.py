"""Lists that are read piece by piece: `next` of one reply is `before` of the next request."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query

from dure.errors import InvalidInput, phrase

Before = Annotated[str | None, Query(max_length=300, json_schema_extra={"pattern": "^[^,]+,.+$"})]
Q = Annotated[str | None, Query(max_length=200)]
Place = tuple[str, str]


def place(before: str | None) -> Place | None:
    """Time and id of the row after which a list goes on. Raises InvalidInput for what no reply gave."""
    if before is None:
        return None
    at, comma, id = before.partition(",")
    if not (at and comma and id):
        raise InvalidInput(reason=phrase("api_paging.before"))
    return at, id


def next_of(rows: Sequence[Mapping[str, Any]], limit: int, time: str) -> str | None:
    """What to ask for as `before` to go on after `rows`; None where that was all. time: the key that they are sorted
    by, before their id."""
    return f"{rows[-1][time]},{rows[-1]['id']}" if len(rows) == limit else None


def wanted(q: str | None) -> str | None:
    """What is looked for, as the texts have it: Hangul composed, nothing around it; None for nothing."""
    return unicodedata.normalize("NFC", q).strip() or None if q is not None else None
