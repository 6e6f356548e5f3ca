"""The real command as a process, with state of its own."""

import asyncio
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from dure.testing import ScriptedServer


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return orjson.loads(self.out)


Command = Callable[..., Awaitable[Ended]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a fresh user: English, no settings, empty folders, search without embeddings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DURE_", "LC_")) and k not in ("LANG", "COLUMNS")}
    return kept | {
        "LC_ALL": "C.UTF-8",
        "PYTHONFAULTHANDLER": "1",
        "HOME": str(tmp_path),
        "DURE_DATA_DIR": str(tmp_path / "data"),
        "DURE_CACHE_DIR": str(tmp_path / "cache"),
        "DURE_EMBEDDINGS": "0",
        "DURE_TOOL_DIALECT": "native",
        "DURE_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
    }


@pytest.fixture
def dure(environment: dict[str, str], tmp_path: Path) -> Command:
    """`ended = await dure("chat", "…", server=scripted)`: run a command to its end."""

    async def run(
        *args: str | bytes,
        server: ScriptedServer | None = None,
        stdin: bytes | None = None,
        patience: float = 60,
        **env: str,
    ) -> Ended:
        given = environment | ({"DURE_MODEL_BASE_URL": server.url} if server else {}) | env
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from dure.cli import main; main()",
            *args,
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=given,
            cwd=tmp_path,
        )
        try:
            async with asyncio.timeout(patience):
                out, err = await process.communicate(stdin)
        except TimeoutError:
            # The fault handler tells where it hangs.
            process.send_signal(signal.SIGABRT)
            _, err = await process.communicate()
            pytest.fail(f"{args} did not end: {err.decode()}")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert b"Traceback" not in err, err.decode()
        return Ended(process.returncode or 0, out.decode(), err.decode())

    return run


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self._master, self.process = master, process
        self.text = ""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    def _read(self) -> None:
        try:
            self.text += os.read(self._master, 65_536).decode(errors="replace")
        except OSError:
            asyncio.get_running_loop().remove_reader(self._master)
        self._more.set()

    async def until(self, wanted: str) -> str:
        """Wait for `wanted`; what came up to its end, which is forgotten."""
        async with asyncio.timeout(40):
            while wanted not in self.text:
                self._more.clear()
                await self._more.wait()
        seen, _, self.text = self.text.partition(wanted)
        return seen + wanted

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    async def end(self) -> int:
        async with asyncio.timeout(40):
            code = await self.process.wait()
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        return code


@pytest.fixture
async def in_terminal(environment: dict[str, str]) -> AsyncIterator[Callable[..., Awaitable[Terminal]]]:
    """`terminal = await in_terminal(scripted, "chat", "…")`: what a failed test leaves behind is ended."""
    started: list[asyncio.subprocess.Process] = []

    async def start(server: ScriptedServer, *args: str) -> Terminal:
        ours, theirs = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from dure.cli import main; main()",
            *args,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment | {"DURE_MODEL_BASE_URL": server.url, "TERM": "xterm", "COLUMNS": "200"},
            start_new_session=True,
        )
        os.close(theirs)
        started.append(process)
        return Terminal(ours, process)

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
            await process.wait()
