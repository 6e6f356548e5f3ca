"""The example of a pack, built and installed: what it brings is there, and gone when it is switched off."""

import asyncio
import os
import re
import sqlite3
import zipfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from dure.testing import ScriptedServer, call, say

PACK = Path(__file__).parents[2] / "examples" / "pack-timesheet"
COMMANDS = """
import sys
from dure.cli import main

for line in sys.argv[1:]:
    sys.argv[1:] = line.split("|")
    try:
        main()
    except SystemExit as ended:
        print(ended.code or 0, flush=True)
"""
"""Commands one after the other, each followed by what it ended with."""
GET = """
import asyncio, httpx
from dure import Dure
from dure.testing import served

async def main():
    async with served(Dure(port=0)) as url, httpx.AsyncClient(base_url=url) as client:
        print((await client.get("/v1/timesheet")).text)
        print([team["name"] for team in (await client.get("/v1/teams")).json()["teams"]])

asyncio.run(main())
"""
Run = Callable[..., Awaitable[tuple[int, str]]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the pack is installed."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("site")
    (wheel,) = WheelBuilder(str(PACK)).build(directory=str(folder / "dist"))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def run(site: Path, tmp_path: Path, warm_command: tuple[str, ...]) -> Run:
    """`code, out = await run(COMMANDS, "timesheet|list", server=…, DURE_PACKS=…)`."""

    async def run(program: str, *args: str, server: ScriptedServer | None = None, **more: str) -> tuple[int, str]:
        settings = {
            "PYTHONUTF8": "1",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "200",
            "DURE_DATA_DIR": str(tmp_path / "data"),
            "DURE_EMBEDDINGS": "0",
            "DURE_TOOL_DIALECT": "native",
            "DURE_MODEL_BASE_URL": server.url if server else "http://127.0.0.1:9/v1",
        }
        process = await asyncio.create_subprocess_exec(
            *(*warm_command[:-1], f"import sys; sys.path.insert(0, {str(site)!r})\n{program}", *args),
            env=os.environ | settings | more,
            cwd=tmp_path,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, told = await process.communicate()
        # What went wrong is told on stderr; what is printed is all that the tests compare.
        return process.returncode or 0, (out if not process.returncode else out + told).decode()

    return run


async def test_a_pack_of_anybodys_is_found_and_works(run: Run) -> None:
    commands = "--help", "timesheet|add|두레 문서|2.5", "timesheet|list", "timesheet|list|--owner|kim"
    code, out = await run(COMMANDS, *commands)
    assert code == 0, out
    assert "Hours worked: add, list" in out
    assert out.endswith("\n0\n0\n두레 문서: 2.5\n0\n0\n")
    code, out = await run(GET)
    assert (code, out.splitlines()[0]) == (0, '{"projects":[{"project":"두레 문서","hours":2.5}]}')
    assert "'timesheet'" in out


async def test_its_tool_asks_before_it_writes(run: Run) -> None:
    async with ScriptedServer(call("log_hours", project="회의", worked=1), say("회의 한 시간을 적었습니다.")) as server:
        commands = "chat|--team|timesheet|회의 한 시간 적어줘", "timesheet|list", "runs|waiting"
        code, out = await run(COMMANDS, *commands, server=server)
        assert code == 0, out
        assert "\n3\n0\n" in out, "it waits, and nothing is written"
        found = re.search(r"r-[\w-]+", out)
        assert found, out
        code, out = await run(COMMANDS, f"runs|decide|{found[0]}|--approve", "timesheet|list", server=server)
    assert code == 0, out
    assert out.endswith("회의 한 시간을 적었습니다.\n0\n회의: 1\n0\n")


async def test_switched_off_it_leaves_no_trace(run: Run, tmp_path: Path) -> None:
    off = {"DURE_PACKS": "-timesheet"}
    code, out = await run(COMMANDS, "--help", "timesheet|list", **off)
    assert code == 0, out
    assert "Hours worked" not in out
    assert out.endswith("\n0\n2\n")
    code, out = await run(GET, **off)
    assert code == 0, out
    assert '"code":"not_found"' in out.splitlines()[0]
    assert "'timesheet'" not in out
    with closing(sqlite3.connect(tmp_path / "data" / "dure.db")) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    assert not [name for name in names if "timesheet" in name]
