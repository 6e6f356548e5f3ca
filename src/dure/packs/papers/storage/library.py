"""An owner's library as a whole: its shelf of documents, the count of its changes; which shipped papers are loaded.

The index of documents keeps papers on shelves of their own, apart from the owners' documents.
"""

import sqlalchemy as sa

from dure.errors import InvalidInput
from dure.packs.papers import TEXTS
from dure.packs.papers.storage.schema import library_versions, starter_sets
from dure.storage.sql import count_up, insert

SHARED = "papers/"
"""The shelf of the papers that everybody sees."""

LONGEST_OWNER = 56
"""Characters of an owner's name, so that the shelf's fits the column; it has no "/", so that it is never a shelf's."""


def shelf(owner: str) -> str:
    """The shelf of an owner's own papers; of everybody's for ""."""
    return SHARED + owner


def shelves(owner: str) -> tuple[str, str]:
    """The shelves that an owner may read: everybody's, the owner's own."""
    return SHARED, shelf(owner)


def check_owner(owner: str) -> None:
    """Raises InvalidInput for a name that no shelf can have."""
    if not owner or "/" in owner or len(owner) > LONGEST_OWNER:
        raise InvalidInput(reason=TEXTS.phrase("library.owner", most=LONGEST_OWNER))


def touch(connection: sa.Connection, owner: str) -> None:
    """Note that the owner's papers or glossary have changed; "" for everybody's."""
    count_up(connection, library_versions, owner)


def version(connection: sa.Connection, owner: str) -> str:
    """Changes whenever what the owner sees of papers and glossary has changed."""
    query = sa.select(library_versions.c.owner, library_versions.c.version)
    found = {row[0]: row[1] for row in connection.execute(query.where(library_versions.c.owner.in_(["", owner])))}
    return f"{found.get('', 0)}.{found.get(owner, 0)}"


def starter_digest(connection: sa.Connection, name: str) -> str | None:
    """The digest of the content of a shipped set that was loaded last."""
    return connection.execute(sa.select(starter_sets.c.digest).where(starter_sets.c.name == name)).scalar()


def claim_starter(connection: sa.Connection, name: str, digest: str) -> bool:
    """Whether a shipped set of that content is to be loaded, in this transaction, and by nobody else.

    To be called first in the transaction: other processes that would load it wait here until it has ended.
    """
    new, other = insert(connection, starter_sets).values(name=name, digest=digest), starter_sets.c.digest != digest
    row = new.on_conflict_do_update(index_elements=["name"], set_={"digest": digest}, where=other)
    return connection.execute(row.returning(starter_sets.c.name)).first() is not None
