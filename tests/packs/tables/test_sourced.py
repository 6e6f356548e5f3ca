"""What an able model tells of tables has the tables as its sources."""

import io
from typing import Any

import openpyxl
import pytest

from dure import Agent, Team
from dure.testing import ScriptedServer, call, calls, say

MADE = [
    ["월", "라인", "생산수량", "불량수량"],
    ["3월", "1라인", 22560, 492],
    ["3월", "2라인", 28750, 885],
    ["4월", "1라인", 20980, 409],
    ["4월", "2라인", 26730, 1265],
]
PRICES = [["라인", "재료비"], ["1라인", 9200], ["2라인", 2950]]
ORDERS = "order,customer,amount\nA-1,Hanbit,1200\nA-2,Saebom,3450\nA-3,Garam,780\n"
TEAM = Team(
    name="desk",
    kind="solo",
    description="x",
    agents=[Agent(name="data", description="x", tools=["list_tables", "query_tables"])],
)
HEAD = "월 | 라인 | 생산수량 | 불량수량"


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.fixture
async def told(opened):
    """What comes of a question for which an able model runs these queries and says that."""

    async def ask(message: str, said: str, *queries: str) -> tuple[Any, list[str]]:
        asked = calls(*(("query_tables", {"sql": sql}) for sql in queries)) if len(queries) > 1 else None
        steps = [asked or call("query_tables", sql=queries[0]), say(said)]
        async with ScriptedServer(*steps) as server:
            dure = await opened(server, teams=[TEAM])
            for name, data in (("실적.xlsx", workbook(생산=MADE, 단가=PRICES)), ("orders.csv", ORDERS.encode())):
                document = await dure.knowledge.add("default", name, data)
                await dure.knowledge.wait("default", [document.id])
            answer = await dure.chat(message, team="desk")
            for each in answer.citations:
                text = await dure.knowledge.text("default", each.document_id)
                assert text[each.start : each.end] == each.quote
        results = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
        return answer, results[-len(queries) :]

    return ask


def quotes(answer: Any) -> list[tuple[str, int | None, str]]:
    return [(each.title, each.page, each.quote) for each in answer.citations]


def missing(answer: Any) -> list[str]:
    return [each for check in answer.metadata.get("checks") or [] for each in check["missing"]]


BY_MONTH = "SELECT 월, sum(생산수량) AS 생산, sum(불량수량) AS 불량 FROM 실적_생산 GROUP BY 월 ORDER BY 월"


async def test_a_sum_has_the_header_of_its_sheet_as_its_source(told) -> None:
    said = "3월 생산은 51,310개, 4월은 47,710개입니다."
    answer, [result] = await told("3월과 4월 생산량을 비교해줘", said, BY_MONTH)
    assert result.endswith("\n\n[1] 실적 › [생산]")
    assert [each.sheet for each in answer.citations] == ["생산"]
    assert quotes(answer) == [("실적", 1, HEAD)]
    assert answer.response == "3월 생산은 51,310개, 4월은 47,710개입니다 [1]." or answer.response == f"{said} [1]"
    assert not missing(answer)


async def test_a_number_of_the_model_leads_there_too(told) -> None:
    said = "생산은 3월에 더 많았습니다 [1].\n\n| 월 | 생산 |\n| --- | --- |\n| 3월 | 51,310 |\n| 4월 | 47,710 |"
    answer, _ = await told("3월과 4월 생산량을 비교해줘", said, BY_MONTH)
    assert quotes(answer) == [("실적", 1, HEAD)]
    assert "| 월 | 생산 [1] |\n" in answer.response
    assert answer.response.count("[1]") == 2


async def test_false_figures_are_told(told) -> None:
    for said in ("3월 생산은 51,390개입니다.", "3월 생산은 51,390개입니다 [1]."):
        answer, _ = await told("3월 생산량은?", said, BY_MONTH)
        assert missing(answer) == ["51,390"]


async def test_rows_are_quoted_as_they_stand(told) -> None:
    sql = "SELECT 월, 불량수량 FROM 실적_생산 WHERE 라인 = '2라인' ORDER BY 불량수량 DESC"
    said = "2라인 불량은 4월 1,265개, 3월 885개입니다.\n\n| 월 | 불량 |\n|---|---|\n| 4월 | 1,265 |\n| 3월 | 885 |"
    answer, [result] = await told("2라인 불량은?", said, sql)
    assert result.endswith("[1][2] 실적 › [생산]")
    rows = [
        f"월: {m} | 라인: 2라인 | 생산수량: {made} | 불량수량: {bad}"
        for m, made, bad in (("4월", 26730, 1265), ("3월", 28750, 885))
    ]
    assert {quote for _, _, quote in quotes(answer)} == {*rows}
    assert "| 4월 | 1,265 [" in answer.response


async def test_a_join_and_several_tables_have_several_sources(told) -> None:
    join = "SELECT 월, 불량수량 * 재료비 AS 손실 FROM 실적_생산 JOIN 실적_단가 USING (라인) "
    join += "WHERE 월 = '4월' AND 라인 = '2라인'"
    answer, [result] = await told("4월 2라인 손실은?", "손실은 3,731,750원입니다.", join)
    assert result.endswith("[1] 실적 › [생산], [2] 실적 › [단가]")
    assert [(page, "2라인" in quote) for _, page, quote in quotes(answer)] == [(1, True), (2, True)]
    sums = "SELECT sum(재료비) FROM 실적_단가"
    answer, _ = await told("합계는?", "- 생산: 51,310개\n- 재료비: 12,150원", BY_MONTH, sums)
    assert [page for _, page, _ in quotes(answer)] == [1, 2]
    assert [line[-4:] for line in answer.response.split("\n")] == [" [1]", " [2]"]


async def test_in_english_of_a_file_of_one_table(told) -> None:
    said = "The largest order is A-2 of Saebom, with 3,450. All orders come to 5,430."
    sqls = ("SELECT * FROM orders ORDER BY amount DESC LIMIT 1", "SELECT sum(amount) AS total FROM orders")
    answer, results = await told("What is the largest order, and the total?", said, *sqls)
    assert [each.rpartition("\n")[2] for each in results] == ["[1] orders", "[2] orders"]
    assert [quote for _, _, quote in quotes(answer)] == [
        "order: A-2 | customer: Saebom | amount: 3450",
        "order | customer | amount",
    ]


async def test_what_names_the_sheet_leads_to_it(told) -> None:
    said = "4월보다 3월의 생산이 더 많습니다.\n\n출처는 실적.xlsx의 생산 시트입니다."
    answer, _ = await told("언제 생산이 더 많아?", said, BY_MONTH)
    assert quotes(answer) == [("실적", 1, HEAD)]
    assert not answer.metadata.get("checks")


async def test_a_query_that_is_refused_has_no_source(told) -> None:
    answer, [result] = await told("삭제해줘", "지울 수 없습니다.", "DELETE FROM 실적_생산")
    assert "[1]" not in result
    assert not answer.citations


async def test_rows_of_sheets_that_are_one_table_lead_to_their_sheets(opened) -> None:
    head = ["지점", "매출"]
    book = workbook(일월=[head, ["동부", 1250], ["서부", 2360]], 이월=[head, ["동부", 3470], ["서부", 4580]])
    sql = "SELECT 지점, 매출 FROM 판매 WHERE 매출 > 2000 AND 지점 = '서부'"
    whole = "SELECT sum(매출) FROM 판매"
    said = "서부는 2,360원과 4,580원입니다.\n\n모두 11,660원입니다."
    async with ScriptedServer(calls(*(("query_tables", {"sql": each}) for each in (sql, whole))), say(said)) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "판매.xlsx", book)
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("서부 매출과 전체 매출은?", team="desk")
    assert quotes(answer) == [
        ("판매", 1, "지점: 서부 | 매출: 2360"),
        ("판매", 2, "지점: 서부 | 매출: 4580"),
        ("판매", 1, "지점 | 매출"),
        ("판매", 2, "지점 | 매출"),
    ]


async def test_what_is_worded_anew_goes_on_having_its_source(opened) -> None:
    first, again = "3월 생산은 51,310개입니다 [1].", "In March 51,310 pieces were made [1]."
    async with ScriptedServer(call("query_tables", sql=BY_MONTH), say(first), say(again)) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "실적.xlsx", workbook(생산=MADE, 단가=PRICES))
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("3월 생산량은?", team="desk")
        after = await dure.chat("In English please", team="desk", session_id=answer.session_id)
    assert quotes(answer) == quotes(after) == [("실적", 1, HEAD)]
    assert not missing(answer)
    assert not missing(after)


async def test_a_table_within_a_text_leads_to_its_rows(opened) -> None:
    text = "# 교육 계획\n\n| 과정 | 예산 |\n| --- | --- |\n| 안전 | 1,250 |\n| 품질 | 2,360 |\n"
    asked = call("query_tables", sql="SELECT * FROM 교육 WHERE 과정 = '품질'", document="교육.md")
    async with ScriptedServer(asked, say("품질은 2,360원입니다.")) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "교육.md", text.encode())
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("품질 교육 예산은?", team="desk")
        whole = await dure.knowledge.text("default", document.id)
    [found] = answer.citations
    assert whole[found.start : found.end] == found.quote
    assert "2,360" in found.quote
