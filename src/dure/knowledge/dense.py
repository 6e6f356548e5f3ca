"""The dense arm: how far above the crowd of its kind each passage stands in likeness to a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

from dure.storage.terms import is_korean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

FEW = 20
"""Passages of a language up to which strangers of that language join the crowd."""

SMALLEST = 1e-4
"""Standard deviation of cosines taken at least."""

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
_KOREAN = [is_korean(text) for text in STRANGERS]


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

    def best(self, count: int) -> set[int]:
        """Ids of the passages that stand highest for any of the queries, `count` for each query."""
        ...

    def best_of(self, connection: sa.Connection, ids: Sequence[int], count: int) -> set[int]:
        """As `best`, among `ids` alone."""
        ...

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        """The standing of `ids`, a list for each query; None for a passage without a vector."""
        ...


@dataclass(slots=True, frozen=True)
class AllSimilar:
    """A `Similar` that knows all: `ids` (n,) of the passages, `standing` (q, n) of each for each query."""

    ids: "Ids"
    standing: "Floats"
    crowd: int

    def best(self, count: int) -> set[int]:
        import numpy as np

        if count >= len(self.ids):
            return set(self.ids.tolist())
        rows = [np.argpartition(row, -count)[-count:] for row in self.standing]
        return {int(id) for row in rows for id in self.ids[row]}

    def best_of(self, connection: sa.Connection, ids: Sequence[int], count: int) -> set[int]:
        import numpy as np

        inside = np.isin(self.ids, np.asarray(ids, np.int64))
        return AllSimilar(self.ids[inside], self.standing[:, inside], self.crowd).best(count)

    def of(self, connection: sa.Connection, ids: Sequence[int]) -> list[list[float | None]]:
        import numpy as np

        wanted = np.asarray(ids, np.int64)
        places = np.nonzero(np.isin(self.ids, wanted))[0]
        place_of = dict(zip(self.ids[places].tolist(), places.tolist(), strict=True))
        return [[float(row[place_of[id]]) if id in place_of else None for id in ids] for row in self.standing]


def stand(ids: "Ids", korean: "Flags", cosines: "Floats", strangers: "Floats | None") -> AllSimilar:
    """How passages stand. `korean` (n,), `cosines` (q, n); `strangers` (q, m) those of `STRANGERS`. Raises
    StrangersWanted."""
    import numpy as np

    standing = np.empty_like(cosines)
    crowd = 0
    for language in (True, False):
        members = korean == language
        count = int(members.sum())
        if not count:
            continue
        rows = cosines[:, members] if count < len(ids) else cosines
        others = among_strangers(rows, language, strangers) if count < FEW else rows
        crowd += others.shape[1]
        mean = others.mean(axis=1, keepdims=True)
        standing[:, members] = (rows - mean) / deviation(others)
    return AllSimilar(ids, standing, crowd)


def among_strangers(rows: "Floats", korean: bool, strangers: "Floats | None") -> "Floats":
    """The crowd of few passages, of cosines `rows` (q, n): all but the best, which would stand in its own way among
    few, and the strangers of their language. Raises StrangersWanted."""
    import numpy as np

    if strangers is None:
        raise StrangersWanted
    return np.hstack([np.sort(rows, axis=1)[:, :-1], strangers[:, np.array(_KOREAN) == korean]])


def deviation(rows: "Floats") -> "Floats":
    """The standard deviation of each row, (q, 1); never 0."""
    import numpy as np

    found: Floats = np.maximum(rows.std(axis=1, keepdims=True), SMALLEST)
    return found
