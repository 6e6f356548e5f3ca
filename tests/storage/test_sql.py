"""Statements that are built once, on both databases."""

from typing import Any

import pytest
import sqlalchemy as sa

from dure.storage import Database, runs, sessions
from dure.storage.schema import knowledge_versions, messages
from dure.storage.schema import runs as t
from dure.storage.sql import among, count_up


def row(run_id: str, **more) -> dict:
    base = {"id": run_id, "owner": "me", "session_id": run_id, "team": "t", "status": "running", "message": "가%\x01:x"}
    return base | {"options": {"a": [1, None, "가"]}, "created_at": "t"} | more


def compiled_by(database: Database) -> dict[Any, Any]:
    """What SQLAlchemy compiles for it from now on; nothing of it is ever forgotten."""
    compiled: dict[Any, Any] = {}
    for engine in (database.engine, database._reading):
        engine.update_execution_options(compiled_cache=compiled)
    return compiled


async def test_rows_are_stored_as_they_are_read(database: Database) -> None:
    for each in (row("a", answer={"x": 1}), row("b", answer=None)):
        await database.write(runs.insert, each)
    found = [await database.read(runs.get, "me", id) for id in "ab"]
    assert [each and each["answer"] for each in found] == [{"x": 1}, None]
    assert found[0] is not None
    assert found[0]["options"] == {"a": [1, None, "가"]}
    assert found[0]["message"] == "가%\x01:x"
    without = sa.select(t.c.id).where(t.c.answer.is_(None))
    assert await database.read(lambda c: c.execute(without).scalars().all()) == ["b"]


async def test_only_the_rows_meant_are_changed(database: Database) -> None:
    for id in "ab":
        await database.write(runs.insert, row(id))
    await database.write(runs.leave, "me", "a", "completed", {})
    await database.write(runs.leave, "you", "b", "completed")
    assert [(await database.read(runs.get, "me", id) or {})["status"] for id in "ab"] == ["completed", "running"]


async def test_an_error_undoes_the_transaction(database: Database) -> None:
    await database.write(runs.insert, row("a"))

    def twice(connection: sa.Connection) -> None:
        runs.insert(connection, row("b"))
        runs.insert(connection, row("a"))

    with pytest.raises(sa.exc.IntegrityError):
        await database.write(twice)
    assert await database.read(lambda c: c.execute(sa.select(t.c.id)).scalars().all()) == ["a"]


async def test_a_list_may_have_any_length_in_one_statement(database: Database) -> None:
    for id in ("a", "b%", "가'\"]\0"):
        await database.write(runs.insert, row(id.replace("\0", "")))
    statement = sa.select(t.c.id).where(among(t.c.id, "ids"), t.c.owner == sa.bindparam("owner")).order_by(t.c.id)
    compiled = compiled_by(database)
    kept = None
    for ids, owner in ([["a", "b%", "x"], "me"], [["가'\"]"], "me"], [[], "me"], [["a"], "you"]):
        found = await database.read(
            lambda c, **values: c.execute(statement, values).scalars().all(), ids=ids, owner=owner
        )
        assert found == [id for id in ids if id != "x" and owner == "me"]
        assert kept in (None, len(compiled))
        kept = len(compiled)
    for many in (0, 1, 100_000):
        counted = sa.select(sa.func.count()).select_from(t).where(among(t.c.id, [*map(str, range(many)), "a"]))
        assert await database.read(lambda c, query=counted: c.execute(query).scalar()) == 1
        assert len(compiled) == kept + 1
    numbers = sa.select(sa.func.count()).select_from(messages)
    assert await database.read(lambda c: c.execute(numbers.where(among(messages.c.id, {1, 2}))).scalar()) == 0
    assert await database.read(lambda c: c.execute(numbers.where(~among(messages.c.id, []))).scalar()) == 0


async def test_a_list_is_looked_up_by_the_index(database: Database) -> None:
    query = sa.select(t.c.team).where(among(t.c.id, "ids")).compile(dialect=database.engine.dialect)
    explain, ids = ("EXPLAIN QUERY PLAN", '["a"]') if database.is_sqlite else ("EXPLAIN", ["a"])
    plan = await database.read(lambda c: str(c.exec_driver_sql(f"{explain} {query}", {"ids": ids}).all()))
    assert ("SEARCH runs USING INDEX" if database.is_sqlite else "Index Scan using runs_pkey") in plan


async def test_what_every_message_needs_is_compiled_once(database: Database) -> None:
    compiled = compiled_by(database)

    async def message(number: int) -> None:
        place = ("me", f"s{number}")
        await database.write(sessions.touch, *place, "title")
        await database.write(sessions.add_message, *place, f"r{number}", "user", "text")
        await database.write(runs.insert, row(f"r{number}", session_id=f"s{number}", executor="x"))
        await database.write(runs.append_if_held, "x", [("me", f"r{number}", [(1, "k", "at", {}), (2, "k", "at", {})])])
        await database.write(runs.leave, "me", f"r{number}", "completed", {"response": ""})
        assert await database.read(sessions.state, *place) == (None, 0, None, None)
        assert len(await database.read(sessions.last_messages, *place, 0, 9)) == 1
        assert len(await database.read(runs.events, "me", f"r{number}")) == 2

    await message(1)
    kept = len(compiled)
    await message(2)
    assert len(compiled) == kept > 0


async def test_versions_are_counted_for_each_owner(database: Database) -> None:
    for owner in ("a", "b", "a"):
        await database.write(count_up, knowledge_versions, owner)
    query = sa.select(knowledge_versions.c.owner, knowledge_versions.c.version)
    assert dict(await database.read(lambda c: c.execute(query).all())) == {"a": 2, "b": 1}


async def test_a_write_keeps_others_out_from_its_first_query_on(tmp_path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}"
    one = await Database.open(url)
    other = sa.create_engine(url, connect_args={"timeout": 0})

    def reading_first(connection: sa.Connection) -> bool:
        connection.execute(sa.select(messages)).all()
        with other.connect() as outside, pytest.raises(sa.exc.OperationalError, match="locked"):
            outside.execute(sa.delete(messages))
        return True

    assert await one.write(reading_first)
    await one.close()
    other.dispose()
