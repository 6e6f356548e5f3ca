"""Secrets in the database, sealed (Fernet: AES-128-CBC with HMAC-SHA256) with a key that lies outside of it."""

import base64
import hashlib
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from pydantic import SecretStr

from dure.storage.database import Database
from dure.storage.schema import secrets as table
from dure.storage.sql import upsert

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class Vault:
    """Of a server, not of an owner. key: any text, the same for all processes of a database; None: what `file` holds,
    which is made when something is first kept and which nobody else may read."""

    def __init__(self, database: Database, key: SecretStr | None, file: Path) -> None:
        self._database, self._given, self._file = database, key, file

    async def get(self, name: str) -> bytes | None:
        """What was kept; None for nothing, and for what was sealed with another key."""
        return self._opened(await self._database.read(_get, name))

    async def change(self, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Keep what `change` makes of what was kept, with no other change in between (of what is kept already)."""

        def write(connection: sa.Connection) -> None:
            new = change(self._opened(_get(connection, name, held=True)))
            _put(connection, name, None if new is None else self._fernet.encrypt(new))

        await self._database.write(write)

    async def put(self, name: str, value: bytes | None) -> None:
        """Keep a secret in place of an earlier one; None: forget it."""
        await self._database.write(_put, name, None if value is None else self._fernet.encrypt(value))

    async def names(self, begins: str) -> list[str]:
        """What there is of which the name begins so."""
        return await self._database.read(_names, begins)

    def _opened(self, sealed: bytes | None) -> bytes | None:
        if sealed is None:
            return None
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            return None

    @cached_property
    def _fernet(self) -> "Fernet":
        from cryptography.fernet import Fernet

        if self._given is not None:
            digest = hashlib.sha256(self._given.get_secret_value().encode()).digest()
            return Fernet(base64.urlsafe_b64encode(digest))
        try:
            with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
                new.write(Fernet.generate_key())
        except FileExistsError:
            pass
        return Fernet(self._file.read_bytes())


def _get(connection: sa.Connection, name: str, *, held: bool = False) -> bytes | None:
    query = sa.select(table.c.sealed).where(table.c.name == name)
    return connection.scalar(query.with_for_update() if held else query)


def _names(connection: sa.Connection, begins: str) -> list[str]:
    return list(connection.scalars(sa.select(table.c.name).where(table.c.name.startswith(begins, autoescape=True))))


def _put(connection: sa.Connection, name: str, sealed: bytes | None) -> None:
    if sealed is None:
        connection.execute(sa.delete(table).where(table.c.name == name))
        return
    upsert(connection, table, {"name": name}, {"sealed": sealed})
