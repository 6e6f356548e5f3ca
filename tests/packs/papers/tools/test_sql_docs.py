from pathlib import Path

import pytest

from dure.packs.papers.tools import sql_child, sql_engine
from dure.packs.papers.tools.sql_tables import MAX_ROWS, TABLES

TEXT = " ".join((Path(__file__).parents[4] / "docs" / "papers.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("table", TABLES)
def test_lists_the_columns(table):
    assert f"| `{table}` | {', '.join(f'`{column}`' for column in TABLES[table])} |" in TEXT


def test_its_limits_are_the_limits():
    limits = sql_engine._LIMITS
    sqlite3 = sql_engine.sqlite3
    for words in (
        f"a LIMIT of {MAX_ROWS}",
        f"may take {sql_engine.SECONDS:g} seconds and {sql_engine.STEPS // 10**6} million steps",
        f"a text {limits[sqlite3.SQLITE_LIMIT_LENGTH]:,} bytes",
        f"a LIKE pattern {limits[sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH]}",
        f"an expression {limits[sqlite3.SQLITE_LIMIT_EXPR_DEPTH]} levels",
        f"{MAX_ROWS} rows and {sql_engine.MAX_BYTES:,} bytes, a value {sql_engine.MAX_CELL} characters",
        f"at most {sql_child.HEAP >> 20} MB for SQLite and {sql_child.MEMORY >> 30} GB in all",
    ):
        assert words in TEXT
