"""Vectors of an owner's passages in memory, searched exactly: for SQLite, which cannot compare them itself."""

import asyncio
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dure.knowledge.dense import AllSimilar, stand
from dure.storage import documents
from dure.storage.database import Database

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Ids = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

Row = tuple[int, int, bool, bytes]
"""Vector id, passage id, Korean or not, fp16 bytes."""

_MEMORY = 512_000_000
"""Bytes of vectors kept in memory for all owners; the one longest unused is dropped first."""


@dataclass(slots=True, frozen=True)
class Cosines:
    """A `Looked`: `ids` (n,) of passages that have a vector, `korean` (n,) which are in Korean, `values` (q, n)."""

    ids: "Ids"
    korean: "Flags"
    values: "Floats"

    @property
    def counts(self) -> tuple[int, int]:
        korean = int(self.korean.sum())
        return korean, len(self.korean) - korean

    def join(self, other: "Cosines") -> "Cosines":
        import numpy as np

        if not len(other.ids) or not len(self.ids):
            return self if len(self.ids) else other
        return Cosines(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.korean, other.korean]),
            np.concatenate([self.values, other.values], axis=1),
        )

    def stand(self, strangers: "Floats | None") -> AllSimilar:
        return stand(self.ids, self.korean, self.values, strangers)


@dataclass(slots=True)
class _Copy:
    """`ids` and `korean` (n,) of passages, `matrix` (capacity, dim) of which the first n rows count."""

    version: int = -1
    top: int = 0
    ids: "Ids | None" = None
    korean: "Flags | None" = None
    matrix: "Floats | None" = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Memory:
    """The `Vectors` of an SQLite database: all of an owner's are compared, so that nothing is missed.

    They are stored as fp16 and held in memory as fp32 (154 MB for 100,000 of 384 dimensions), since converting costs
    eight times what multiplying does. The copy follows the database: new vectors are appended, a deletion loads all.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._copies: dict[tuple[str, str], _Copy] = {}

    async def look(self, owner: str, model: str, queries: "Floats", count: int) -> Cosines:
        copy = self._copies.pop((owner, model), None) or _Copy()
        self._copies[owner, model] = copy
        state = await self._database.read(documents.vector_state, owner, model)
        if state != (copy.version, copy.top):
            after = copy.top if state[0] == copy.version else 0
            rows = await self._database.read(documents.vectors_after, owner, model, after)
            await asyncio.to_thread(_refresh, copy, state[0], after, rows)
            self._forget()
        return await asyncio.to_thread(_multiply, copy, queries)

    def _forget(self) -> None:
        """Keep the copies used last, within the memory meant for them."""
        used = 0
        for key, copy in list(reversed(self._copies.items())):
            used += copy.matrix.nbytes if copy.matrix is not None else 0
            if used > _MEMORY and key != next(reversed(self._copies)):
                del self._copies[key]


def _refresh(copy: _Copy, version: int, after: int, rows: list[Row]) -> None:
    with copy.lock:
        # Another search may have brought the copy further while this one was reading.
        if (copy.version, copy.top) == (version, after) or after == 0:
            _append(copy, rows, fresh=after == 0)
            copy.version = version


def _append(copy: _Copy, rows: list[Row], fresh: bool) -> None:
    import numpy as np

    if fresh or copy.ids is None or copy.korean is None or copy.matrix is None:
        copy.ids, copy.korean, copy.matrix, copy.top = np.empty(0, np.int64), np.empty(0, np.bool_), None, 0
    if not rows:
        return
    new = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f2").reshape(len(rows), -1)
    count = len(copy.ids)
    if copy.matrix is None or count + len(rows) > len(copy.matrix):
        # Room for half as many again, so that growing in small batches stays cheap.
        grown = np.empty((int((count + len(rows)) * (1.0 if fresh else 1.5)), new.shape[1]), np.float32)
        if copy.matrix is not None:
            grown[:count] = copy.matrix[:count]
        copy.matrix = grown
    copy.matrix[count : count + len(rows)] = new
    copy.ids = np.concatenate([copy.ids, np.array([row[1] for row in rows], np.int64)])
    copy.korean = np.concatenate([copy.korean, np.array([row[2] for row in rows], np.bool_)])
    copy.top = rows[-1][0]


def _multiply(copy: _Copy, queries: "Floats") -> Cosines:
    import numpy as np

    with copy.lock:
        ids, korean, matrix = copy.ids, copy.korean, copy.matrix
    if ids is None or korean is None or matrix is None:
        return Cosines(np.empty(0, np.int64), np.empty(0, np.bool_), np.empty((len(queries), 0), np.float32))
    return Cosines(ids, korean, queries @ matrix[: len(ids)].T)
