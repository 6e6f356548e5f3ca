"""All that is kept of one owner, deleted: for people who leave, or who ask for it."""

from typing import TYPE_CHECKING

from dure.pack import loaded
from dure.storage import retention, shelves

if TYPE_CHECKING:
    from dure.app import Dure

_EVER = "9"
"""Later than any time."""
_ALL = 1_000_000
"""More runs than are open."""


async def erase(dure: "Dure", owner: str) -> dict[str, int]:
    """Cancel an owner's runs, then delete conversations with all that belongs to them, schedules, documents, and what
    packs that are on keep; on shelves the owner is a member no more, and what stands there stays. Returns how many
    `sessions`, `schedules` and `documents` went.

    Whoever still has a key can begin anew meanwhile. Raises InvalidInput for what is no owner's name, and Conflict,
    with nothing deleted, for the last member of a shelf.
    """
    await dure.database.write(shelves.leave, owner)
    schedules = await dure.schedules.list(owner)
    for each in schedules:
        await dure.schedules.remove(owner, each["id"])
    for each in await dure.runs.list(owner, status=("queued", "running", "waiting"), limit=_ALL):
        await dure.runs.cancel(owner, each["id"])
    sessions = await dure.database.read(retention.older, owner, _EVER)
    for session in sessions:
        await dure.runs.sessions.delete(owner, session)
    for pack in dure.on:
        if pack.erase:
            await loaded(pack.name, pack.erase)(dure, owner)
    files = await dure.database.write(retention.erase, owner)
    for file in files:
        await dure.files.delete(file)
    return {"sessions": len(sessions), "schedules": len(schedules), "documents": len(files)}
