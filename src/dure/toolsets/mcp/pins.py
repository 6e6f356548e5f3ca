"""What the tools of MCP servers said of themselves when they were accepted.

A server may change name, schema, description and hints of a tool at any time, and models read them: a way in for
whoever gets hold of it. So what a server lists when it is first met is kept. Later a tool is offered as it was kept,
and one that has become another says so; one that came later is not offered until it is accepted.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from dure.messages import canonical, short
from dure.storage import Database
from dure.storage.schema import mcp_tools
from dure.storage.sql import insert, upsert

if TYPE_CHECKING:
    from mcp_types import Tool as RemoteTool

log = logging.getLogger(__name__)

Definition = dict[str, Any]
Known = dict[str, dict[str, Definition]]
"""Definitions by server and tool."""
_SHOWN = 120
_EVERY = 2.0
"""Seconds after which an acceptance counts on other servers at the latest."""
NEW = "new"


def defined(remote: "RemoteTool") -> Definition:
    """All that a tool says of itself."""
    parts = {"name", "title", "description", "input_schema", "annotations"}
    return remote.model_dump(mode="json", include=parts, exclude_none=True)


class Pins:
    """What is `Known`; the processes of a database go by the same (`share`, `shared`)."""

    def __init__(self) -> None:
        self._known: Known = {}
        self._shared: Known = {}
        """What the others go by, as far as is known here."""
        self._accepted: set[str] = set()
        """Of whose tools the others do not know yet."""

    def met(self, server: str, listed: "Iterable[RemoteTool]") -> None:
        """Keep what a server lists where nothing is known of it."""
        if server not in self._known:
            self._known[server] = {each.name: defined(each) for each in listed}

    def accept(self, server: str, listed: "Iterable[RemoteTool]") -> None:
        """Keep what a server lists in place of what was known of it."""
        self._known[server] = {each.name: defined(each) for each in listed}
        self._accepted.add(server)

    async def share(self, database: Database) -> None:
        """Go by what the other processes of the database go by, and let them know what was met and accepted here."""
        known, accepted = dict(self._known), frozenset(self._accepted)
        self._shared = await database.write(_share, known, accepted)
        self._accepted -= accepted
        # What was met or accepted meanwhile is shared the next time.
        news = {name: tools for name, tools in self._known.items() if tools != known.get(name)}
        self._known = {**self._shared, **news}

    @asynccontextmanager
    async def shared(self, database: Database) -> AsyncIterator[None]:
        """Shares at once, again and again, and in the end what is left."""
        await self.share(database)
        sharing = asyncio.create_task(self._keep_sharing(database))
        try:
            yield
        finally:
            sharing.cancel()
            if self._known != self._shared:
                await self._try_to_share(database)

    async def _keep_sharing(self, database: Database) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await self._try_to_share(database)

    async def _try_to_share(self, database: Database) -> None:
        try:
            await self.share(database)
        except Exception as error:
            log.warning("what MCP servers list could not be shared: %s", error)

    def of(self, server: str, remote: "RemoteTool") -> tuple[Definition | None, str]:
        """A tool as it was kept, None for one that was not there, and what it says by now that is not the same."""
        kept, present = self._known.get(server, {}).get(remote.name), defined(remote)
        if kept is None:
            return None, NEW
        names = [name for name in {**kept, **present} if canonical(kept.get(name)) != canonical(present.get(name))]
        then, now = ([short(canonical(of.get(name)).decode(), _SHOWN) for name in names] for of in (kept, present))
        return kept, "; ".join(f"{name}: {a} → {b}" for name, a, b in zip(names, then, now, strict=True))


def _share(connection: sa.Connection, known: Known, accepted: Collection[str]) -> Known:
    """What all processes go by: of servers that were `accepted` what is known here, of the others what is stored, and
    what is known here where nothing is."""
    for server, tools in known.items():
        if server in accepted:
            upsert(connection, mcp_tools, {"server": server}, {"tools": tools})
        else:
            new = insert(connection, mcp_tools).values(server=server, tools=tools)
            connection.execute(new.on_conflict_do_nothing())
    return {row.server: row.tools for row in connection.execute(sa.select(mcp_tools))}
