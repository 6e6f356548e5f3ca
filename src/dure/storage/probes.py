"""Finding out whether the database takes and gives anything."""

import sqlalchemy as sa

from dure.storage.schema import probes
from dure.storage.sql import clock, upsert


def put(connection: sa.Connection, id: str) -> None:
    upsert(connection, probes, {"id": id}, {"at": clock()})


def there(connection: sa.Connection, id: str) -> bool:
    return connection.scalar(sa.select(probes.c.at).where(probes.c.id == id)) is not None
