"""What the tools of MCP servers said of themselves when they were accepted.

A server may change name, schema, description and hints of a tool at any time, and models read them: a way in for
whoever gets hold of it. So what a server lists when it is first met is kept. Later a tool is offered as it was kept,
and one that has become another says so; one that came later is not offered until it is accepted.
"""

import asyncio
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from dure.errors import SettingsError
from dure.messages import canonical, json_bytes, short
from dure.storage import Database, pins

if TYPE_CHECKING:
    from mcp_types import Tool as RemoteTool

log = logging.getLogger(__name__)

Definition = dict[str, Any]
_SHOWN = 120
_EVERY = 2.0
"""Seconds after which an acceptance counts on other servers at the latest."""
NEW = "new"


def defined(remote: "RemoteTool") -> Definition:
    """All that a tool says of itself."""
    parts = {"name", "title", "description", "input_schema", "annotations"}
    return remote.model_dump(mode="json", include=parts, exclude_none=True)


class Pins:
    """Definitions by server and tool, in a JSON file that the processes of a data folder share; without one, of this
    object alone. Those of a database share them by `share`."""

    def __init__(self, file: Path | None) -> None:
        self._file, self._read = file, 0
        self._known: dict[str, dict[str, Definition]] = {}
        self._accepted: set[str] = set()
        """Of whose tools the other processes of the database do not know yet."""

    def met(self, server: str, listed: "Iterable[RemoteTool]") -> None:
        """Keep what a server lists where nothing is known of it."""
        if server not in self._load():
            self._keep({server: {each.name: defined(each) for each in listed}})

    def accept(self, server: str, listed: "Iterable[RemoteTool]") -> None:
        """Keep what a server lists in place of what was known of it."""
        self._keep({server: {each.name: defined(each) for each in listed}})
        self._accepted.add(server)

    async def share(self, database: Database) -> None:
        """Go by what the other processes of the database go by, and let them know what was accepted here."""
        known, accepted = self._load(), frozenset(self._accepted)
        shared = await database.write(pins.share, known, accepted)
        self._accepted -= accepted
        # What was met or accepted meanwhile is shared the next time.
        news = {name: tools for name, tools in self._load().items() if tools != known.get(name)}
        if (together := {**shared, **news}) != self._load():
            self._keep(together)

    async def keep_sharing(self, database: Database) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(_EVERY)
            try:
                await self.share(database)
            except Exception as error:
                log.warning("what MCP servers list could not be shared: %s", error)

    def _keep(self, changed: dict[str, dict[str, Definition]]) -> None:
        self._known = {**self._load(), **changed}
        if self._file is None:
            return
        try:
            beside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            beside.write_bytes(json_bytes(self._known))
            beside.replace(self._file)
            self._read = self._file.stat().st_mtime_ns
        except OSError as error:
            log.warning("what MCP servers list could not be kept: %s", error)

    def of(self, server: str, remote: "RemoteTool") -> tuple[Definition | None, str]:
        """A tool as it was kept, None for one that was not there, and what it says by now that is not the same."""
        kept, present = self._load().get(server, {}).get(remote.name), defined(remote)
        if kept is None:
            return None, NEW
        names = [name for name in {**kept, **present} if canonical(kept.get(name)) != canonical(present.get(name))]
        then, now = ([short(canonical(of.get(name)).decode(), _SHOWN) for name in names] for of in (kept, present))
        return kept, "; ".join(f"{name}: {a} → {b}" for name, a, b in zip(names, then, now, strict=True))

    def _load(self) -> dict[str, dict[str, Definition]]:
        """Raises SettingsError for a file that is damaged: what it held is not taken for new."""
        if self._file is None:
            return self._known
        try:
            changed = self._file.stat().st_mtime_ns
            if changed != self._read:
                self._known, self._read = orjson.loads(self._file.read_bytes()), changed
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            raise SettingsError(key=str(self._file), reason=str(error)) from None
        return self._known
