"""Looking after runs: what holds up one of them holds up nothing else."""

import asyncio

from dure.runs.watch import Watch
from dure.storage import Database
from dure.storage import runs as run_rows


async def test_a_run_that_will_not_stop_stops_no_others(database_url: str, monkeypatch) -> None:
    monkeypatch.setattr("dure.runs.watch.EVERY", 0.001)
    cancelled: list[str] = []
    looked = asyncio.Semaphore(0)
    both, never = asyncio.Event(), asyncio.Event()

    class Stubborn:
        """An engine with two runs, neither of which lets itself be stopped or taken over."""

        id = "me"

        async def cancel(self, run_id: str) -> None:
            cancelled.append(run_id)
            if len(cancelled) == 2:
                both.set()
            await never.wait()

        async def left(self, *, alone: bool) -> list[dict[str, str]]:
            looked.release()
            return [{"owner": "o", "id": run_id, "executor": "me"} for run_id in "ab"]

    async def nothing(*_: object) -> None:
        raise AssertionError("nobody's run")

    database = await Database.open(database_url)
    for run_id in ("a", "b"):
        row = {"id": run_id, "owner": "o", "session_id": run_id, "team": "t", "status": "running", "message": "m"}
        row |= {"options": {}, "created_at": "t", "executor": "other"}
        await database.write(run_rows.insert, row)
        await database.write(run_rows.take, run_id, "other", "me")
        await database.write(run_rows.ask_to_cancel, "o", run_id)
    took: list[str] = []

    async def take_over(owner: str, run_id: str, before: str | None) -> None:
        took.append(run_id)
        if run_id == "a":
            raise RuntimeError("a's record is broken")

    watch = Watch(database, Stubborn(), take_over, nothing)
    watch.start(for_others=False)
    await both.wait()
    for _ in range(20):
        await looked.acquire()
    await watch.look()
    await watch.close()
    assert sorted(cancelled) == ["a", "b"]
    assert {"a", "b"} <= set(took)
    await database.close()
