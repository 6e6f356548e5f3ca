"""`papers_sql` over the shipped library and a user's own papers."""

import pytest

from dure.messages import ToolCall
from dure.packs.papers.library.base import Papers
from dure.packs.papers.record import PaperRecord
from dure.tooling import ToolContext
from dure.toolsets import run_call


@pytest.fixture
async def rows(library):
    tools = library.tools()

    async def call(sql, owner="me"):
        result = await run_call(tools, ToolCall("papers_sql", {"sql": sql}), ToolContext(owner))
        assert result.status == "ok", result.text
        return result.data["rows"]

    return call


async def test_counts_what_is_shipped(rows, database, knowledge, glossary):
    papers = Papers(database, knowledge)
    shipped = await papers.list("me", limit=1000)
    await papers.close()
    assert await rows("SELECT count(*), count(DISTINCT id), min(year), max(year) FROM papers") == [
        [len(shipped), len(shipped), min(p.year for p in shipped), max(p.year for p in shipped)]
    ]
    assert await rows("SELECT count(*) FROM glossary") == [[len(await glossary.list("me"))]]
    assert await rows(
        "SELECT p.year, a.name FROM papers p JOIN paper_authors pa ON pa.paper_id = p.id "
        "JOIN authors a ON a.id = pa.author_id WHERE p.title = 'Attention Is All You Need' ORDER BY pa.position LIMIT 1"
    ) == [[2017, "Ashish Vaswani"]]
    cited = await rows(
        "SELECT p.title, count(*) AS n FROM citations c JOIN papers p ON p.id = c.cited_id "
        "GROUP BY p.id, p.title ORDER BY n DESC LIMIT 1"
    )
    assert cited[0][1] > 10


async def test_sees_the_owners_own_papers_and_nobody_elses(rows, database, knowledge):
    papers = Papers(database, knowledge)
    before = await rows("SELECT count(*) FROM papers")
    record = PaperRecord(title="A Study of Pumpkins", authors=["Kim Dure"], year=2031, venue="KCC", citations=7)
    await papers.add("me", [record], "test")
    assert await rows("SELECT count(*) FROM papers") == [[before[0][0] + 1]]
    assert await rows("SELECT title, citations FROM papers WHERE year = 2031") == [["A Study of Pumpkins", 7]]
    assert await rows("SELECT count(*) FROM papers WHERE year = 2031", owner="other") == [[0]]
    assert await rows("SELECT count(*) FROM authors WHERE name = 'Kim Dure'", owner="other") == [[0]]
    await papers.close()
