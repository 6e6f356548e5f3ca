"""Secrets in the database."""

import asyncio
from pathlib import Path

import sqlalchemy as sa
from pydantic import SecretStr

from dure.storage import Database
from dure.storage.schema import secrets
from dure.storage.vault import Vault


async def test_secrets_are_sealed(database: Database, tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    vault = Vault(database, None, key)
    assert await vault.get("a") is None
    assert not key.exists()
    await vault.put("a", b"first")
    await vault.put("a", b"hunter2")
    assert key.stat().st_mode & 0o777 == 0o600
    assert await Vault(database, None, key).get("a") == b"hunter2"

    def stored(connection: sa.Connection) -> list[bytes]:
        return list(connection.execute(sa.select(secrets.c.sealed)).scalars())

    (sealed,) = await database.read(stored)
    assert b"hunter2" not in sealed
    # With another key, as where a backup was put back elsewhere, it is as if nothing had been kept.
    key.unlink()
    assert await Vault(database, None, key).get("a") is None
    await vault.put("a", None)
    assert await database.read(stored) == []


async def test_a_key_that_is_given(database: Database, tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    await Vault(database, SecretStr("아무 글"), key).put("a", b"x")
    assert await Vault(database, SecretStr("아무 글"), key).get("a") == b"x"
    assert await Vault(database, SecretStr("other"), key).get("a") is None
    assert not key.exists()


async def test_changes_at_a_time_are_all_kept(database: Database, tmp_path: Path) -> None:
    vault = Vault(database, None, tmp_path / "secret.key")
    await vault.put("a", b"")
    await asyncio.gather(*(vault.change("a", lambda kept, one=one: (kept or b"") + one) for one in (b"x", b"y") * 20))
    assert sorted(await vault.get("a") or b"") == sorted(b"xy" * 20)
    await vault.change("a", lambda _: None)
    assert await vault.names("a") == []
