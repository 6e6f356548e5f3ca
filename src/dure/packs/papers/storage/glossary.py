"""The terms of the glossary that owners have of their own."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from dure.packs.papers.storage.schema import glossary
from dure.storage.database import now


def add(connection: sa.Connection, owner: str, values: Mapping[str, Any]) -> None:
    """Store a term, as the values of its columns."""
    connection.execute(glossary.insert().values(owner=owner, created_at=now(), **values))


def listing(connection: sa.Connection, owner: str) -> list[sa.RowMapping]:
    """The owner's terms in the order they were added."""
    query = sa.select(glossary).where(glossary.c.owner == owner).order_by(glossary.c.number)
    return list(connection.execute(query).mappings())


def delete(connection: sa.Connection, owner: str, id: str) -> None:
    connection.execute(glossary.delete().where(glossary.c.id == id, glossary.c.owner == owner))
