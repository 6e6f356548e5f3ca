"""Reads files in a child process, with a time limit; a crash or a hang costs one document, not the server."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from dure.knowledge.parse.parsed import DocumentText
from dure.knowledge.parse.problems import Unreadable

SECONDS = 120.0


class Reader:
    """One child process, started at the first need and again after it ended. Calls take turns."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def read(self, path: Path, kind: str) -> tuple[str, DocumentText]:
        """Title ("" where the document names none) and text of a file. Raises Unreadable."""
        async with self._turn:
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await self._ask(path, kind)
            except TimeoutError:
                await self._end()
                raise Unreadable("timeout", seconds=round(self._seconds)) from None
            except (ConnectionError, EOFError):
                await self._end()
                raise Unreadable("crash") from None
            except BaseException:
                await self._end()
                raise
        if "problem" in answer:
            raise Unreadable(answer["problem"], **answer["parameters"])
        pages = [(number, start) for number, start in answer["pages"]]
        return answer["title"], DocumentText(answer["text"], pages)

    async def _ask(self, path: Path, kind: str) -> dict[str, Any]:
        child = await self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        request = {"path": str(path), "kind": kind, "seconds": self._seconds}
        child.stdin.write(json.dumps(request).encode() + b"\n")
        await child.stdin.drain()
        pieces: list[bytes] = []
        while not (pieces and pieces[-1].endswith(b"\n")):
            piece = await child.stdout.read(1 << 20)
            if not piece:
                raise EOFError
            pieces.append(piece)
        answer: dict[str, Any] = await asyncio.to_thread(json.loads, b"".join(pieces))
        return answer

    async def _running(self) -> asyncio.subprocess.Process:
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "dure.knowledge.parse.child"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        return self._child

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            child.kill()
        if child.stdin is not None:
            child.stdin.close()
        await child.wait()

    async def close(self) -> None:
        """End the child."""
        async with self._turn:
            await self._end()
