"""Noticing that another process has written: at once, on either store, and not only by looking again."""

import asyncio
import logging

import pytest
import sqlalchemy as sa

from dure.storage import Database
from dure.storage.runs import append_events


@pytest.fixture
async def two(database_url: str):
    """Two processes' ways to one database, here in one."""
    first, second = await Database.open(database_url), await Database.open(database_url)
    yield first, second
    await first.close()
    await second.close()


async def test_what_another_writes_is_noticed(two, caplog: pytest.LogCaptureFixture) -> None:
    writer, reader = two
    caplog.set_level(logging.WARNING)
    changes, other = reader.changes("r-none"), reader.changes("r-other")
    try:
        if not reader.is_sqlite:
            # The first time it returns as soon as it listens.
            await asyncio.wait_for(changes.wait(), 30)
            await asyncio.wait_for(other.wait(), 30)
        waiting = asyncio.create_task(changes.wait())
        await asyncio.sleep(0)
        await writer.write(
            append_events, "a", "r-none", [(1, "notice", "2026-01-01T00:00:00Z", {"code": "x", "text": "y"})]
        )
        await asyncio.wait_for(waiting, 30)
        assert not other.rung.is_set(), "who waits for another run is not woken"
    finally:
        changes.close()
        other.close()
    # Looking again once a second would find it too: the connection that listens must be there.
    assert "listens" not in caplog.text
    rows = await reader.read(lambda c: c.execute(sa.text("SELECT count(*) FROM run_events")).scalar())
    assert rows == 1
    if reader.is_sqlite:
        return
    assert reader._bell._listening.is_set()
    assert reader._bell._heard
    assert not reader._bell.waiting
