"""The background worker: reads what is queued, then embeds what has no vector, in small batches."""

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from dure.errors import DatabaseUnavailable, DureError, FilesUnavailable
from dure.knowledge.document import error_dict
from dure.knowledge.parse import Reader, Unreadable
from dure.knowledge.split import split
from dure.knowledge.vectors import pack
from dure.storage import documents
from dure.storage.database import Database
from dure.storage.files import Files

if TYPE_CHECKING:
    from dure.models import Embedder

_READERS = 3
"""Owners whose documents are read at once."""
_BATCH = 8
_IDLE = 10.0
"""Seconds after which it looks for documents that another process left, or on SQLite took in."""
_RENEW = documents.CLAIM / 4
_RETRY = 30.0
"""Seconds before embedding is tried again after the embedder failed."""

log = logging.getLogger(__name__)


class Indexer:
    """Some tasks read and split documents, each those of one owner at a time, so that nobody waits for the slow files
    of others; one embeds passages.

    Of several processes on one database, each works on documents that it has claimed; a third task keeps these claims
    as long as the process lives.
    """

    def __init__(self, database: Database, files: Files, embedder: "Embedder | None") -> None:
        self._database = database
        self._files = files
        self._embedder = embedder
        self._worker = uuid.uuid4().hex
        self._reading: dict[str, int] = {}
        """By owner the document that is read now."""
        self._embedding: list[int] = []
        self._readers = [Reader() for _ in range(_READERS)]
        self._claiming = asyncio.Lock()
        self.queued = asyncio.Event()
        """To be set where there is a new document."""
        self.split = asyncio.Event()
        """To be set where there are passages without a vector."""
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Resume what an earlier process left, and wait for more."""
        self._tasks = [
            asyncio.create_task(self._hold(), name="dure-hold-documents"),
            *(asyncio.create_task(self._read_all(each), name="dure-read-documents") for each in self._readers),
        ]
        if not self._database.is_sqlite:
            self._tasks.append(asyncio.create_task(self._hear(), name="dure-hear-of-documents"))
        if self._embedder is not None:
            self._tasks.append(asyncio.create_task(self._embed_all(self._embedder), name="dure-embed-passages"))

    async def close(self) -> None:
        """Stop; what is under way is resumed at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        for reader in self._readers:
            await reader.close()
        if held := self._held():
            await self._database.write(documents.release, self._worker, held)

    async def changed(self) -> None:
        """Wait until a document has got further, or a short while."""
        async with self._changed:
            await _within(0.5, self._changed.wait)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _held(self) -> list[int]:
        return [*self._reading.values(), *self._embedding]

    async def _hear(self) -> None:
        """Of documents that other processes took in."""
        changes = self._database.changes(documents.QUEUED)
        try:
            await changes.wait()
            while True:
                await changes.rung.wait()
                changes.rung.clear()
                self.queued.set()
        finally:
            changes.close()

    async def _hold(self) -> None:
        while True:
            await asyncio.sleep(_RENEW)
            if held := self._held():
                try:
                    await self._database.write(documents.renew, self._worker, held)
                except DatabaseUnavailable as error:
                    log.warning("claims of documents are not renewed: %s", error)

    async def _read_all(self, reader: Reader) -> None:
        while True:
            self.queued.clear()
            try:
                while (row := await self._claimed()) is not None:
                    try:
                        await self._read_one(reader, row)
                    except (DatabaseUnavailable, FilesUnavailable):
                        del self._reading[row["owner"]]
                        raise
                    del self._reading[row["owner"]]
                    self.split.set()
                    await self._tell()
            except (DatabaseUnavailable, FilesUnavailable) as error:
                log.warning("documents wait: %s", error)
            await _within(_IDLE, self.queued.wait)
            if not self.queued.is_set():
                # Nothing to do for a while: the child's memory is better used elsewhere.
                await reader.close()

    async def _claimed(self) -> documents.Row | None:
        """The oldest document that is to be read of an owner none of whose is being read, which it is now."""
        async with self._claiming:
            row = await self._database.write(documents.claim_unfinished, self._worker, list(self._reading))
            if row is not None:
                self._reading[row["owner"]] = row["number"]
            return row

    async def _read_one(self, reader: Reader, row: documents.Row) -> None:
        place = row["owner"], row["id"]
        try:
            title, author, document = await reader.read(await self._files.local(row["file"]), row["kind"])
            passages = await asyncio.to_thread(split, document)
            read: dict[str, Any] = {
                "title": title[:300] or row["title"],
                "author": author[:300],
                "text": document.text,
                "pages": document.pages,
            }
            for name in await self._database.write(documents.store, *place, **read, new=passages) or ():
                await self._files.delete(name)
        except (DatabaseUnavailable, FilesUnavailable):
            raise
        except DureError as error:
            await self._database.write(documents.fail, *place, error_dict(error))
        except Exception:
            # The fault is ours; the document fails, the worker goes on with the next.
            log.exception("indexing document %s failed", row["id"])
            await self._database.write(documents.fail, *place, error_dict(Unreadable("crash")))

    async def _embed_all(self, embedder: "Embedder") -> None:
        kept = ""
        while True:
            self.split.clear()
            try:
                if not embedder.name:
                    # An endpoint's default model has no name until it has answered.
                    await embedder.passages(["."])
                if embedder.name != kept:
                    kept = embedder.name
                    await self._database.write(documents.keep_model, kept)
                rows = await self._database.write(documents.claim_unembedded, self._worker, _BATCH)
                self._embedding = sorted({row["number"] for row in rows})
                if not rows:
                    await _within(_IDLE, self.split.wait)
                    continue
                vectors = await embedder.passages([documents.embedded(row) for row in rows])
                packed = [(row["id"], pack(vector)) for row, vector in zip(rows, vectors, strict=True)]
                await self._database.write(documents.put_vectors, kept, packed)
            except Exception as error:
                # Search stays lexical for these; a remote embedder may come back.
                log.warning("embedding failed, next try in %.0f s: %s", _RETRY, error)
                await asyncio.sleep(_RETRY)
                continue
            await self._tell()


async def _within(seconds: float, wait: Callable[[], Awaitable[object]]) -> None:
    """Wait, but not longer than that. (`wait_for` of Python 3.11 can lose a cancellation.)"""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wait()
