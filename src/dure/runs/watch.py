"""Looks about once a second for work that nobody else will do.

Runs whose process died are taken over, as far as that is not others' business (`engine.py`); runs of this process on
which nobody works any more are gone on with; approvals whose time is over count as "no"; runs of this process that
another was asked to cancel are cancelled.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from dure.runs.engine import Engine, stop
from dure.storage import Database
from dure.storage import approvals as approval_rows
from dure.storage import runs as run_rows

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two looks."""


@dataclass
class Watch:
    """take_over(owner, run id, process before): go on with a run. expire(owner, run id): decide what is overdue."""

    database: Database
    engine: Engine
    take_over: Callable[[str, str, str | None], Awaitable[None]]
    expire: Callable[[str, str], Awaitable[None]]
    for_others: bool = True
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    """Runs that are being cancelled, and as "" the looking itself."""

    def start(self, *, for_others: bool) -> None:
        """Begin to look: for what concerns this process's own runs, and `for_others` too."""
        self.for_others = for_others
        self._tasks[""] = asyncio.create_task(keep(self.look, "the runs", EVERY), name="dure-watch")

    async def close(self) -> None:
        await stop([*self._tasks.values()])

    async def look(self) -> None:
        """Look once."""
        for run_id in await self.database.read(run_rows.to_cancel, self.engine.id):
            self._begin_to_cancel(run_id)
        for row in await self.engine.left(alone=not self.for_others):
            await _tried(self.take_over(row["owner"], row["id"], row["executor"]), row["id"])
        if not self.for_others:
            return
        overdue = await self.database.read(approval_rows.overdue)
        for owner, run_id in {(row["owner"], row["run_id"]) for row in overdue}:
            await _tried(self.expire(owner, run_id), run_id)

    def _begin_to_cancel(self, run_id: str) -> None:
        """Cancel a run; a tool at work may hold that up, and nothing else shall wait for it."""
        if run_id not in self._tasks:
            task = asyncio.create_task(_tried(self.engine.cancel(run_id), run_id), name=f"cancel {run_id}")
            self._tasks[run_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(run_id, None))


async def keep(doing: Callable[[], Awaitable[None]], what: str, every: float) -> None:
    """Do it again and again until cancelled, whatever goes wrong with `what`."""
    while True:
        try:
            await doing()
        except Exception:
            log.exception("could not look after %s", what)
        await asyncio.sleep(every)


async def _tried(work: Awaitable[object], run_id: str) -> None:
    try:
        await work
    except Exception:
        log.exception("could not look after run %s", run_id)
