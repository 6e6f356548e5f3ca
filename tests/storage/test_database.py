"""Opening, migrating, reading and writing."""

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command

from dure.errors import SettingsError
from dure.pack import chosen
from dure.registry import load
from dure.storage import Database, runs, sessions
from dure.storage.migrations import CORE, config_of
from dure.storage.migrations.chain import Chain
from dure.storage.schema import metadata


@pytest.mark.filterwarnings("ignore:Did not recognize type 'halfvec'")
async def test_migrations_lead_to_the_schema(database: Database) -> None:
    def shape(connection: sa.Connection) -> dict:
        inspector = sa.inspect(connection)
        return {
            name: (
                {c["name"] for c in inspector.get_columns(name)},
                # PostgreSQL lists the index behind a unique constraint too.
                {i["name"] for i in inspector.get_indexes(name) if not i.get("duplicates_constraint")},
            )
            for name in metadata.tables
        }

    wanted = {n: ({c.name for c in t.columns}, {i.name for i in t.indexes}) for n, t in metadata.tables.items()}
    assert await database.read(shape) == wanted


@pytest.mark.parametrize(
    "chain", [CORE, *(load(pack.tables) for pack in chosen(()) if pack.tables)], ids=lambda c: c.table
)
def test_head_is_the_last_migration(chain: Chain) -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(config_of(chain)).get_current_head() == chain.head


async def test_alembic_finds_a_new_database_at_its_head(database: Database) -> None:
    def again(connection: sa.Connection) -> list[str]:
        config = config_of(CORE)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        return list(connection.scalars(sa.text(f"SELECT version_num FROM {CORE.table}")))

    assert await database.write(again) == [CORE.head]


def test_a_new_database_is_made_without_what_migrates_or_speaks_to_another(tmp_path: Path) -> None:
    code = f"import asyncio, sys; from dure.storage import Database\nopened = Database.open('sqlite:///{tmp_path}/dure.db')"
    code += "\nasync def main(): await (await opened).close()\nasyncio.run(main()); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "sqlalchemy.dialects.sqlite" in loaded
    assert {"alembic", "sqlalchemy.dialects.postgresql"} & set(loaded) == set()


async def test_what_some_rows_alone_stand_in_is_made_so(database: Database) -> None:
    def wheres(connection: sa.Connection) -> set[str | None]:
        found = sa.inspect(connection).get_indexes("runs")
        return {str(each["dialect_options"][f"{connection.dialect.name}_where"]) for each in found if each["unique"]}

    assert all("queued" in str(each) for each in await database.read(wheres))
    assert len(await database.read(wheres)) == 1


async def test_a_database_opens_again_with_what_it_had(database_url: str) -> None:
    first = await Database.open(database_url)
    await first.write(sessions.touch, "me", "s", "a title")
    await first.close()
    second = await Database.open(database_url)
    assert (await second.read(sessions.get, "me", "s"))["title"] == "a title"
    await second.close()


async def test_of_several_that_open_a_new_database_at_once_one_makes_its_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/dure.db"
    opened = await asyncio.gather(*(Database.open(url) for _ in range(4)))
    for number, each in enumerate(opened):
        await each.write(sessions.touch, "me", f"s{number}", "t")
    assert (
        len(await opened[0].read(lambda connection: connection.execute(sa.text("SELECT id FROM sessions")).all())) == 4
    )
    for each in opened:
        await each.close()


async def test_sqlite_is_in_wal_mode_and_makes_its_folder(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite:///{tmp_path / 'sub' / 'dure.db'}")
    assert await database.read(lambda c: c.execute(sa.text("PRAGMA journal_mode")).scalar()) == "wal"
    await database.close()


async def test_a_write_is_stored_whole_or_not_at_all(database: Database) -> None:
    def half(connection: sa.Connection) -> None:
        sessions.touch(connection, "me", "s", "t")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        await database.write(half)
    assert await database.read(sessions.get, "me", "s") is None


async def test_of_what_is_written_at_once_one_that_raises_takes_nothing_from_the_others(database: Database) -> None:
    def half(connection: sa.Connection) -> None:
        sessions.touch(connection, "me", "half", "t")
        raise RuntimeError("in the middle")

    free = threading.Event()
    busy = asyncio.create_task(database.write(lambda _: free.wait(60)))
    await asyncio.sleep(0)
    works = [database.write(sessions.touch, "me", f"s{n}", "t") for n in range(5)]
    waiting = asyncio.gather(*works, database.write(half), return_exceptions=True)
    await asyncio.sleep(0)
    free.set()
    assert [type(each) for each in await waiting] == [type(None)] * 5 + [RuntimeError]
    assert {row["id"] for row in await database.read(sessions.listed, "me")} == {f"s{n}" for n in range(5)}
    await busy


async def test_the_state_names_kind_and_version(database: Database) -> None:
    wanted = r"SQLite 3\.\d+\.\d+" if database.is_sqlite else r"PostgreSQL \d+\.\d+, pgvector \d+\.\d+\.\d+"
    assert re.fullmatch(wanted, await database.state())


async def test_many_writers_at_once(database: Database) -> None:
    await asyncio.gather(*(database.write(sessions.touch, "me", f"s{n}", "t") for n in range(50)))
    assert len(await database.read(sessions.listed, "me")) == 50


async def test_what_nobody_waits_for_any_more_is_done_all_the_same(database: Database) -> None:
    free, done = threading.Event(), []
    tasks = [
        asyncio.create_task(database.write(lambda _: free.wait(60))),
        asyncio.create_task(database.write(lambda _: done.append(1))),
    ]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    free.set()
    await database.close()
    assert done == [1]
    assert [task.cancelled() for task in tasks] == [True, True]
    with pytest.raises(RuntimeError):
        await database.read(lambda _: None)


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "sqlite:///:memory:"])
async def test_a_url_that_cannot_be_used(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        await Database.open(url)
    assert "DURE_DATABASE_URL" in caught.value.message("en")


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "dure.db").write_bytes(b"this is no database at all" * 100)
    for url in (f"sqlite:///{tmp_path}/dure.db", f"sqlite:///{tmp_path}/dure.db/deep/dure.db"):
        with pytest.raises(SettingsError, match=r"dure\.db: (file is not a database|Not a directory)"):
            await Database.open(url)


async def test_owners_do_not_see_each_other(database: Database) -> None:
    await database.write(sessions.touch, "a", "s", "of a")
    await database.write(sessions.touch, "b", "s", "of b")
    await database.write(sessions.add_message, "a", "s", "r", "user", "hello")
    assert (await database.read(sessions.get, "b", "s"))["title"] == "of b"
    assert await database.read(sessions.transcript, "b", "s") == []
    assert await database.write(sessions.delete, "b", "s")
    assert len(await database.read(sessions.transcript, "a", "s")) == 1


async def test_events_keep_their_order_and_fields(database: Database) -> None:
    rows = [(1, "text", "t1", {"a": "가\u2028\0\\u0000'\""}), (2, "text", "t2", {"n": [1, None]})]
    await database.write(runs.append_events, "me", "r", rows)
    assert await database.read(runs.events, "me", "r") == rows
    assert await database.read(runs.events, "me", "r", 1) == rows[1:]
    assert await database.read(runs.events, "other", "r") == []
    assert await database.read(runs.last_seq, "me", "r") == 2


async def test_a_database_of_a_newer_version_is_refused_in_a_sentence(database_url: str) -> None:
    database = await Database.open(database_url)
    await database.write(lambda c: c.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))
    await database.close()
    with pytest.raises(SettingsError, match="newer") as caught:
        await Database.open(database_url)
    assert "더 새로운 두레의 데이터베이스" in caught.value.message("ko")


async def test_home_stands_for_a_folder_in_the_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    database = await Database.open("sqlite:///~/x/dure.db")
    await database.close()
    assert (tmp_path / "x" / "dure.db").exists()
    with pytest.raises(SettingsError, match="home"):
        await Database.open("sqlite:///~nobody-at-all/dure.db")


@pytest.mark.parametrize(
    "scheme", ["mysql", "duckdb", "postgresql+asyncpg", "postgresql+psycopg2", "sqlite+aiosqlite", "sqlite+pysqlcipher"]
)
async def test_other_databases_and_drivers_are_refused_in_a_sentence(scheme: str) -> None:
    with pytest.raises(SettingsError) as caught:
        await Database.open(f"{scheme}://me:s3cr3t@localhost/x")
    for language in ("en", "ko"):
        said = caught.value.message(language)
        assert "DURE_DATABASE_URL" in said
        assert "sqlite:///" in said
        assert "postgresql://" in said
        assert scheme in said
        assert "s3cr3t" not in said


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite://", "sqlite:///:memory:", "sqlite://host/x.db"])
async def test_a_url_that_names_no_database_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"not a database URL|an SQLite database needs a file"):
        await Database.open(url)
