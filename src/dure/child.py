"""A child process for work that hostile input can crash, hang or fill the memory with: it takes only the child with it.

One request a line on the child's stdin, one answer a line on its stdout, both JSON objects. This is the parent's side;
the child's is `serving.py`.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence

import orjson

from dure import tied as _tied
from dure.serving import STARTED
from dure.serving import Message as Message

_KEPT = frozenset(
    {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "VIRTUAL_ENV", "TMPDIR", "TEMP", "TMP"}
    | {"SYSTEMROOT", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}
)
_KEPT_STARTS = ("PYTHON", "LC_", "LD_", "DYLD_", "TESSDATA_")
_LARGE = 1 << 20
_START_SECONDS = 60.0
"""That a child has to start: a busy machine takes longer for that than a request may."""


def command(module: str) -> Sequence[str]:
    """What runs a module as a child."""
    return sys.executable, "-P", "-m", module


class ChildLost(Exception):
    """The child ended before it answered."""


class Child:
    """One child process that runs `module`, started at the first need and again after it ended. Requests take turns.

    grace: seconds beyond a request's own limit before the child is ended. idle_seconds: after so long without a
    request it is ended too; None: only by `close`.
    """

    def __init__(self, module: str, *, grace: float = 0.0, idle_seconds: float | None = None) -> None:
        self._module = module
        self._grace = grace
        self._idle_seconds = idle_seconds
        self.process: asyncio.subprocess.Process | None = None
        """The running one; None before the first request and after its end."""
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self._turn.locked()

    async def ask(self, *requests: Message) -> list[Message]:
        """The answers to `requests`, in order and with nothing in between.

        Each has `seconds`, its limit, counted from when the child has started, and anew where it says that it is
        `alive`. Raises TimeoutError(its limit) when one took longer, ChildLost when the child came to a sudden end.
        Whatever is raised, the child was ended and has forgotten what it held.
        """
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            try:
                return [await self._one(request) for request in requests]
            except (ConnectionError, EOFError) as error:
                await self._end()
                raise ChildLost(self._module) from error
            except BaseException:
                # Half a conversation is of no use to the next request.
                await self._end()
                raise
            finally:
                if self._idle_seconds is not None and self.process is not None:
                    self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._rest)

    async def _one(self, request: Message) -> Message:
        try:
            limit = request["seconds"] + self._grace
            process = await self._running()
            async with asyncio.timeout(limit) as within:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(orjson.dumps(request) + b"\n")
                await process.stdin.drain()
                pieces: list[bytes] = []
                while not (pieces and pieces[-1].endswith(b"\n")):
                    piece = await process.stdout.read(_LARGE)
                    if not piece:
                        raise EOFError
                    pieces.append(piece)
                    within.reschedule(asyncio.get_running_loop().time() + limit)
                line = b"".join(pieces)
                small = len(line) < _LARGE
                answer: Message = orjson.loads(line) if small else await asyncio.to_thread(orjson.loads, line)
                return answer
        except TimeoutError:
            raise TimeoutError(request["seconds"]) from None

    async def _running(self) -> asyncio.subprocess.Process:
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                *command(self._module),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                # Keys have no business there.
                env={
                    name: value
                    for name, value in os.environ.items()
                    if name.upper() in _KEPT or name.startswith(_KEPT_STARTS)
                },
            )
            assert self.process.stdout is not None
            async with asyncio.timeout(_START_SECONDS):
                await self.process.stdout.readexactly(len(STARTED))
        return self.process

    def _rest(self) -> None:
        self._resting = asyncio.ensure_future(self.close())

    async def close(self) -> None:
        """End the child; it starts again when asked."""
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            await self._end()

    async def _end(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


def tied(command: str, args: Sequence[str], path: str | None = None, late: Sequence[str] = ()) -> tuple[str, list[str]]:
    """A command that ends with this process, with all that it started, where the system can do that. path: where it
    is looked for. late: what `tied.py` wants for calls that are under way then."""
    if sys.platform != "linux" or shutil.which(command, path=path) is None:
        return command, list(args)
    return sys.executable, ["-I", "-S", _tied.__file__, str(os.getpid()), *late, command, *args]
