"""All rows of one owner, deleted."""

import sqlalchemy as sa

from dure.errors import InvalidInput, phrase
from dure.storage import shelves
from dure.storage.documents import empty
from dure.storage.schema import documents, metadata, shelf_members
from dure.storage.sql import count_up


def leave(connection: sa.Connection, owner: str) -> None:
    """Take an owner off all shelves. Raises InvalidInput for what no owner is called, Conflict for the last member of
    one."""
    if owner == shelves.EVERYBODY or not shelves.MEMBER.fullmatch(owner):
        raise InvalidInput(reason=phrase("storage_owners.name"), key="owner")
    mine = sa.select(shelf_members.c.shelf).where(shelf_members.c.member == owner, shelf_members.c.role.is_not(None))
    for shelf in connection.execute(mine).scalars().all():
        shelves.remove(connection, shelf, owner)


def erase(connection: sa.Connection, owner: str) -> list[str]:
    """Delete all that is an owner's, of the packs that are on too, but the counters that tell other processes so.
    Returns the names of its documents' files."""
    found = connection.execute(sa.select(documents.c.number, documents.c.file).where(documents.c.owner == owner)).all()
    for number, _ in found:
        # Their words are taken out of the index; one by one, since each may be long.
        empty(connection, owner, [number])
    connection.execute(sa.delete(shelf_members).where(shelf_members.c.member == owner))
    for table in reversed(metadata.sorted_tables):
        if "owner" in table.c and "version" in table.c:
            count_up(connection, table, owner)
        elif "owner" in table.c:
            connection.execute(sa.delete(table).where(table.c.owner == owner))
    return [file for _, file in found]
