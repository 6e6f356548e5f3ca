"""Conversations that nobody went on with are deleted, in both stores alike: their owners' and the server's days."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from dure.errors import NotFound
from dure.runs.artifacts import Artifacts
from dure.runs.retention import Retention
from dure.runs.sessions import Sessions
from dure.storage import Database, sessions, stamp
from dure.storage import runs as run_rows
from dure.storage.files import Folder
from dure.storage.schema import messages
from dure.storage.schema import sessions as table

A, B = "owner-a", "owner-b"


@pytest.fixture
def kept(database: Database, tmp_path: Path) -> Retention:
    return Retention(database, Sessions(database, Artifacts(database, Folder(tmp_path))), None)


async def begun(database: Database, owner: str, days: dict[str, int]) -> None:
    """Sessions by their ids, last used so many days ago."""

    def make(connection: sa.Connection) -> None:
        for id, ago in days.items():
            sessions.touch(connection, owner, id, id)
            sessions.add_message(connection, owner, id, "-", "user", "안녕")
            at = stamp(datetime.now(UTC) - timedelta(days=ago))
            mine = sa.and_(table.c.owner == owner, table.c.id == id)
            connection.execute(sa.update(table).where(mine).values(updated_at=at))

    await database.write(make)


async def left(kept: Retention, owner: str) -> list[str]:
    return [row["id"] for row in await kept.sessions.list(owner)]


async def test_the_owner_s_days(database: Database, kept: Retention) -> None:
    await begun(database, A, {"new": 0, "month": 29, "old": 31, "older": 400})
    await begun(database, B, {"theirs": 400})
    assert (await kept.due(A, None))[1] == []
    assert sorted((await kept.due(A, 30))[1]) == ["old", "older"]
    assert await kept.keep(A, 30) == 2
    assert await kept.days(A) == 30
    assert await kept.days(B) is None
    assert await left(kept, A) == ["new", "month"]
    assert await left(kept, B) == ["theirs"]
    said = await database.read(lambda c: list(c.scalars(sa.select(messages.c.session_id))))
    assert sorted(said) == ["month", "new", "theirs"]
    assert await kept.keep(A, None) == 0
    assert await kept.days(A) is None


async def test_the_server_s_days_are_the_most(database: Database, kept: Retention) -> None:
    await begun(database, A, {"a10": 10, "a100": 100})
    await begun(database, B, {"b10": 10, "b100": 100})
    await kept.keep(B, 365)
    await kept.keep(A, 200)
    kept.limit = 50
    daily = asyncio.create_task(kept.daily())
    try:
        async with asyncio.timeout(60):
            while len([*await left(kept, A), *await left(kept, B)]) > 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    finally:
        daily.cancel()
    assert await left(kept, A) == ["a10"]
    assert await left(kept, B) == ["b10"]


async def test_what_waits_or_was_gone_on_with_stays(database: Database, kept: Retention) -> None:
    await begun(database, A, {"waits": 100, "ended": 100})
    run = {"owner": A, "team": "t", "message": "m", "options": {}, "created_at": "2026-01-01"}
    for id, status in (("waits", "waiting"), ("ended", "completed")):
        await database.write(run_rows.insert, run | {"id": f"r-{id}", "session_id": id, "status": status})
    before, ids = await kept.due(A, 30)
    assert ids == ["ended"]
    await database.write(sessions.touch, A, "ended", "")
    with pytest.raises(NotFound):
        await kept.sessions.delete(A, "ended", unused_since=before)
    assert sorted(await left(kept, A)) == ["ended", "waits"]
