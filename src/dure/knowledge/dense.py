"""The dense arm: how far above the crowd of its kind each passage stands in likeness to a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dure.storage.terms import is_korean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

FEW = 20
"""Passages of a language up to which strangers of that language join the crowd."""

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


@dataclass(slots=True, frozen=True)
class Similar:
    """`ids` (n,) of an owner's passages that have a vector; `standing` (q, n) of each for each query.

    The standing is how many standard deviations a passage's cosine stands above the mean of the passages in its
    language. An embedding model's cosines mean little as such (those of e5 lie between 0.75 and 0.92), and passages in
    the question's own language score higher by a margin that says nothing of their content; the distance from the
    crowd of their language does. `crowd`: how many stand in it.
    """

    ids: "Ids"
    standing: "Floats"
    crowd: int

    def best(self, count: int) -> set[int]:
        """Ids of the passages that stand highest for any of the queries, `count` for each query."""
        import numpy as np

        if count >= len(self.ids):
            return set(self.ids.tolist())
        rows = [np.argpartition(row, -count)[-count:] for row in self.standing]
        return {int(id) for row in rows for id in self.ids[row]}

    def of(self, ids: Sequence[int]) -> list[list[float | None]]:
        """The standing of `ids`, a list for each query; None for a passage without a vector."""
        import numpy as np

        wanted = np.asarray(ids, np.int64)
        places = np.nonzero(np.isin(self.ids, wanted))[0]
        place_of = dict(zip(self.ids[places].tolist(), places.tolist(), strict=True))
        return [[float(row[place_of[id]]) if id in place_of else None for id in ids] for row in self.standing]


def needs_strangers(korean: "Flags") -> bool:
    """Whether the passages of either language are too few for a crowd."""
    count = int(korean.sum())
    return any(0 < each < FEW for each in (count, len(korean) - count))


def stand(ids: "Ids", korean: "Flags", cosines: "Floats", strangers: "Floats | None") -> Similar:
    """How passages stand. `korean` (n,), `cosines` (q, n); `strangers` (q, m) of `STRANGERS`, if `needs_strangers`."""
    import numpy as np

    standing = np.empty_like(cosines)
    crowd = len(ids)
    for language in (True, False):
        members = korean == language
        count = int(members.sum())
        if not count:
            continue
        rows = cosines[:, members] if count < len(ids) else cosines
        others = rows
        if strangers is not None and count < FEW:
            # Among few, the best would stand in its own way: the crowd is all but it.
            others = np.hstack([np.sort(rows, axis=1)[:, :-1], strangers[:, np.array(_KOREAN) == language]])
            crowd += others.shape[1] - count
        mean = others.mean(axis=1, keepdims=True)
        deviation = np.maximum(others.std(axis=1, keepdims=True), 1e-4)
        standing[:, members] = (rows - mean) / deviation
    return Similar(ids, standing, crowd)
