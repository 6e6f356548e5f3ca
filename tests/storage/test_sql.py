"""Statements as text, on both databases."""

import pytest
import sqlalchemy as sa

from dure.storage import Database
from dure.storage.schema import messages, runs
from dure.storage.sql import Sql, change, listed, put


def row(run_id: str, **more) -> dict:
    base = {"id": run_id, "owner": "me", "session_id": run_id, "team": "t", "status": "running", "message": "가%\x01:x"}
    return base | {"options": {"a": [1, None, "가"]}, "created_at": "t"} | more


async def test_rows_are_stored_as_sqlalchemy_reads_them(database: Database) -> None:
    await database.write(put, runs, [row("a", answer={"x": 1}), row("b", answer=None)])
    found = await database.read(lambda c: c.execute(sa.select(runs).order_by(runs.c.id)).mappings().all())
    assert [dict(each)["answer"] for each in found] == [{"x": 1}, None]
    assert found[0]["options"] == {"a": [1, None, "가"]}
    assert found[0]["message"] == "가%\x01:x"


async def test_only_the_rows_meant_are_changed_and_counted(database: Database) -> None:
    await database.write(put, runs, [row("a"), row("b")])
    assert await database.write(change, runs, {"owner": "me", "id": "a"}, {"status": "completed", "answer": {}}) == 1
    assert await database.write(change, runs, {"owner": "you", "id": "b"}, {"status": "completed"}) == 0
    found = await database.read(lambda c: c.execute(sa.select(runs.c.status).order_by(runs.c.id)).scalars().all())
    assert found == ["completed", "running"]


async def test_errors_are_sqlalchemys_and_undo_the_transaction(database: Database) -> None:
    await database.write(put, runs, [row("a")])

    def twice(connection: sa.Connection) -> None:
        put(connection, runs, [row("b")])
        put(connection, runs, [row("a")])

    with pytest.raises(sa.exc.IntegrityError):
        await database.write(twice)
    with pytest.raises(sa.exc.DBAPIError):
        await database.read(lambda c: Sql("SELECT nonsense FROM runs").run(c, {}))
    assert await database.read(lambda c: c.execute(sa.select(runs.c.id)).scalars().all()) == ["a"]


async def test_a_percent_sign_is_an_operator_and_no_parameter(database: Database) -> None:
    assert await database.read(Sql("SELECT :number % 3, 'a%'").one, {"number": 5}) == (2, "a%")


async def test_a_statement_put_together_once_finds_what_sqlalchemy_finds(database: Database) -> None:
    await database.write(put, runs, [row("a"), row("b%"), row("가'\"]")])
    some = sa.select(runs.c.id, runs.c.owner).where(runs.c.id.in_(listed("ids")), runs.c.status == "running")
    statement = Sql.of(some.where(runs.c.owner == sa.bindparam("owner")).order_by(runs.c.id))
    for ids, owner in ([["a", "b%", "x"], "me"], [["가'\"]"], "me"], [[], "me"], [["a"], "you"]):
        found = await database.read(statement.rows, {"ids": ids, "owner": owner})
        assert found == [{"id": id, "owner": "me"} for id in ids if id != "x" and owner == "me"]
    assert await database.read(Sql.of(sa.select(sa.func.count()).select_from(runs)).one, {}) == (3,)
    numbers = Sql.of(sa.select(sa.func.count()).select_from(messages).where(messages.c.id.in_(listed("ids"))))
    assert await database.read(numbers.one, {"ids": [1, 2]}) == (0,)


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
