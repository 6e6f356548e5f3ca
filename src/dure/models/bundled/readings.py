"""What the engine has read of rules that are the same each time, on disk: two cores read 800 tokens in 12 s and more,
and find them again in 20 ms. Some 30 KB a token; nothing of a user's stands in it."""

import asyncio
import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import orjson

from dure.errors import DureError
from dure.messages import Message, user
from dure.models.client import ChatClient

_LEAST = 400
"""Characters of what is worth it."""
_MOST_BYTES = 512 << 20


class Readings:
    """The readings of one model's engine in `folder`. weights: the model's file."""

    def __init__(self, folder: Path, weights: Path) -> None:
        self.folder = folder
        self._weights = weights
        self._held: set[str] = set()
        self._last = ""

    def forget(self) -> None:
        """The engine was started anew, and holds nothing."""
        self._held.clear()

    async def find(self, engine: ChatClient, head: Sequence[Message]) -> None:
        """Have the engine know what a request begins with: from memory, from disk, or by reading it, which is then
        kept. Where that fails the request itself meets it."""
        if sum(len(each["content"] or "") for each in head) < _LEAST:
            return
        name = await asyncio.to_thread(self._name, head)
        if name not in self._held:
            try:
                await self._know(engine, name, head)
            except (DureError, OSError):
                return
            self._held.add(name)
        self._last = name

    async def _know(self, engine: ChatClient, name: str, head: Sequence[Message]) -> None:
        path = self.folder / name
        if path.exists() and await _slot(engine, "restore", name):
            # What it had read last gives way, and is found here the next time.
            self._held.discard(self._last)
            path.touch()
            return
        body = {"messages": [*head, user("")], "max_tokens": 1, "temperature": 0.0}
        async with aclosing(engine.stream(body)) as reply:
            async for _ in reply:
                pass
        await asyncio.to_thread(self._make_room)
        part = f"{name}.{secrets.token_hex(4)}"
        if await _slot(engine, "save", part):
            os.replace(self.folder / part, path)

    def _name(self, head: Sequence[Message]) -> str:
        file = self._weights.stat()
        of = [str(self._weights), file.st_size, file.st_mtime_ns, list(head)]
        return hashlib.sha256(orjson.dumps(of)).hexdigest()[:32]

    def _make_room(self) -> None:
        """Let go of those that were used longest ago, as far as there are too many."""
        kept = sorted((each.stat().st_mtime, each.stat().st_size, each) for each in self.folder.iterdir())
        while kept and sum(size for _, size, _ in kept) > _MOST_BYTES:
            kept.pop(0)[2].unlink(missing_ok=True)


async def _slot(engine: ChatClient, action: str, name: str) -> bool:
    """Whether the engine wrote, or took in, the file `name` of what it has read last."""
    status, _ = await engine.get(f"/slots/0?action={action}", {"filename": name}, seconds=30.0)
    return status == 200
