"""The sandbox: tables given as rows or read from files, loaded when they change."""

from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from dure.data.limits import Limits
from dure.data.sandbox import Files, Given, Sandbox
from dure.errors import ToolInputError

COLUMNS = {"books": {"title": "TEXT", "year": "BIGINT", "price": "DECIMAL(8,2)"}, "none": {"x": "TEXT"}}
BOOKS = [("토지", 1969, "12.50"), ("Dune", 1965, "9.90"), ("무정", 1917, None)]


@dataclass
class Library:
    """Hands out books and counts how often."""

    rows: list = field(default_factory=lambda: list(BOOKS))
    read: int = 0

    async def tables(self):
        self.read += 1
        return {"books": self.rows, "none": []}

    def given(self):
        return Given(str(len(self.rows)), COLUMNS, self.tables)


@pytest.fixture
async def sandbox():
    made = Sandbox()
    yield made
    await made.close()


async def test_gives_columns_types_and_values(sandbox):
    library = Library()
    found = await sandbox.run(
        "me", library.given(), "SELECT title, year, price, year > 1950 AS late FROM books ORDER BY year"
    )
    assert found.columns == ["title", "year", "price", "late"]
    assert found.types == ["VARCHAR", "BIGINT", "DECIMAL(8,2)", "BOOLEAN"]
    assert found.rows[0] == ["무정", 1917, None, False]
    assert found.rows[2] == ["토지", 1969, Decimal("12.50"), True]
    assert (found.more, found.partial) == (False, [])
    assert (await sandbox.run("me", library.given(), "SELECT 12345678901234567890123 AS n, 0.1::DOUBLE AS d")).rows == [
        [12345678901234567890123, 0.1]
    ]


async def test_loads_again_only_what_changed_and_each_owner_its_own(sandbox):
    mine, other = Library(), Library([])
    count = "SELECT count(*) AS n FROM books"
    for _ in range(2):
        assert (await sandbox.run("me", mine.given(), count)).rows == [[3]]
        assert (await sandbox.run("other", other.given(), count)).rows == [[0]]
    assert (mine.read, other.read) == (1, 1)
    mine.rows.append(("Emma", 1815, "5.00"))
    assert (await sandbox.run("me", mine.given(), count)).rows == [[4]]
    assert (mine.read, other.read) == (2, 1)


async def test_the_limits_are_those_of_the_call(sandbox):
    given = Library().given()
    found = await sandbox.run("me", given, "SELECT title FROM books", Limits(rows=2))
    assert (len(found.rows), found.more) == (2, True)
    found = await sandbox.run("me", given, "SELECT repeat('가', 100) AS t FROM books", Limits(cell=10, size=70))
    assert (found.rows, found.more) == ([["가" * 10 + "…"]] * 2, True)
    with pytest.raises(ToolInputError, match=r"stopped after 0\.2 seconds"):
        await sandbox.run("me", given, "SELECT count(*) FROM range(100000000000)", Limits(seconds=0.2))
    assert (await sandbox.run("me", given, "SELECT count(*) AS n FROM books")).rows == [[3]]


async def test_files_and_what_of_them_was_left_out(sandbox, tmp_path):
    path = tmp_path / "n"
    path.write_bytes(b"n\n" + b"1\n" * 1_000_001)
    files = Files([{"key": "1", "path": str(path), "name": "n.csv", "kind": "csv"}])
    described = await sandbox.describe("me", files)
    assert [(table["name"], table["cut"]) for table in described["tables"]] == [("n", True)]
    assert (await sandbox.run("me", files, "SELECT sum(n) AS s FROM N")).partial == [("n", 1_000_000)]
    assert (await sandbox.run("me", files, "SELECT 1 AS n")).partial == []
