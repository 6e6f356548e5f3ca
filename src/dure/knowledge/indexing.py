"""The background worker: reads what is queued, then embeds what has no vector, in small batches."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dure.errors import DureError
from dure.knowledge.document import error_dict
from dure.knowledge.parse import Reader, Unreadable
from dure.knowledge.split import split
from dure.knowledge.vectors import pack
from dure.storage import documents
from dure.storage.database import Database

if TYPE_CHECKING:
    from dure.models import Embedder

_BATCH = 8
_IDLE = 60.0
"""Seconds after which it looks for documents that another process left."""
_RETRY = 30.0
"""Seconds before embedding is tried again after the embedder failed."""

log = logging.getLogger(__name__)


class Indexer:
    """Two tasks: one reads and splits documents, so that their text is searchable soon; one embeds passages."""

    def __init__(self, database: Database, files: Path, embedder: "Embedder | None") -> None:
        self._database = database
        self._files = files
        self._embedder = embedder
        self._reader = Reader()
        self._queued = asyncio.Event()
        self._split = asyncio.Event()
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Resume what an earlier process left, and wait for more."""
        self._tasks = [asyncio.create_task(self._read_all(), name="dure-read-documents")]
        if self._embedder is not None:
            self._tasks.append(asyncio.create_task(self._embed_all(self._embedder), name="dure-embed-passages"))

    async def close(self) -> None:
        """Stop; what is under way is resumed at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        await self._reader.close()

    def wake(self) -> None:
        """There is a new document."""
        self._queued.set()

    async def changed(self) -> None:
        """Wait until a document has got further, or a short while."""
        async with self._changed:
            await _within(0.5, self._changed.wait)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _read_all(self) -> None:
        while True:
            self._queued.clear()
            for row in await self._database.read(documents.unfinished):
                try:
                    await self._index(row["owner"], row["id"], row["kind"], row["file"], row["title"])
                except DureError as error:
                    await self._database.write(documents.fail, row["owner"], row["id"], error_dict(error))
                except Exception:
                    # The fault is ours; the document fails, the worker goes on with the next.
                    log.exception("indexing document %s failed", row["id"])
                    crash = error_dict(Unreadable("crash"))
                    await self._database.write(documents.fail, row["owner"], row["id"], crash)
                self._split.set()
                await self._tell()
            await _within(_IDLE, self._queued.wait)
            if not self._queued.is_set():
                # Nothing to do for a while: the child's memory is better used elsewhere.
                await self._reader.close()

    async def _index(self, owner: str, id: str, kind: str, file: str, title: str) -> None:
        if not await self._database.write(documents.mark_indexing, owner, id):
            return
        own_title, document = await self._reader.read(self._files / file, kind)
        passages = await asyncio.to_thread(split, document)
        gone = await self._database.write(
            documents.store,
            *(owner, id),
            title=own_title[:300] or title,
            text=document.text,
            pages=document.pages,
            new=passages,
        )
        for name in gone or ():
            await asyncio.to_thread((self._files / name).unlink, missing_ok=True)

    async def _embed_all(self, embedder: "Embedder") -> None:
        kept = ""
        while True:
            self._split.clear()
            try:
                if not embedder.name:
                    # An endpoint's default model has no name until it has answered.
                    await embedder.passages(["."])
                if embedder.name != kept:
                    kept = embedder.name
                    await self._database.write(documents.keep_model, kept)
                rows = await self._database.read(documents.unembedded, _BATCH)
                if not rows:
                    await _within(_IDLE, self._split.wait)
                    continue
                vectors = await embedder.passages([row["text"] for row in rows])
            except Exception as error:
                # Search stays lexical for these; a remote embedder may come back.
                log.warning("embedding failed, next try in %.0f s: %s", _RETRY, error)
                await asyncio.sleep(_RETRY)
                continue
            packed = [(row["id"], pack(vector)) for row, vector in zip(rows, vectors, strict=True)]
            await self._database.write(documents.put_vectors, kept, packed)
            await self._tell()


async def _within(seconds: float, wait: Callable[[], Awaitable[object]]) -> None:
    """Wait, but not longer than that. (`wait_for` of Python 3.11 can lose a cancellation.)"""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wait()
