import io

import openpyxl
import pytest

from dure.messages import ToolCall
from dure.tooling import ToolContext
from dure.tools import Tables, builtin_tools, run_call
from dure.tools.tables import markdown

SALES = '부서,월,매출(만원)\n영업,2024-01-01,"1,200"\n개발,2024-02-01,800\n영업,2024-03-01,300\n'


@pytest.fixture
async def ask(knowledge):
    tables = Tables(knowledge, query_seconds=1.0)
    tools = {each.name: each for each in tables.tools()}

    async def call(name, owner="me", language="ko", **args):
        return await run_call(tools, ToolCall(name, args), ToolContext(owner, language=language))

    yield call
    await tables.close()


def workbook(**sheets) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


async def test_lists_and_queries_the_owners_tables(knowledge, ask):
    await knowledge.add("me", "2024 매출.csv", SALES.encode("cp949"))
    await knowledge.add("me", "회사.xlsx", workbook(직원=[["이름", "나이"], ["김두레", 31]], 빈칸=[]))
    await knowledge.add("other", "secret.csv", b"a,b\n1,2\n")
    status, result, _ = await ask("list_tables")
    assert status == "ok"
    assert "표 _2024_매출 (3행, 문서 2024 매출.csv)" in result.text
    assert '매출_만원 BIGINT ("매출(만원)")' in result.text
    assert "표 회사_직원 (1행, 문서 회사.xlsx의 시트 직원)" in result.text
    assert "secret" not in result.text

    sql = "SELECT 부서, sum(매출_만원) AS 합계 FROM _2024_매출 GROUP BY 부서 ORDER BY 합계 DESC"
    status, result, _ = await ask("query_tables", sql=sql)
    assert (status, result.text) == ("ok", "| 부서 | 합계 |\n| --- | --- |\n| 영업 | 1500 |\n| 개발 | 800 |\n\n(2행)")
    assert result.data == {"sql": sql, "rows": 2, "more": False}

    status, result, _ = await ask("query_tables", sql="SELECT * FROM secret")
    assert status == "error"
    assert "회사_직원" in result.text
    status, result, _ = await ask("query_tables", owner="other", sql="SELECT a + b AS c FROM secret", language="en")
    assert "| 3 |" in result.text


async def test_follows_what_is_added_replaced_and_deleted(knowledge, ask):
    first = await knowledge.add("me", "a.csv", b"n\n1\n2\n")
    assert "| 3 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM a"))[1].text
    await knowledge.add("me", "b.csv", b"n\n10\n")
    assert "| 13 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM (FROM a UNION ALL FROM b)"))[1].text
    await knowledge.wait("me", [first.id])
    await knowledge.delete("me", first.id)
    assert (await ask("query_tables", sql="SELECT * FROM a"))[0] == "error"
    assert "| 10 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM b"))[1].text


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "문서(CSV, XLSX)가 없습니다"), ("en", "no documents with tables")]
)
async def test_says_when_there_are_none(knowledge, ask, language, words):
    await knowledge.add("me", "notes.md", b"# Notes\n\nNothing here.\n")
    for name, args in (("list_tables", {}), ("query_tables", {"sql": "SELECT 1"})):
        status, result, _ = await ask(name, language=language, **args)
        assert status == "ok"
        assert words in result.text


async def test_shows_at_most_a_hundred_rows(knowledge, ask):
    await knowledge.add("me", "n.csv", b"n\n" + b"".join(b"%d\n" % i for i in range(101)))
    _, result, _ = await ask("query_tables", sql="FROM n")
    assert "| 99 |" in result.text
    assert "| 100 |" not in result.text
    assert "앞 100행만" in result.text
    assert "(100행)" in (await ask("query_tables", sql="FROM n LIMIT 100"))[1].text


async def test_a_damaged_file_costs_only_itself(knowledge, ask):
    good = workbook(s=[["a"], ["x"]])
    broken = await knowledge.add("me", "broken.xlsx", good[:-200] + bytes(200))
    await knowledge.wait("me", [broken.id])
    await knowledge.add("me", "good.xlsx", good)
    _, result, _ = await ask("list_tables")
    assert "표 good (1행" in result.text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT len(range(1000000000))",
        "SELECT count(*) FROM n a, n b, n c, n d, n e",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
        "SELECT list(a.n) FROM n a, n b, n c",
        "SELECT repeat('x', 4000000000)",
    ],
)
async def test_greedy_queries_are_stopped_and_harm_nothing(knowledge, ask, sql):
    await knowledge.add("me", "n.csv", b"n\n" + b"".join(b"%d\n" % i for i in range(2000)))
    status, result, seconds = await ask("query_tables", sql=sql)
    assert status == "error"
    assert result.text
    assert seconds < 30
    assert "| 2000 |" in (await ask("query_tables", sql="SELECT count(*) c FROM n"))[1].text


async def test_processes_end_with_the_tables(knowledge):
    await knowledge.add("me", "n.csv", b"n\n1\n")
    tables = Tables(knowledge)
    query = next(each for each in tables.tools() if each.name == "query_tables")
    await query.run({"sql": "FROM n"}, ToolContext("me"))
    child = tables._workers["me"].child.process
    await tables.close()
    assert child.returncode is not None


async def test_the_built_in_tools(knowledge):
    tools = builtin_tools(knowledge, Tables(knowledge))
    assert [each.name for each in tools] == ["search_knowledge_base", "calculate", "list_tables", "query_tables"]
    assert {each.effect for each in tools} == {"read"}


def test_markdown_escapes_cells():
    assert markdown(["a|b"], [["x\ny | z"]]) == "| a\\|b |\n| --- |\n| x y \\| z |"
