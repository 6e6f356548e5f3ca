"""What search by vectors is, in memory over SQLite or in PostgreSQL: what it finds, and what it needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

STRANGERS = (
    "어제 저녁에는 비가 조금 내렸고 바람은 잔잔했다.",
    "고양이는 창가에 앉아 지나가는 사람들을 바라보았다.",
    "이 노래는 후렴이 짧아서 따라 부르기 쉽다.",
    "기차는 역을 떠나 강을 따라 천천히 달렸다.",
    "된장찌개에는 두부와 애호박을 넣으면 맛이 좋다.",
    "그 화가는 말년에 바다 그림을 많이 남겼다.",
    "공원에는 은행나무가 줄지어 서 있다.",
    "선수는 마지막 바퀴에서 앞선 두 사람을 따라잡았다.",
    "The old bridge was painted green last summer.",
    "Bread rises faster in a warm kitchen.",
    "She learned to play the violin at the age of nine.",
    "The comet will be visible again in seventy years.",
    "Most of the island is covered with pine forest.",
    "He wrote three novels and a book of short poems.",
    "The museum keeps a large collection of wooden clocks.",
    "Rain is expected in the mountains over the weekend.",
)
"""Sentences about nothing in particular: what a question's cosines look like where nothing fits.

A handful of passages is no crowd; among few, these stand in it too.
"""


class StrangersWanted(Exception):
    """The passages of a language are too few for a crowd, and the strangers' vectors were not given."""


class Similar(Protocol):
    """How an owner's passages stand in likeness to each query.

    The standing is how many standard deviations a passage's cosine stands above the mean of the passages in its
    language. An embedding model's cosines mean little as such (those of e5 lie between 0.75 and 0.92), and passages in
    the question's own language score higher by a margin that says nothing of their content; the distance from the
    crowd of their language does. `crowd`: how many stand in it.
    """

    @property
    def crowd(self) -> int: ...

    def best(self, connection: sa.Connection, count: int, within: Sequence[int] | None = None) -> set[int]:
        """Ids of the passages that stand highest for any of the queries, `count` for each query; among `within` alone
        where that is given."""
        ...

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        """The standing of `ids`, a list for each query; None for a passage without a vector."""
        ...


@dataclass(slots=True, frozen=True)
class Staged:
    """A `Similar` of passages that have one model's vectors, and of those that have another's still."""

    later: Similar
    first: Similar

    @property
    def crowd(self) -> int:
        return self.later.crowd + self.first.crowd

    def best(self, connection: sa.Connection, count: int, within: Sequence[int] | None = None) -> set[int]:
        return self.later.best(connection, count, within) | self.first.best(connection, count, within)

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        both = zip(self.later.of(connection, ids), self.first.of(connection, ids), strict=True)
        return [[b if a is None else a for a, b in zip(*rows, strict=True)] for rows in both]


if TYPE_CHECKING:
    Look = Callable[[sa.Connection, Sequence[str], str, Floats, int, Floats | None], Similar]
    """Compares unit queries (q, dim) with the vectors that passages have in a database, of some owners' and by one
    embedding model, as if they were one owner's: `look(connection, owners, model, queries, count, strangers)`.

    `count`: how many of the best passages will be asked for of each query. `strangers` (m, dim): the vectors of
    `STRANGERS`. Raises `StrangersWanted` where these are needed and were not given."""


def pack(vector: "Floats") -> bytes:
    """A unit vector as it is stored: little-endian fp16, which costs 0.0003 of a cosine."""
    return vector.astype("<f2").tobytes()
