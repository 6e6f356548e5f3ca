import sqlite3
import threading

import pytest

from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_engine import MAX_BYTES, MAX_CELL, Engine, NotAuthorized
from dure.packs.papers.tools.sql_tables import MAX_ROWS, TABLES


def test_gives_columns_rows_and_time(engine):
    found = engine.query("SELECT id, year AS y, citations * 1.5 FROM papers WHERE id IN ('p6', 'p7') ORDER BY id")
    assert found.columns == ["id", "y", "citations * 1.5"]
    assert found.rows == [["p6", 2022, 12000.0], ["p7", 2023, None]]
    assert found.cut is False
    assert found.seconds > 0


def test_bounds_rows_bytes_and_cells(large):
    rows = large.query("SELECT id FROM papers")
    assert len(rows.rows) == MAX_ROWS
    assert rows.cut
    assert not large.query(f"SELECT id FROM papers LIMIT {MAX_ROWS}").cut
    cell = large.query("SELECT replace(replace('" + "a" * 50 + "', 'a', '" + "b" * 50 + "'), 'b', '가')").rows[0][0]
    assert cell == "가" * MAX_CELL + "…"
    wide = large.query(
        "SELECT " + ", ".join(f"replace('{'a' * 40}', 'a', title) AS c{i}" for i in range(9)) + " FROM papers"
    )
    size = sum(len(each.encode()) for row in wide.rows for each in row)
    assert wide.cut
    assert size <= MAX_BYTES
    assert engine_bytes(large) == "[2 bytes]"


def engine_bytes(engine):
    return engine.query("SELECT x'0102'").rows[0][0]


@pytest.mark.parametrize("table", TABLES)
def test_reads_every_column_it_shows(engine, table):
    assert engine.query(f"SELECT * FROM {table}").columns == list(TABLES[table])
    assert engine.query(f"SELECT count(*) FROM {table}").rows[0][0] > 0


def test_stops_in_time(large):
    with pytest.raises(ToolInputError, match="too long"):
        large.query("SELECT count(*) FROM papers a, papers b, papers c", seconds=0.2, steps=10**15)


def test_stops_after_its_steps(large):
    with pytest.raises(ToolInputError, match="too long"):
        large.query("SELECT count(*) FROM papers a, papers b", seconds=60.0, steps=100_000)
    assert large.query("SELECT count(*) FROM papers").rows == [[3_000]]


def test_leaves_no_timer_behind(engine):
    before = threading.active_count()
    for _ in range(20):
        engine.query("SELECT 1")
    assert threading.active_count() == before


def test_tells_sqlites_own_words(engine):
    with pytest.raises(ToolInputError, match="no such function: year"):
        engine.query("SELECT year(1)")
    with pytest.raises(ToolInputError, match="misuse of aggregate") as caught:
        engine.query("SELECT id FROM papers WHERE count(*) > 1")
    assert caught.value.message("ko").startswith("SQL 오류")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM sqlite_master",
        "SELECT count(*) FROM sqlite_master",
        "SELECT count(*) FROM dbstat",
        "SELECT rowid FROM papers",
        "SELECT random()",
        "WITH t AS (SELECT 1 UNION ALL SELECT 1 FROM t) SELECT * FROM t",
        "EXPLAIN SELECT 1",
        "  explain query plan SELECT 1",
        "PRAGMA query_only",
        "VALUES (1)",
        "DELETE FROM papers",
        "CREATE TEMP TABLE x (y)",
    ],
)
def test_denies(engine, sql):
    with pytest.raises(NotAuthorized):
        engine.query(sql, frozenset({"t"}))


def test_names_of_with_open_nothing_else(engine):
    with pytest.raises(NotAuthorized):
        engine.query("WITH t AS (SELECT year FROM papers GROUP BY year) SELECT count(*) FROM t")
    counted = engine.query("WITH t AS (SELECT year FROM papers GROUP BY year) SELECT count(*) FROM t", frozenset({"t"}))
    assert counted.rows == [[9]]
    for name in ("sqlite_master", "pragma_database_list", "dbstat", "json_each"):
        with pytest.raises(NotAuthorized):
            engine.query(f"SELECT count(*) FROM {name}", frozenset({name}))


@pytest.mark.parametrize("sql", ["SELECT 1; SELECT 2", "SELECT 1; DELETE FROM papers"])
def test_takes_one_statement(engine, sql):
    with pytest.raises(ToolInputError):
        engine.query(sql)
    assert engine.query("SELECT count(*) FROM papers").rows == [[10]]


def test_without_the_authorizer_it_still_does_not_write(engine):
    """Each of its locks holds alone."""
    made = Engine()
    made.add("authors", ["id", "name"], [(1, "x")])
    made.seal()
    made._db.set_authorizer(None)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        made._db.execute("DELETE FROM authors")
    with pytest.raises(sqlite3.OperationalError, match="too many attached"):
        made._db.execute("ATTACH ':memory:' AS x")
    with pytest.raises(sqlite3.OperationalError):
        made._db.execute("SELECT load_extension('x')")
    made.close()


def test_takes_only_known_tables_and_columns():
    made = Engine()
    with pytest.raises(KeyError):
        made.add("users", ["id"], [])
    with pytest.raises(KeyError):
        made.add("papers", ["id", "abstract"], [])
    made.close()
