"""The background worker: reads what is queued, then embeds what has no vector, in small batches."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dure.errors import DatabaseUnavailable, DureError, FilesUnavailable
from dure.knowledge.document import error_dict
from dure.knowledge.parse import Unreadable
from dure.knowledge.parse.reader import Reader
from dure.knowledge.split import split
from dure.knowledge.vectors import pack
from dure.knowledge.versions import titled
from dure.storage import documents, ingest
from dure.storage.database import Database
from dure.storage.files import Files
from dure.storage.process import ThisProcess

if TYPE_CHECKING:
    from dure.models import Embedder

_READERS = 3
"""Owners whose documents are read at once."""
_BATCH, _FIRST_BATCH = 8, 64
_IDLE = 10.0
"""Seconds after which it looks for documents that another process left, or on SQLite took in."""
_BEAT = 1.5
"""Seconds between two heartbeats."""
_RETRY = 30.0
"""Seconds before embedding is tried again after the embedder failed."""

log = logging.getLogger(__name__)


class Indexer:
    """Some tasks read and split documents, each those of one owner at a time, so that nobody waits for the slow files
    of others; one embeds passages.

    On PostgreSQL these are jobs of the queue `ingest`, for all processes that work on it. On SQLite each process works
    on what is to be done, but on what another holds that lives (`process.py`).
    """

    def __init__(self, database: Database, files: Files, embedder: "Embedder | None") -> None:
        self._database = database
        self._files = files
        self._embedder = embedder
        self._process = ThisProcess(Path(database.engine.url.database or "").parent / "processes")
        self._worker = self._process.id
        self.reading: dict[str, str] = {}
        """Owners by the documents of theirs that are read now, until these are found by meaning at first."""
        self._readers = [Reader() for _ in range(_READERS)]
        self._taking = asyncio.Lock()
        self.queued = asyncio.Event()
        """To be set where there is a new document."""
        self.split = asyncio.Event()
        """To be set where there are passages without a vector."""
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Resume what an earlier process left, and wait for more."""
        if self._database.is_sqlite:
            self._process.begin()
        else:
            self._worker = await self._database.write(ingest.register)
            self._tasks += [
                asyncio.create_task(self._beat(), name="dure-hold-documents"),
                asyncio.create_task(self._hear(), name="dure-hear-of-documents"),
            ]
        self._tasks += [asyncio.create_task(self._read_all(each), name="dure-read-documents") for each in self._readers]
        if self._embedder is not None:
            self._tasks.append(asyncio.create_task(self._embed_all(self._embedder), name="dure-embed-passages"))

    async def close(self) -> None:
        """Stop; what is under way is resumed at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for reader in self._readers:
            await reader.close()
        if self._tasks:
            self._tasks = []
            # What cannot be let go of, others take once this process is not heard of.
            with contextlib.suppress(DatabaseUnavailable):
                await self._database.write(documents.release, self._worker)
            self._process.end()

    async def changed(self) -> None:
        """Wait until a document has got further, or a short while."""
        async with self._changed:
            await _within(0.5, self._changed.wait)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _others(self) -> Sequence[str]:
        return self._process.others() if self._database.is_sqlite else ()

    async def _hear(self) -> None:
        """Of jobs that other processes made, or left."""
        changes = self._database.changes(ingest.CHANNEL)
        try:
            await changes.wait()
            while True:
                # At first for what was made before this was heard of.
                self.queued.set()
                self.split.set()
                await changes.rung.wait()
                changes.rung.clear()
        finally:
            changes.close()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            try:
                await self._database.write(ingest.beat, self._worker)
            except DatabaseUnavailable as error:
                log.warning("documents may be given to others: %s", error)

    async def _read_all(self, reader: Reader) -> None:
        while True:
            self.queued.clear()
            try:
                while (row := await self._taken()) is not None:
                    try:
                        await self._read_one(reader, row)
                    finally:
                        del self.reading[row["id"]]
                    self.split.set()
                    await self._tell()
            except (DatabaseUnavailable, FilesUnavailable) as error:
                log.warning("documents wait: %s", error)
            await _within(_IDLE, self.queued.wait)
            if not self.queued.is_set():
                # Nothing to do for a while: the child's memory is better used elsewhere.
                await reader.close()

    async def _taken(self) -> documents.Row | None:
        """The oldest document that is to be read of an owner none of whose is being read, which it is now."""
        async with self._taking:
            busy = list(self.reading.values())
            row = await self._database.write(documents.take_unread, self._worker, busy, self._others())
            if row is not None:
                self.reading[row["id"]] = row["owner"]
            return row

    async def _read_one(self, reader: Reader, row: documents.Row) -> None:
        place, mine = (row["owner"], row["id"]), self._worker
        try:
            title, author, document = await reader.read(await self._files.local(row["file"]), row["kind"])
            passages = await asyncio.to_thread(split, document)
            read: dict[str, Any] = {
                "title": titled(title[:300] or row["title"], row["name"]),
                "author": author[:300],
                "text": document.text,
                "pages": document.pages,
            }
            for name in await self._database.write(documents.store, *place, **read, new=passages, worker=mine) or ():
                await self._files.delete(name)
            if self._embedder is not None and self._embedder.first is not None:
                await self._embed_first(self._embedder.first, *place)
        except (DatabaseUnavailable, FilesUnavailable):
            raise
        except DureError as error:
            await self._database.write(documents.fail, *place, error_dict(error), mine)
        except Exception:
            # The fault is ours; the document fails, the worker goes on with the next.
            log.exception("indexing document %s failed", row["id"])
            await self._database.write(documents.fail, *place, error_dict(Unreadable("crash")), mine)

    async def _embed_first(self, embedder: "Embedder", owner: str, id: str) -> None:
        """Have a document found by meaning at once, by the quicker model's vectors."""
        rows = await self._database.read(documents.passages_of, owner, id)
        try:
            for at in range(0, len(rows), _FIRST_BATCH):
                batch = rows[at : at + _FIRST_BATCH]
                await self._database.write(documents.put_vectors, embedder.name, await _vectors(embedder, batch), True)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            log.warning("embedding at first failed, the document waits for its other vectors: %s", error)

    async def _embed_all(self, embedder: "Embedder") -> None:
        kept, first = "", embedder.first.name if embedder.first else ""
        while True:
            self.split.clear()
            try:
                if not embedder.name:
                    # An endpoint's default model has no name until it has answered.
                    await embedder.passages(["."])
                if embedder.name != kept:
                    kept = embedder.name
                    await self._database.write(documents.keep_model, kept, first)
                place = (self._worker, kept, _BATCH, self._others())
                rows = await self._database.write(documents.take_unembedded, *place)
                if not rows:
                    await _within(_IDLE, self.split.wait)
                    continue
                await self._database.write(documents.put_vectors, kept, await _vectors(embedder, rows))
            except Exception as error:
                # Search stays lexical for these; a remote embedder may come back.
                log.warning("embedding failed, next try in %.0f s: %s", _RETRY, error)
                await asyncio.sleep(_RETRY)
                continue
            await self._tell()


async def _vectors(embedder: "Embedder", rows: Sequence[documents.Row | dict[str, Any]]) -> list[tuple[int, bytes]]:
    vectors = await embedder.passages([documents.embedded(row) for row in rows])
    return [(row["id"], pack(vector)) for row, vector in zip(rows, vectors, strict=True)]


async def _within(seconds: float, wait: Callable[[], Awaitable[object]]) -> None:
    """Wait, but not longer than that. (`wait_for` of Python 3.11 can lose a cancellation.)"""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wait()
