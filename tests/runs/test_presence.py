"""Who counts as living: by locks on one machine, by leases across machines."""

from pathlib import Path

import pytest

from dure.runs.presence import Presence
from dure.storage import Database


async def test_on_one_machine_a_lock_tells(database: Database, tmp_path: Path) -> None:
    one, two = Presence(database, tmp_path), Presence(database, tmp_path)
    await one.begin()
    await two.begin()
    assert await one.living([one.id, two.id, "nobody"]) == {one.id, two.id}
    await two.end()
    assert await one.living([two.id]) == set()
    await one.end()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_in_another_machines_folder_a_lease_tells(database: Database, tmp_path: Path) -> None:
    here, there = Presence(database, tmp_path / "a"), Presence(database, tmp_path / "b")
    await here.begin()
    await there.begin()
    assert await here.living([there.id]) == {there.id}
    await there.end()
    assert await here.living([there.id]) == set()
    await here.end()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_on_a_shared_folder_locks_of_other_machines_tell_nothing(database: Database, tmp_path: Path) -> None:
    here, there = Presence(database, tmp_path), Presence(database, tmp_path)
    await here.begin()
    await there.begin()
    file = tmp_path / there.id
    # Its lock is not seen from here, but its lease is.
    file.unlink()
    file.write_text("another machine")
    assert await here.living([there.id]) == {there.id}
    assert file.exists()
    # Its lock is still held by a file server, but its lease is over.
    file.unlink()
    with (tmp_path / "held").open("w") as held:
        import fcntl

        held.write("another machine")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        (tmp_path / "held").rename(file)
        await database.write(_forget, there.id)
        assert await here.living([there.id]) == set()
    await there.end()
    await here.end()


def _forget(connection, id: str) -> None:
    from dure.storage import executors

    executors.renew(connection, id, -1)
