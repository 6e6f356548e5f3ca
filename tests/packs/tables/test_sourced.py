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
ROWS = [" | ".join(f"{name}: {cell}" for name, cell in zip(MADE[0], row, strict=True)) for row in MADE[1:]]
TABLE = "\n".join([HEAD, *ROWS[:3]])
"""What is quoted of the sheet as a whole."""


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


async def test_a_sum_has_the_rows_that_add_up_to_it_as_its_source(told) -> None:
    said = "3월 생산은 51,310개, 4월은 47,710개입니다."
    answer, [result] = await told("3월과 4월 생산량을 비교해줘", said, BY_MONTH)
    assert result.endswith("\n\n[1] 실적, p.1 › [생산]")
    assert [each.sheet for each in answer.citations] == ["생산"]
    assert quotes(answer) == [("실적", 1, "\n".join(ROWS))]
    assert answer.response == "3월 생산은 51,310개, 4월은 47,710개입니다 [1]." or answer.response == f"{said} [1]"
    assert not missing(answer)


async def test_a_number_of_the_model_leads_there_too(told) -> None:
    said = "생산은 3월에 더 많았습니다 [1].\n\n| 월 | 생산 |\n| --- | --- |\n| 3월 | 51,310 |\n| 4월 | 47,710 |"
    answer, _ = await told("3월과 4월 생산량을 비교해줘", said, BY_MONTH)
    assert quotes(answer) == [("실적", 1, "\n".join(ROWS[:2])), ("실적", 1, "\n".join(ROWS[2:]))]
    assert "[1].\n\n| 월 | 생산 |\n" in answer.response
    assert answer.response.endswith("| 3월 | 51,310 [1] |\n| 4월 | 47,710 [2] |")


async def test_what_no_rows_add_up_to_is_of_the_table_as_a_whole(told) -> None:
    sql = "SELECT median(생산수량) AS 중앙값, max(불량수량) - min(불량수량) AS 차이 FROM 실적_생산"
    said = "| 중앙값 | 차이 |\n| --- | --- |\n| 24,645 | 856 |"
    answer, _ = await told("생산량의 중앙값과 불량의 차이는?", said, sql)
    assert quotes(answer) == [("실적", 1, TABLE)]
    assert answer.response.startswith("| 중앙값 | 차이 [1] |\n")
    one = "SELECT avg(생산수량) AS 평균 FROM 실적_생산 WHERE 라인 = '2라인'"
    answer, _ = await told("2라인의 평균 생산량은?", "2라인은 한 달에 평균 27,740개를 만들었습니다 [1].", one)
    assert quotes(answer) == [("실적", 1, ROWS[1]), ("실적", 1, ROWS[3])]


BUDGET = [
    ["과제 예산 (단위: 천원)"],
    ["비목", "3분기", "예산"],
    ["인건비", 49900, 196000],
    ["재료비", 14260, 57200],
    ["여비", 12480, 33600],
    ["합계", 76640, 286800],
]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        # A total is of the row that holds it, though the query left it out.
        ("3분기 전체는 76,640천원입니다 [1].", ["비목: 합계 | 3분기: 76640 | 예산: 286800"]),
        ("인건비와 여비의 합은 62,380천원입니다.", ["비목: 인건비", "비목: 여비"]),
        # What names the table alone is of it, not of a row.
        ("출처: 과제예산 표 [1]", ["과제 예산 (단위: 천원)\n비목 | 3분기 | 예산\n비목: 인건비"]),
    ],
)
async def test_a_total_is_of_its_row_and_a_sum_of_its_parts(opened, said: str, found: list[str]) -> None:
    sql = "WITH t AS (SELECT * FROM 과제예산 WHERE 비목 <> '합계') SELECT sum(_3분기) AS 전체, "
    sql += "sum(_3분기) FILTER (WHERE 비목 IN ('인건비', '여비')) AS 둘 FROM t"
    async with ScriptedServer(call("query_tables", sql=sql), say(said)) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "과제예산.xlsx", workbook(집행=BUDGET))
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("3분기에 얼마 썼어?", team="desk")
        for each in answer.citations:
            assert await dure.knowledge.check("default", each)
    assert [any(quote.startswith(each) for each in found) for _, _, quote in quotes(answer)] == [True] * len(found)
    assert not missing(answer)


@pytest.mark.parametrize("said", ["재료비는 모두 8,870개입니다.", "재료비는 모두 8,870개입니다 [1]."])
async def test_false_figures_that_a_row_happens_to_hold_are_told(opened, said: str) -> None:
    rows = [
        ["비목", "수량"],
        *([each, 8340 + 530 * (each == "여비")] for each in ("인건비", "재료비", "장비비", "여비", "회의비")),
    ]
    sql = "SELECT sum(수량) AS 재료 FROM 물품 WHERE 비목 = '재료비'"
    async with ScriptedServer(call("query_tables", sql=sql), say(said)) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "물품.xlsx", workbook(수량=rows))
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("재료비는 얼마야?", team="desk")
    assert missing(answer) == ["8,870"]


async def test_false_figures_are_told(told) -> None:
    for said in ("3월 생산은 51,390개입니다.", "3월 생산은 51,390개입니다 [1]."):
        answer, _ = await told("3월 생산량은?", said, BY_MONTH)
        assert missing(answer) == ["51,390"]


async def test_rows_are_quoted_as_they_stand(told) -> None:
    sql = "SELECT 월, 불량수량 FROM 실적_생산 WHERE 라인 = '2라인' ORDER BY 불량수량 DESC"
    said = "2라인 불량은 4월 1,265개, 3월 885개입니다.\n\n| 월 | 불량 |\n|---|---|\n| 4월 | 1,265 |\n| 3월 | 885 |"
    answer, [result] = await told("2라인 불량은?", said, sql)
    assert result.endswith("[1][2] 실적, p.1 › [생산]")
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
    assert result.endswith("[1] 실적, p.1 › [생산], [2] 실적, p.2 › [단가]")
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
        "\n".join(
            f"order: A-{n} | customer: {name}"
            for n, name in enumerate(("Hanbit | amount: 1200", "Saebom | amount: 3450", "Garam | amount: 780"), 1)
        ),
    ]


async def test_what_names_the_sheet_leads_to_it(told) -> None:
    said = "4월보다 3월의 생산이 더 많습니다.\n\n출처는 실적.xlsx의 생산 시트입니다."
    answer, _ = await told("언제 생산이 더 많아?", said, BY_MONTH)
    assert quotes(answer) == [("실적", 1, TABLE)]
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
        ("판매", 1, "지점 | 매출\n지점: 동부 | 매출: 1250\n지점: 서부 | 매출: 2360"),
        ("판매", 2, "지점 | 매출\n지점: 동부 | 매출: 3470\n지점: 서부 | 매출: 4580"),
    ]


@pytest.mark.parametrize(
    ("where", "pages"),
    [
        ("WHERE 시트 = '이월' GROUP BY 지점 HAVING sum(매출) > 0 ORDER BY 2 DESC LIMIT 1", [2]),
        ("WHERE 매출 < 2000 GROUP BY ALL", [1]),
        ("WHERE 매출 > 99999 GROUP BY 지점", [1, 2]),
        ("GROUP BY 지점", [1, 2]),
    ],
)
async def test_a_sum_is_of_the_sheets_that_its_conditions_let_through(opened, where: str, pages: list[int]) -> None:
    head = ["지점", "매출"]
    book = workbook(일월=[head, ["동부", 1250], ["서부", 2360]], 이월=[head, ["동부", 3470], ["서부", 4580]])
    asked = call("query_tables", sql=f"SELECT 지점, sum(매출) AS 합 FROM 판매 {where}")
    async with ScriptedServer(asked, say("표에서 구했습니다.")) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "판매.xlsx", book)
        await dure.knowledge.wait("default", [document.id])
        await dure.chat("매출은?", team="desk")
    [told] = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"][-1:]
    assert [page for page in (1, 2) if f"p.{page} " in told] == pages


async def test_what_is_worded_anew_goes_on_having_its_source(opened) -> None:
    first, again = "3월 생산은 51,310개입니다 [1].", "In March 51,310 pieces were made [1]."
    async with ScriptedServer(call("query_tables", sql=BY_MONTH), say(first), say(again)) as server:
        dure = await opened(server, teams=[TEAM])
        document = await dure.knowledge.add("default", "실적.xlsx", workbook(생산=MADE, 단가=PRICES))
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("3월 생산량은?", team="desk")
        after = await dure.chat("In English please", team="desk", session_id=answer.session_id)
    assert quotes(answer) == quotes(after) == [("실적", 1, "\n".join(ROWS[:2]))]
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
