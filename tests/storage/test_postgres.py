"""What only PostgreSQL does: connections that are lost, servers that refuse, processes that start at once."""

import asyncio
import sys

import pytest
import sqlalchemy as sa

from dure.errors import DatabaseUnavailable, SettingsError
from dure.storage import Database, postgres, runs, sessions
from dure.storage.migrations import CORE

ENDED = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid()"


@pytest.fixture
async def database(postgres_url):
    database = await Database.open(postgres_url)
    yield database
    await database.close()


@pytest.fixture
def lose(postgres, postgres_url):
    """End all connections to the test's database, as a server does that is restarted."""

    def end() -> None:
        postgres.run(ENDED.replace(":name", f"'{sa.make_url(postgres_url).database}'"))

    return end


async def opened_wrongly(url):
    with pytest.raises(SettingsError) as caught:
        await Database.open(url)
    assert "DURE_DATABASE_URL" in caught.value.message("ko")
    return caught.value.message("en")


async def test_idle_connections_that_were_lost_are_replaced(database, lose):
    await asyncio.gather(*(database.write(sessions.touch, "me", f"s{n}", "t") for n in range(8)))
    lose()
    assert len(await database.read(sessions.listed, "me")) == 8
    lose()
    await asyncio.gather(*(database.write(sessions.touch, "me", f"s{n}", "t") for n in range(8, 16)))
    assert len(await database.read(sessions.listed, "me")) == 16


async def test_a_query_that_loses_its_connection_is_run_again(database, lose):
    times = []

    def interrupted(connection):
        times.append(len(times))
        sessions.touch(connection, "me", f"s{len(times)}", "t")
        if len(times) == 1:
            lose()
        sessions.touch(connection, "me", "last", "t")

    await database.write(interrupted)
    assert [row["id"] for row in await database.read(sessions.listed, "me")] == ["last", "s2"]


async def test_what_was_lost_while_it_was_committed_is_not_run_again(database, lose):
    times = []

    def interrupted(connection):
        times.append(1)
        sessions.touch(connection, "me", "s", "t")
        lose()

    with pytest.raises(DatabaseUnavailable):
        await database.write(interrupted)
    assert len(times) == 1
    assert await database.read(sessions.get, "me", "s") is None


async def test_deadlocks_are_run_again(database):
    await database.write(sessions.touch, "me", "a", "t")
    await database.write(sessions.touch, "me", "b", "t")
    barrier = asyncio.Barrier(2)
    loop = asyncio.get_running_loop()
    tries = []

    def crosswise(connection, first, second):
        sessions.change(connection, "me", first, title=f"from {first}")
        tries.append(first)
        if tries.count(first) == 1:
            asyncio.run_coroutine_threadsafe(barrier.wait(), loop).result()
        sessions.change(connection, "me", second, title=f"from {first}")

    await asyncio.gather(database.write(crosswise, "a", "b"), database.write(crosswise, "b", "a"))
    assert len(tries) == 3
    titles = {row["title"] for row in [await database.read(sessions.get, "me", id) for id in "ab"]}
    assert len(titles) == 1


async def test_an_error_of_a_query_is_not_run_again(database):
    times = []

    def wrong(connection):
        times.append(1)
        connection.execute(sa.text("SELECT 1 / 0"))

    with pytest.raises(sa.exc.DBAPIError):
        await database.read(wrong)
    assert len(times) == 1


async def test_a_server_that_is_gone_is_waited_for_and_then_named(database, postgres_url, lose, postgres, monkeypatch):
    name = sa.make_url(postgres_url).database
    postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    lose()
    waiting = asyncio.create_task(database.write(sessions.touch, "me", "s", "t"))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    await waiting
    monkeypatch.setattr("dure.storage.sqlite.PATIENCE", 0.1)
    postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    lose()
    with pytest.raises(DatabaseUnavailable, match="not currently accepting"):
        await database.read(sessions.listed, "me")
    postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert len(await database.read(sessions.listed, "me")) == 1


async def test_nul_characters_do_no_harm(database):
    """JSON keeps them; in text U+FFFD stands for them."""
    await database.write(sessions.touch, "me", "s", "a\0b")
    assert (await database.read(sessions.get, "me", "s"))["title"] == "a\ufffdb"
    rows = [(1, "text", "t", {"text": "a\0b", "escaped": "\\u0000", "in": [{"\0": 1}]})]
    await database.write(runs.append_events, "me", "r", rows)
    assert await database.read(runs.events, "me", "r") == rows


async def test_processes_that_start_at_once_migrate_once(postgres):
    name = postgres.make()
    try:
        databases = await asyncio.gather(*(Database.open(postgres.at(name)) for _ in range(4)))
        versions = [
            await d.read(lambda c: c.execute(sa.text("SELECT * FROM alembic_version")).all()) for d in databases
        ]
        assert versions == [[(CORE.head,)]] * 4
        for database in databases:
            await database.close()
    finally:
        postgres.drop(name)


async def test_the_usual_spellings_of_a_url(postgres_url):
    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        database = await Database.open(postgres_url.replace("postgresql+psycopg", scheme), pool=2)
        assert (await database.read(postgres.state)).startswith("PostgreSQL ")
        assert "pgvector" in await database.read(postgres.state)
        await database.close()


async def test_connections_are_bounded(postgres_url):
    database = await Database.open(postgres_url, pool=3)
    query = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dure'"
    )
    counts = await asyncio.gather(*(database.read(lambda c: c.execute(query).scalar()) for _ in range(20)))
    assert max(counts) <= 3
    await database.close()


async def test_a_server_that_cannot_be_reached():
    said = await opened_wrongly("postgresql://me:s3cr3t@127.0.0.1:1/dure?connect_timeout=2")
    assert "me:***@127.0.0.1:1/dure" in said
    assert "refused" in said
    assert "s3cr3t" not in said


async def test_a_database_that_is_not_there(postgres):
    assert 'database "nowhere" does not exist' in await opened_wrongly(postgres.at("nowhere"))


async def test_without_psycopg_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "install -c constraints.txt '.[postgres]'" in await opened_wrongly("postgresql://localhost/x")


async def test_without_pgvector_it_is_named(postgres):
    """As a role that may not make extensions; a server without pgvector refuses at the same statement."""
    name = postgres.make()
    role = name.replace("dure_test", "dure_role")
    postgres.run(f"CREATE ROLE {role} LOGIN PASSWORD 's3cr3t'")
    try:
        with sa.create_engine(postgres.at(name), poolclass=sa.NullPool).begin() as connection:
            connection.execute(sa.text(f"GRANT CREATE ON SCHEMA public TO {role}"))
        url = sa.make_url(postgres.at(name)).set(username=role, password="s3cr3t").render_as_string(hide_password=False)
        said = await opened_wrongly(url)
        assert "pgvector is missing (permission denied" in said
        assert "CREATE EXTENSION vector" in said
        assert "s3cr3t" not in said
    finally:
        postgres.drop(name)
        postgres.run(f"DROP ROLE {role}")


async def test_a_wrong_password_is_named_and_not_shown(postgres):
    name = postgres.make()
    postgres.run("CREATE ROLE dure_guarded LOGIN PASSWORD 'right'")
    try:
        url = sa.make_url(postgres.at(name)).set(username="dure_guarded", password="s3cr3t")
        said = await opened_wrongly(url.render_as_string(hide_password=False))
        assert "password authentication failed" in said
        assert "s3cr3t" not in said
    finally:
        postgres.drop(name)
        postgres.run("DROP ROLE dure_guarded")
