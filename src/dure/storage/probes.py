"""Finding out whether the database takes and gives anything."""

import sqlalchemy as sa

from dure.storage.schema import probes
from dure.storage.sql import clock, insert


def put(connection: sa.Connection, id: str) -> None:
    new = insert(connection, probes).values(id=id, at=clock())
    connection.execute(new.on_conflict_do_update(index_elements=["id"], set_={"at": clock()}))


def there(connection: sa.Connection, id: str) -> bool:
    return connection.scalar(sa.select(probes.c.at).where(probes.c.id == id)) is not None
