"""Conversations not gone on with for as many days as their owner says, or `DURE_RETENTION_DAYS`, are deleted."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dure.errors import NotFound, SessionBusy, SessionWaiting
from dure.runs.sessions import Sessions
from dure.runs.watch import keep
from dure.storage import Database, stamp
from dure.storage import retention as rows

log = logging.getLogger(__name__)

EVERY = 86_400.0
"""Seconds between two looks."""


@dataclass
class Retention:
    """`limit`: the most days for all owners; None: they alone decide."""

    database: Database
    sessions: Sessions
    limit: int | None

    async def days(self, owner: str) -> int | None:
        """What the owner said; None: nothing."""
        return await self.database.read(rows.get, owner)

    async def due(self, owner: str, days: int | None) -> tuple[str, list[str]]:
        """A time, and the ids of the conversations last used before it, which go where the owner says so many days:
        none that waits for somebody or is being answered."""
        said = [each for each in (days, self.limit) if each is not None]
        before = stamp(datetime.now(UTC) - timedelta(days=min(said))) if said else ""
        return before, await self.database.read(rows.older, owner, before)

    async def keep(self, owner: str, days: int | None) -> int:
        """Keep the owner's conversations so many days; None: as long as the server does. Returns how many went."""
        await self.database.write(rows.put, owner, days)
        return await self._tidy(owner, days)

    async def daily(self) -> None:
        """Delete what is due, of all owners, now and once a day until cancelled."""
        await keep(self.look, "old conversations", EVERY)

    async def look(self) -> None:
        """Delete once what is due, of all owners."""
        for owner in await self.database.read(rows.owners):
            await self._tidy(owner, await self.days(owner))

    async def _tidy(self, owner: str, days: int | None) -> int:
        before, ids = await self.due(owner, days)
        gone = 0
        for session_id in ids:
            # Meanwhile another process may have deleted it, or its owner gone on with it.
            with suppress(NotFound, SessionBusy, SessionWaiting):
                await self.sessions.delete(owner, session_id, unused_since=before)
                gone += 1
        if gone:
            log.info("%d old conversations of %s were deleted", gone, owner)
        return gone
