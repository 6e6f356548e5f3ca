"""Shelves: documents that several owners share, and who their members are.

What stands on a shelf is stored as of an owner of its own, `shelf/NAME`, which no owner can be called. Whose rows an
owner may see is asked here, in the transaction of the query itself, so that whoever is no member any more sees nothing.
"""

import re
import unicodedata
from typing import Any

import sqlalchemy as sa

from dure.errors import Conflict, Forbidden, InvalidInput, NotFound, phrase
from dure.storage.database import now
from dure.storage.documents import delete as delete_document
from dure.storage.schema import documents, shelf_members
from dure.storage.sql import Prepared, upsert

PERSONAL = "personal"
"""What an owner's own documents stand on."""
EVERYBODY = "*"
"""The member that stands for all owners."""
ROLES = ("reader", "editor")
_PREFIX = "shelf/"
_NAME = re.compile(r"\w(?:[\w .-]{0,48}[\w.-])?")
MEMBER = re.compile(r"\*|[^\s/*]{1,56}")

_mine = shelf_members.c.member.in_((sa.bindparam("owner"), EVERYBODY))
_READABLE = Prepared(sa.select(shelf_members.c.shelf).where(_mine, shelf_members.c.role.is_not(None)).distinct())


def name_of(holder: str) -> str:
    """The name of the shelf that an owner in the database stands for."""
    return holder.removeprefix(_PREFIX) if holder.startswith(_PREFIX) else PERSONAL


def _composed(shelf: str) -> str:
    """A name as it is stored: Hangul may come in pieces."""
    return unicodedata.normalize("NFC", shelf)


def readable(connection: sa.Connection, owner: str) -> list[str]:
    """As whose documents those are stored that an owner may read: the owner's own, then those of the shelves."""
    return [owner, *(_PREFIX + row[0] for row in _READABLE.run(connection, {"owner": owner}).fetchall())]


def holder_of(connection: sa.Connection, owner: str, shelf: str) -> str:
    """As whose documents those on a shelf are stored. Raises NotFound, also for one that the owner may not read."""
    if shelf == PERSONAL:
        return owner
    holder = _PREFIX + _composed(shelf)
    if holder not in readable(connection, owner):
        raise NotFound(what="shelf", id=shelf)
    return holder


def check_editor(connection: sa.Connection, owner: str, holder: str) -> None:
    """Raises Forbidden where the owner may read what is stored as of `holder`, but not change it."""
    shelf = name_of(holder)
    mine = shelf_members.c.member.in_((owner, EVERYBODY))
    roles = sa.select(shelf_members.c.role).where(shelf_members.c.shelf == shelf, mine)
    if holder != owner and "editor" not in connection.execute(roles).scalars().all():
        raise Forbidden(reason=phrase("storage_shelves.reader", shelf=shelf))


def listing(connection: sa.Connection, owner: str) -> list[dict[str, Any]]:
    """All shelves by name: `{name, documents, members: {member: role}, role}`, `role` the owner's own or None."""
    counts = sa.select(documents.c.owner, sa.func.count()).where(documents.c.owner.startswith(_PREFIX))
    held = {row[0]: row[1] for row in connection.execute(counts.group_by(documents.c.owner))}
    found: dict[str, dict[str, str]] = {}
    members = sa.select(shelf_members).where(shelf_members.c.role.is_not(None))
    for row in connection.execute(members.order_by(shelf_members.c.shelf, shelf_members.c.member)):
        found.setdefault(row.shelf, {})[row.member] = row.role
    return [
        {"name": name, "documents": held.get(_PREFIX + name, 0), "members": its}
        # "editor" comes before "reader".
        | {"role": min((role for member, role in its.items() if member in (owner, EVERYBODY)), default=None)}
        for name, its in found.items()
    ]


def put(connection: sa.Connection, shelf: str, member: str, role: str, maker: str = "") -> None:
    """Make an owner, or EVERYBODY, a member; the first one makes the shelf. maker: an owner who is an editor of a shelf
    that is made for readers alone: else nobody could put anything on it. Raises InvalidInput."""
    shelf = _composed(shelf)
    if not _NAME.fullmatch(shelf) or shelf == PERSONAL or not MEMBER.fullmatch(member) or role not in ROLES:
        raise InvalidInput(reason=phrase("storage_shelves.name", roles=", ".join(ROLES)))
    given = {member: role}
    if maker and role != "editor" and not _has_members(connection, shelf):
        given[maker] = "editor"
    for each, its in given.items():
        upsert(connection, shelf_members, {"shelf": shelf, "member": each}, {"role": its, "changed_at": now()})


def _has_members(connection: sa.Connection, shelf: str) -> bool:
    found = sa.exists().where(shelf_members.c.shelf == shelf, shelf_members.c.role.is_not(None))
    return bool(connection.scalar(sa.select(found)))


def remove(connection: sa.Connection, shelf: str, member: str) -> None:
    """Take an owner off a shelf. Raises NotFound, and Conflict for the last member: the shelf has to be deleted."""
    if not _take(connection, shelf, shelf_members.c.member == member):
        raise NotFound(what="shelf", id=shelf)
    if not _has_members(connection, _composed(shelf)):
        raise Conflict(reason=phrase("storage_shelves.last", shelf=shelf))


def leave(connection: sa.Connection, owner: str) -> None:
    """Take an owner off all shelves. Raises InvalidInput for what no owner is called, Conflict for the last member of
    one."""
    if owner == EVERYBODY or not MEMBER.fullmatch(owner):
        raise InvalidInput(reason=phrase("storage_shelves.owner"), key="owner")
    mine = sa.select(shelf_members.c.shelf).where(shelf_members.c.member == owner, shelf_members.c.role.is_not(None))
    for shelf in connection.execute(mine).scalars().all():
        remove(connection, shelf, owner)


def delete(connection: sa.Connection, shelf: str) -> list[str]:
    """Delete a shelf with its documents. Returns the names of their files. Raises NotFound."""
    if not _take(connection, shelf):
        raise NotFound(what="shelf", id=shelf)
    holder = _PREFIX + _composed(shelf)
    ids = connection.execute(sa.select(documents.c.id).where(documents.c.owner == holder)).scalars().all()
    return [file for id in ids if (file := delete_document(connection, holder, id))]


def _take(connection: sa.Connection, shelf: str, *which: sa.ColumnElement[bool]) -> int:
    # The row stays, and says since when: see `lost`.
    change = shelf_members.update().where(
        shelf_members.c.shelf == _composed(shelf), shelf_members.c.role.is_not(None), *which
    )
    return connection.execute(change.values(role=None, changed_at=now())).rowcount


def lost(connection: sa.Connection, owner: str, since: str) -> bool:
    """Whether an owner was taken off a shelf since then that the owner may not read now."""
    gone = sa.select(shelf_members.c.shelf).where(
        shelf_members.c.member.in_((owner, EVERYBODY)),
        shelf_members.c.role.is_(None),
        shelf_members.c.changed_at >= since,
    )
    mine = readable(connection, owner)
    return any(_PREFIX + shelf not in mine for shelf in connection.execute(gone).scalars())
