"""Shelves as those manage them who run Dure: made, given members, deleted."""

from typing import Any

from dure.storage import shelves
from dure.storage.database import Database
from dure.storage.files import Files


class Shelves:
    """Who may read and change the documents that several owners share. Every change holds from the next query on."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    async def list(self, owner: str) -> list[dict[str, Any]]:
        """All shelves, see `storage.shelves.listing`; those that the owner may read have a `role`."""
        return await self._database.read(shelves.listing, owner)

    async def put(self, shelf: str, member: str, role: str = "reader", maker: str = "") -> None:
        """Make an owner, or "*" for all, a `reader` or `editor` of a shelf, which is made where there is none: for
        readers alone, `maker` is its editor. Raises InvalidInput for a name that no shelf or member can have."""
        await self._database.write(shelves.put, shelf, member, role, maker)

    async def remove(self, shelf: str, member: str) -> None:
        """Take a member off a shelf. Raises NotFound, and Conflict for the last one."""
        await self._database.write(shelves.remove, shelf, member)

    async def delete(self, shelf: str) -> None:
        """Delete a shelf and all that stands on it. Raises NotFound."""
        for file in await self._database.write(shelves.delete, shelf):
            await self._files.delete(file)
