"""Looks about once a second for work that nobody else will do.

Runs whose process died are taken over, approvals whose time is over count as "no", and runs of this process that
another was asked to cancel are cancelled.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from dure.runs.presence import Presence
from dure.storage import Database
from dure.storage import approvals as approval_rows
from dure.storage import runs as run_rows

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two looks."""


class Watch:
    """take_over(owner, run id): go on with a run that this process has just taken.
    expire(owner, run id): decide what is overdue. cancel(run id): stop a run of this process."""

    def __init__(
        self,
        database: Database,
        presence: Presence,
        take_over: Callable[[str, str], Awaitable[None]],
        expire: Callable[[str, str], Awaitable[None]],
        cancel: Callable[[str], Awaitable[object]],
    ) -> None:
        self._database = database
        self._presence = presence
        self._take_over = take_over
        self._expire = expire
        self._cancel = cancel
        self._task: asyncio.Task[None] | None = None
        self._for_others = True

    def start(self, *, for_others: bool) -> None:
        """Begin to look: for what concerns this process's own runs, and `for_others` too."""
        self._for_others = for_others
        self._task = asyncio.create_task(self._keep_looking(), name="dure-watch")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep_looking(self) -> None:
        while True:
            try:
                await self._presence.beat()
                await self.look()
            except Exception:
                log.exception("could not look for abandoned runs")
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Look once."""
        me = self._presence.id
        for run_id in await self._database.read(run_rows.to_cancel, me):
            await self._cancel(run_id)
        if not self._for_others:
            return
        left = await self._database.read(run_rows.abandoned, me)
        living = await self._presence.living(row["executor"] for row in left if row["executor"])
        for row in left:
            if row["executor"] in living:
                continue
            if await self._database.write(run_rows.take, row["id"], row["executor"], me):
                await self._take_over(row["owner"], row["id"])
        overdue = await self._database.read(approval_rows.overdue)
        for owner, run_id in {(row["owner"], row["run_id"]) for row in overdue}:
            await self._expire(owner, run_id)
