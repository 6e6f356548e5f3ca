"""Drives the child process that holds an owner's tables."""

import asyncio
import os
import sys
from typing import Any

import orjson

from dure.errors import ToolError, ToolInputError

_GRACE = 5.0
"""Seconds beyond a request's own limit before the process is ended."""


class Worker:
    """One child process, started at the first need and again after it ended. Requests take turns."""

    def __init__(self, idle_seconds: float = 300.0) -> None:
        self._idle_seconds = idle_seconds
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self._turn.locked()

    async def ask(self, *requests: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers to `requests` (see `child.answered`), in order and with nothing in between.

        Each has `seconds`, its limit. Raises ToolInputError with what the child wants told, ToolError when it crashed
        or took too long; it is ended then and forgets its tables.
        """
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            try:
                return [await self._one(request) for request in requests]
            finally:
                self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._rest)

    async def _one(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(request["seconds"] + _GRACE):
                answer = await self._answer(request)
        except TimeoutError:
            await self._end()
            raise ToolInputError(
                ko=f"{request['seconds']:g}초 안에 끝나지 않아 중단했습니다. 범위를 줄이세요.",
                en=f"It was stopped after {request['seconds']:g} seconds. Narrow it down.",
            ) from None
        except (ConnectionError, EOFError):
            await self._end()
            raise ToolInputError(
                ko="메모리나 시간이 모자라 처리가 중단되었습니다. 범위를 줄이세요.",
                en="It came to a sudden end for want of memory or time. Narrow it down.",
            ) from None
        except BaseException:
            # Half a conversation is of no use to the next request.
            await self._end()
            raise
        if "ko" in answer:
            raise ToolInputError(ko=answer["ko"], en=answer["en"])
        return answer

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        child = await self._running()
        if child.stdin is None or child.stdout is None:
            raise ToolError(reason="no pipes to the table process")
        child.stdin.write(orjson.dumps(request) + b"\n")
        await child.stdin.drain()
        pieces: list[bytes] = []
        while not (pieces and pieces[-1].endswith(b"\n")):
            piece = await child.stdout.read(1 << 20)
            if not piece:
                raise EOFError
            pieces.append(piece)
        answer: dict[str, Any] = orjson.loads(b"".join(pieces))
        return answer

    async def _running(self) -> asyncio.subprocess.Process:
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "dure.tools.tabular.child"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                # Keys have no business there.
                env={name: value for name, value in os.environ.items() if not name.startswith("DURE_")},
            )
        return self._child

    def _rest(self) -> None:
        self._ending = asyncio.ensure_future(self.close())

    async def close(self) -> None:
        """End the child; it starts again when asked."""
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            await self._end()

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            child.kill()
        if child.stdin is not None:
            child.stdin.close()
        await child.wait()
