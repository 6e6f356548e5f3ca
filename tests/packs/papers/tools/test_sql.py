import asyncio
import resource
import sys
from dataclasses import asdict, replace

import pytest

from dure.data.limits import MEMORY
from dure.data.sandbox import Sandbox
from dure.messages import ToolCall
from dure.packs.papers.storage.library import version
from dure.packs.papers.tools.sql import LIMITS, statistics_tool
from dure.tooling import ToolContext
from dure.toolsets import run_call


class Library:
    """Rows of several owners, as the library of papers hands them out."""

    def __init__(self, **rows):
        self.rows = rows
        self.versions = dict.fromkeys(rows, 1)
        self.loads = 0

    async def read(self, query, owner):
        if query is version:
            return f"{owner}-{self.versions[owner]}"
        self.loads += 1
        return self.rows[owner]

    def change(self, owner, table, row):
        self.rows[owner] = {**self.rows[owner], table: [*self.rows[owner][table], row]}
        self.versions[owner] += 1


@pytest.fixture
def library(tables):
    return Library(me=tables, other={name: [] for name in tables})


@pytest.fixture
async def sandbox():
    made = Sandbox()
    yield made
    await made.close()


@pytest.fixture
async def ask(library, sandbox):
    tools = {"papers_sql": statistics_tool(library, sandbox)}

    async def call(sql, owner="me", language="ko"):
        result = await run_call(tools, ToolCall("papers_sql", {"sql": sql}), ToolContext(owner, language=language))
        return result.status, result

    return call


async def test_gives_a_table_and_data(ask):
    status, result = await ask(
        "SELECT field AS 분야, count(*) AS 수, avg(citations) AS 평균 FROM papers GROUP BY field ORDER BY 수 DESC, 분야"
    )
    assert status == "ok"
    assert result.text.splitlines()[:4] == [
        "| 분야 | 수 | 평균 |",
        "| --- | --- | --- |",
        "| llm | 3 | 19000 |",
        "| nlp | 2 | 95000 |",
    ]
    assert result.text.endswith("\n\n(5행)")
    assert set(result.data) == {"sql", "columns", "rows", "truncated", "seconds"}
    assert result.data["rows"][0] == ["llm", 3, 19000.0]
    assert result.data["columns"] == ["분야", "수", "평균"]
    assert result.data["truncated"] is False
    assert result.data["sql"].endswith("GROUP BY field ORDER BY 수 DESC, 분야")
    assert result.data["seconds"] > 0


async def test_says_when_there_may_be_more(ask):
    status, result = await ask("SELECT a.id FROM papers a, papers b, papers c", language="en")
    assert status == "ok"
    assert result.data["truncated"] is True
    assert len(result.data["rows"]) == LIMITS.rows
    assert "only the first 200 rows; there may be more" in result.text
    status, result = await ask("SELECT a.id FROM papers a, papers b LIMIT 7", language="en")
    assert result.data["truncated"] is False
    assert result.text.endswith("(7 rows)")


@pytest.mark.parametrize(
    ("sql", "language", "words"),
    [
        ("SELECT abstract FROM papers", "ko", 'SQL 오류: Binder Error: Referenced column "abstract" not found'),
        ("SELECT * FROM users", "en", "'users' cannot be read. Tables: papers"),
        ("DELETE FROM papers", "ko", "SELECT 문 하나만"),
        (
            "SELECT id FROM papers WHERE count(*) > 1",
            "ko",
            "SQL 오류: Binder Error: WHERE clause cannot contain aggregates",
        ),
        ("SELECT round(1, 2, 3)", "en", "SQL error: Binder Error: No function matches"),
        ("SELECT printf('%q', 'x')", "en", "SQL error: Invalid Input Error"),
        ("SELECT \ud800", "en", "Not run"),
    ],
)
async def test_tells_what_was_wrong(ask, sql, language, words):
    status, result = await ask(sql, language=language)
    assert status == "error"
    assert words in result.text


async def test_each_owner_has_its_own_rows(ask):
    assert (await ask("SELECT count(*) FROM papers"))[1].data["rows"] == [[10]]
    assert (await ask("SELECT count(*) FROM papers", owner="other"))[1].data["rows"] == [[0]]
    assert (await ask("SELECT title FROM papers", owner="other"))[1].text.endswith("(0행)")


async def test_reads_the_rows_again_only_when_they_changed(ask, library):
    for _ in range(3):
        await ask("SELECT count(*) FROM papers")
    assert library.loads == 1
    library.change("me", "papers", ("p11", "New", 2025, None, "nlp", None, None, None, None, True))
    assert (await ask("SELECT max(year), count(*) FROM papers"))[1].data["rows"] == [[2025, 11]]
    assert library.loads == 2


async def test_many_at_once(ask):
    answers = await asyncio.gather(*(ask(f"SELECT {i} FROM papers LIMIT 1") for i in range(20)))
    assert [result.data["rows"] for _, result in answers] == [[[i]] for i in range(20)]


async def test_loads_more_rows_than_go_at_once(ask, library):
    library.rows["me"] = {**library.rows["me"], "authors": [(i, f"저자 {i}") for i in range(12_345)]}
    _, result = await ask("SELECT count(*), max(name) FROM authors")
    assert result.data["rows"] == [[12_345, "저자 9999"]]


async def test_goes_on_after_a_query_that_was_too_much(ask, library, sandbox):
    tool = statistics_tool(library, sandbox, replace(LIMITS, seconds=0.3))
    context = ToolContext("me", language="en")
    six = ", ".join(f"papers {name}" for name in "abcdefghij")
    bomb = ToolCall("papers_sql", {"sql": f"SELECT count(*) FROM {six}"})
    result = await run_call({"papers_sql": tool}, bomb, context)
    assert (result.status, "stopped after 0.3 seconds" in result.text) == ("error", True)
    child = (await sandbox.child("me")).process
    assert (await ask("SELECT count(*) FROM papers"))[1].data["rows"] == [[10]]
    assert (await sandbox.child("me")).process is child
    await sandbox.close()
    assert child.returncode is not None


async def test_a_cancelled_call_ends_its_process(ask, sandbox, ordinary_children):
    await ask("SELECT 1")
    worker = await sandbox.child("me")
    process = worker.process
    many = ", ".join(f"papers {name}" for name in "abcdefghij")
    limits = asdict(replace(LIMITS, seconds=60.0))
    request = {"sql": f"SELECT count(*) FROM {many}", "limits": limits, "seconds": 60.0}
    call = asyncio.create_task(worker.ask(request))
    while not worker.busy:  # noqa: ASYNC110
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert process.returncode is not None
    assert (await ask("SELECT count(*) FROM papers"))[1].data["rows"] == [[10]]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
async def test_the_process_is_limited(ask, sandbox, ordinary_children):
    await ask("SELECT 1")
    process = (await sandbox.child("me")).process
    assert resource.prlimit(process.pid, resource.RLIMIT_AS)[0] == MEMORY
