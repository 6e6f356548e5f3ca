from pathlib import Path

import pytest

from dure.data.limits import ENGINE_MEMORY, MEMORY
from dure.packs.papers.tools.sql import LIMITS, TABLES

TEXT = " ".join((Path(__file__).parents[4] / "docs" / "papers.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("table", TABLES)
def test_lists_the_columns(table):
    assert f"| `{table}` | {', '.join(f'`{column}`' for column in TABLES[table])} |" in TEXT


def test_its_limits_are_the_limits():
    for words in (
        f"may take {LIMITS.seconds:g} seconds",
        f"a result {LIMITS.rows} rows and {LIMITS.size:,} bytes, a value {LIMITS.cell} characters",
        f"at most {ENGINE_MEMORY >> 20} MB for DuckDB and {MEMORY >> 30} GB in all",
    ):
        assert words in TEXT
