"""SQLite's file when it cannot be used: the reason is said with 503, and nothing is lost."""

import asyncio
import errno
import os
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from dure import Agent, Team, tool
from dure.api import health
from dure.errors import DatabaseUnavailable, SettingsError
from dure.runs import Ask
from dure.storage import Database
from dure.storage import sqlite as file
from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]


def limit(pages: int) -> Callable[[sa.Connection], int]:
    """Lets the file of the connection that writes grow to so many pages, as a full disk would."""
    return lambda connection: int(connection.exec_driver_sql(f"PRAGMA max_page_count={pages}").scalar() or 0)


async def test_a_full_disk_is_said_and_nothing_is_lost(opened, caplog: pytest.LogCaptureFixture) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say("길다 " * 20_000).after(gate)) as server:
        dure = await opened(server)
        run = await dure.runs.start("default", Ask("안녕", "s", "assistant"))
        await server.arrived(1)
        await dure.database.write(limit(1))

        async def fill() -> None:
            while True:
                await dure.runs.start("default", Ask("김" * 4000, None, "assistant"))

        with pytest.raises(DatabaseUnavailable, match="disk is full") as raised:
            await fill()
        assert (raised.value.status, raised.value.details["kind"]) == (503, "full")
        assert "디스크가 가득" in raised.value.message("ko")
        gate.set()
        # More often than a run is gone on with that breaks off by itself.
        while caplog.text.count("could not be stored") < 6:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert (await dure.runs.brief("default", run.id))["status"] == "running", "its end cannot be stored"
        await dure.database.write(limit(1_000_000))
        assert (await dure.runs.answer("default", run.id)).response.startswith("길다")


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [(errno.ENOSPC, DatabaseUnavailable, "disk is full"), (errno.EROFS, SettingsError, "Read-only file system")],
)
async def test_why_a_file_cannot_be_opened_is_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception], said: str
) -> None:
    def refused(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    # SQLite says of both that it is unable to open the database file.
    (tmp_path / "dure.db").mkdir()
    monkeypatch.setattr(file, "TemporaryFile", refused)
    with pytest.raises(kind, match=said):
        await Database.open(f"sqlite:///{tmp_path}/dure.db")


async def test_what_is_recorded_around_an_effect_is_on_the_disk(opened, monkeypatch) -> None:
    """The log is synced after the call's beginning and after its end, and for nothing else."""
    told: list[str] = []
    fsync = os.fsync

    def counted(log: int) -> None:
        assert os.readlink(f"/proc/self/fd/{log}").endswith("dure.db-wal")
        fsync(log)
        told.append("synced")

    @tool(effect="write")
    async def note() -> str:
        """Note."""
        told.append("noted")
        return "ok"

    monkeypatch.setattr(os, "fsync", counted)
    agent = Agent(name="clerk", description="x", tools=[note], allow=["note"])
    async with ScriptedServer(call("note"), say("끝")) as server:
        dure = await opened(server, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
        await dure.chat("적어 줘", team="desk")
    assert told == ["synced", "noted", "synced"]


async def test_readiness_writes_and_reads(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that another program holds can still be read; nothing can be kept in it."""
    monkeypatch.setattr(file, "PATIENCE", 1.0)
    async with ScriptedServer() as server:
        client = await serve(server, data_dir=tmp_path)
        assert (await client.get("/readyz")).json()["ready"]
        other = sqlite3.connect(tmp_path / "dure.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with monkeypatch.context() as hasty:
            hasty.setattr(health, "_PATIENCE", 0.2)
            held = await client.get("/readyz")
        assert (held.status_code, held.json()["store"]) == (503, {"status": "busy"})
        refused = await client.post("/v1/chat", json={"message": "안녕", "team": "assistant"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "database_unavailable")
        assert refused.json()["error"]["details"]["kind"] == "locked"
        other.execute("ROLLBACK")
        other.close()
        assert (await client.get("/readyz")).json()["ready"]


async def test_what_goes_on_while_another_program_holds_the_file_is_kept(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For longer than is waited: what was asked meanwhile is refused, what was under way ends, its effect done once."""
    monkeypatch.setattr(file, "PATIENCE", 0.2)
    gate, done = asyncio.Event(), asyncio.Event()
    booked: list[str] = []

    @tool(effect="external")
    async def book(to: str) -> str:
        """Book."""
        booked.append(to)
        done.set()
        await gate.wait()
        return "booked"

    agent = Agent(name="clerk", description="x", tools=[book], allow=["book"])
    desk = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("book", to="kim"), say("끝")) as server:
        client = await serve(server, data_dir=tmp_path, teams=[desk])
        asked = asyncio.create_task(client.post("/v1/chat", json={"message": "잡아 줘", "team": "desk"}))
        await done.wait()
        other = sqlite3.connect(tmp_path / "dure.db", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        gate.set()
        for _ in range(5):
            refused = await client.post("/v1/chat", json={"message": "안녕", "team": "desk"})
            assert (refused.status_code, refused.json()["error"]["details"]["kind"]) == (503, "locked")
        other.execute("ROLLBACK")
        other.close()
        answer = await asked
        found = await client.get("/v1/runs")
    assert (answer.status_code, answer.json().get("status"), len(found.json()["runs"])) == (200, "completed", 1)
    assert booked == ["kim"]


@pytest.mark.parametrize("broken", ["no database", "torn"])
def test_a_damaged_file_names_itself_and_the_way_out(sqlite_url: str, broken: str) -> None:
    path = Path(sa.make_url(sqlite_url).database or "")
    data = path.read_bytes()
    path.write_bytes(b"\0" * 4096 if broken == "no database" else data[:100] + b"\xff" * 3996 + data[4096:])
    with pytest.raises(SettingsError) as raised:
        asyncio.run(Database.open(sqlite_url))
    for language in ("en", "ko"):
        assert str(path) in raised.value.message(language)
        assert "dure restore" in raised.value.message(language)


def test_other_errors_are_no_refusals() -> None:
    with closing(sqlite3.connect(":memory:")) as memory, pytest.raises(sqlite3.OperationalError) as raised:
        memory.execute("SELECT nothing")
    error = sa.exc.OperationalError("SELECT", None, raised.value)
    assert file.refusal(error, sa.make_url("sqlite:///x")) is None
