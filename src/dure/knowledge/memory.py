"""Vectors of an owner's passages in memory, searched exactly: for SQLite, which cannot compare them itself."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import sqlalchemy as sa

from dure.knowledge.dense import AllSimilar, Flags, Floats, Ids, stand
from dure.storage import documents

Row = tuple[int, int, bool, bytes]
"""Vector id, passage id, Korean or not, fp16 bytes."""

_MEMORY = 512_000_000
"""Bytes of vectors kept in memory for all owners; the one longest unused is dropped first."""


@dataclass(slots=True)
class _Copy:
    """`ids` and `korean` (n,) of passages, `matrix` (capacity, dim) of which the first n rows count, None while there
    are none."""

    version: int = -1
    top: int = 0
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    korean: Flags = field(default_factory=lambda: np.empty(0, np.bool_))
    matrix: Floats | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Memory:
    """The vectors of an SQLite database: all of an owner's are compared, so that nothing is missed.

    They are stored as fp16 and held in memory as fp32 (358 MB for 100,000 of 896 dimensions), since converting costs
    eight times what multiplying does. The copy follows the database: new vectors are appended, a deletion loads all.
    """

    def __init__(self) -> None:
        self._copies: dict[tuple[str, str], _Copy] = {}
        self._lock = threading.Lock()

    def look(
        self,
        connection: sa.Connection,
        owners: Sequence[str],
        model: str,
        queries: Floats,
        count: int,
        strangers: Floats | None,
    ) -> AllSimilar:
        """See `vectors.Look`."""
        parts = [_multiply(self._copy(connection, owner, model), queries) for owner in owners]
        ids, korean, cosines = parts[0] if len(parts) == 1 else map(np.hstack, zip(*parts, strict=True))
        return stand(ids, korean, cosines, None if strangers is None else queries @ strangers.T)

    def _copy(self, connection: sa.Connection, owner: str, model: str) -> _Copy:
        """The owner's vectors as they are in the database now."""
        with self._lock:
            copy = self._copies.pop((owner, model), None) or _Copy()
            self._copies[owner, model] = copy
        # Two searches at once wait for one refresh.
        with copy.lock:
            state = documents.vector_state(connection, owner, model)
            if state != (copy.version, copy.top):
                # Where the newest is not there any more, others took its place and that of more.
                after = copy.top if state[0] == copy.version and state[1] >= copy.top else 0
                _append(copy, documents.vectors_after(connection, owner, model, after), fresh=after == 0)
                copy.version = state[0]
        self._forget()
        return copy

    def _forget(self) -> None:
        """Keep the copies used last, within the memory meant for them."""
        used = 0
        with self._lock:
            for key, copy in list(reversed(self._copies.items())):
                used += copy.matrix.nbytes if copy.matrix is not None else 0
                if used > _MEMORY and key != next(reversed(self._copies)):
                    del self._copies[key]


def _append(copy: _Copy, rows: list[Row], fresh: bool) -> None:
    if fresh:
        copy.ids, copy.korean, copy.matrix, copy.top = copy.ids[:0], copy.korean[:0], None, 0
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


def _multiply(copy: _Copy, queries: Floats) -> tuple[Ids, Flags, Floats]:
    """Ids (n,) of passages that have a vector, which are in Korean (n,), cosines (q, n)."""
    with copy.lock:
        ids, korean, matrix = copy.ids, copy.korean, copy.matrix
    if matrix is None:
        return ids, korean, np.empty((len(queries), 0), np.float32)
    # Not by `@`: BLAS would share it among threads, which go on spinning for 50 ms of CPU after 1 ms of work.
    return ids, korean, np.vecdot(matrix[: len(ids)], queries[:, None])
