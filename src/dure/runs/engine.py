"""Engines: who works on which run, and how a process does. What outlives the process is the record's."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol

import sqlalchemy as sa

from dure.registry import Registry
from dure.settings import Settings
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.storage.process import ThisProcess

Job = Callable[[], Coroutine[Any, Any, None]]
Row = dict[str, Any]
TakeUp = Callable[[str, str], Awaitable[bool]]
"""Begin to work on a run (owner, id) on which nobody works; False where that has to wait until there is room."""
Place = Callable[[sa.Connection, Row], bool]
"""`Engine.place`."""


class Engine(Protocol):
    id: str
    """The name of this process in `runs.executor`."""
    shares: bool
    """Whether runs for which this process has no room are others' to take up, so that none is refused for it here."""

    async def open(self, take_up: TakeUp, *, alone: bool) -> None:
        """Begin, before anything else is asked; alone: with the runs of this process only."""

    def place(self, connection: sa.Connection, row: Row, *, new: bool = False) -> bool:
        """Whether this process works on a run that is stored in this transaction; else it is queued, and this sees to
        it that somebody takes it up. Raises TooManyRequests for a new one that has no room anywhere."""

    async def left(self, *, alone: bool) -> Sequence[Row]:
        """Runs of dead processes, of none and of this one, on which this one should go on unless it does: `id, owner,
        executor`. Asked for about once a second."""

    async def held(self, row: Row) -> bool:
        """Whether another process that lives works on the run."""

    async def start(self, run_id: str, job: Job) -> None:
        """Take on the work on a run; returns at once. A job that is cancelled is begun too: it stores the run's end."""

    async def cancel(self, run_id: str) -> bool:
        """Stop the work and wait until it has stopped; False when there is none here."""

    async def wait(self, run_id: str) -> None:
        """Until the work on the run, if any, has ended."""

    async def close(self) -> None:
        """Stop all work and wait until it has stopped."""


class InProcessEngine:
    """Each run is an asyncio task of the process to which it came. Locks in the data folder tell who lives."""

    shares = False

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._process = ThisProcess(settings.data_dir / "processes")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.id = self._process.id

    async def open(self, take_up: TakeUp, *, alone: bool) -> None:
        self._process.begin()

    def place(self, connection: sa.Connection, row: Row, *, new: bool = False) -> bool:
        return True

    async def left(self, *, alone: bool) -> Sequence[Row]:
        found = await self._database.read(run_rows.at_work)
        mine = (self.id,) if alone else (self.id, None)
        return [row for row in found if row["executor"] in mine or not (alone or self._process.lives(row["executor"]))]

    async def held(self, row: Row) -> bool:
        executor = row["executor"]
        return executor not in (None, self.id) and self._process.lives(executor)

    async def start(self, run_id: str, job: Job) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            if self._tasks.get(run_id) is task:
                del self._tasks[run_id]

        self._tasks[run_id] = asyncio.create_task(job(), name=f"run {run_id}")
        self._tasks[run_id].add_done_callback(ended)

    async def cancel(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        if task is not None:
            await stop([task])
        return task is not None

    async def wait(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        await stop(list(self._tasks.values()))
        self._process.end()


async def stop(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel the tasks and wait until they have stopped."""
    # Cancelled before its first step a task would never take it; those that wait for it take it now.
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


ENGINES: Registry[Callable[[Settings, Database], Engine]] = Registry(
    "engine", {"in_process": InProcessEngine, "jobs": "dure.runs.jobs:JobsEngine"}
)
"""By the names that `DURE_ENGINE` uses."""
