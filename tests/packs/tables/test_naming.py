"""Names of a table's columns in the other language: asked of the model once and kept, or said by the owner."""

import io
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from dure import Dure, Team
from dure.data.questions.notes import ColumnNotes, Notes, distinct, read, together
from dure.errors import ToolInputError
from dure.events import ModelCalled
from dure.messages import Delta
from dure.models import ChatClient, Model
from dure.testing import ScriptedServer, json
from dure.tooling import ToolContext

STOCK = "Item,Qty,Unit Price\nBolt,40,1.5\nNut,10,0.5\nSaw,3,20\n"
NAMES = {"rows": ["재고", "물건"], "Item": ["품목"], "Qty": ["수량"], "Unit Price": ["단가"]}
WORDS = {"Bolt": "볼트", "Nut": "너트", "Saw": "톱"}
DEAREST = {"rows": "rows", "filters": [], "answer": "list", "measure": "Unit Price", "order": "highest", "limit": 1}
EXAMPLES = Path(__file__).parents[3] / "examples" / "tables"
Open = Callable[..., Awaitable[Dure]]


@pytest.fixture
async def open_one(tmp_path: Any) -> AsyncIterator[Open]:
    opened = []

    async def made(server: ScriptedServer, client: type[ChatClient] = ChatClient, **files: str) -> Dure:
        model = Model(client(server.url, "scripted"), dialect="schema", small=True)
        clerk = Dure().teams["workplace"].agent("internal_agent")
        team = Team(name="alone", kind="solo", description="-", agents=[clerk])
        dure = Dure(model=model, data_dir=tmp_path, embeddings=False, teams=[team])
        opened.append(dure)
        await dure.__aenter__()
        for name, text in files.items():
            document = await dure.knowledge.add("default", name.replace("_", "."), text.encode())
            await dure.knowledge.wait("default", [document.id])
        return dure

    yield made
    for dure in opened:
        await dure.__aexit__(None, None, None)


class Forced(ChatClient):
    """Tells that the model gave one of its tokens a probability of 1 in 1000."""

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        async with aclosing(super().stream(body)) as reply:
            async for delta in reply:
                yield replace(delta, tokens=[(delta.text, 0.001)])


async def test_what_only_the_schema_made_a_model_say_is_not_counted(open_one: Open) -> None:
    """A measure that nobody asked for, where the schema offers no other. What is recorded says so too."""
    count = {**DEAREST, "answer": "number", "measure": "count", "order": "none", "limit": 0}
    async with ScriptedServer(json(NAMES), json(WORDS), json(count), json(count)) as server:
        dure = await open_one(server, client=Forced, stock_csv=STOCK)
        answer = await dure.chat("재고는 모두 몇 건이야?", team="alone")
        assert answer.response.startswith("이 데이터로는 답할 수 없는 질문입니다.")
        kept = [each async for _, each in dure.runs.events("default", answer.run_id)]
    assert [e.reply["least"] for e in kept if isinstance(e, ModelCalled)] == [pytest.approx(0.001)] * 4


def asked(server: ScriptedServer) -> list[str]:
    return [body["messages"][-1]["content"] for body in server.requests]


ORDERS = "Item,State\nBolt,cancelled\nNut,paid\nSaw,cancelled\nNut,paid\n"
KINDS = {"Bolt": "볼트", "Nut": "너트", "Saw": "톱", "cancelled": "취소", "paid": "결제"}


async def test_a_model_names_kinds_too(open_one: Open) -> None:
    heads = {"rows": ["주문", "구매"], "Item": ["품목"], "State": ["상태"]}
    count = {"rows": "rows", "filters": [{"field": "State", "op": "=", "value": "cancelled"}], "answer": "number"}
    count |= {"measure": "count", "order": "none", "limit": 0}
    async with ScriptedServer(json(heads), json(KINDS), json(count), json(count)) as server:
        dure = await open_one(server, orders_csv=ORDERS)
        first = await dure.chat("취소된 주문 몇 건?", team="alone")
        second = await dure.chat("취소된 주문은 몇 건이야?", team="alone")
    assert asked(server)[:2] == ["Q: orders: Item, State", "Q: Item: Nut, Bolt, Saw; State: cancelled, paid"]
    assert "**2" in first.response
    assert "**2" in second.response
    assert len(server.requests) == 4, "they are kept"


def test_two_kinds_that_are_called_alike_are_called_nothing() -> None:
    made = Notes(columns={"State": ColumnNotes(values={"off": ["취소"], "void": ["취소"], "paid": ["결제"]})})
    assert distinct(made).columns["State"].values == {"off": [], "void": [], "paid": ["결제"]}


async def test_a_model_names_columns_once_and_questions_in_the_other_language_are_read(open_one: Open) -> None:
    async with ScriptedServer(json(NAMES), json(WORDS), json(DEAREST), json({**DEAREST, "measure": "Qty"})) as server:
        dure = await open_one(server, stock_csv=STOCK)
        first = await dure.chat("단가가 제일 비싼 품목은?", team="alone")
        second = await dure.chat("수량이 제일 많은 품목은?", team="alone")
        held = list((dure.settings.data_dir / "tables").rglob("*.json"))
    assert asked(server)[0] == "Q: stock: Item, Qty, Unit Price"
    assert "**Saw** (20)" in first.response
    assert "**Bolt** (40)" in second.response
    assert len(server.requests) == 4
    assert len(held) == 1


async def test_tables_of_the_other_language_are_named_before_one_is_asked_about(open_one: Open) -> None:
    """A question that names no column of either table in its own words names one in the words of its language."""
    staff = "Person,Wage\nKim,10\nLee,20\n"
    other = {"rows": ["직원"], "Person": ["이름"], "Wage": ["급여"]}
    paid = {**DEAREST, "measure": "Wage"}
    people = json({"Kim": "김", "Lee": "이"})
    async with ScriptedServer(json(other), people, json(NAMES), json(WORDS), json(paid)) as server:
        dure = await open_one(server, staff_csv=staff, stock_csv=STOCK)
        answer = await dure.chat("급여가 제일 많은 사람은?", team="alone")
    assert {each.partition(":")[2].partition(":")[0].strip() for each in asked(server)[:4:2]} == {"staff", "stock"}
    assert "**Lee** (20)" in answer.response


async def test_a_word_of_the_agents_examples_may_be_another_tables(open_one: Open) -> None:
    """What a table happens to be called by the question does not win over one that is not named yet."""
    sold = "Date,Total\n2026-09-01,10\n2026-09-02,20\n"
    other = {"rows": ["매출"], "Date": ["날짜"], "Total": ["금액"]}
    counts = {**DEAREST, "answer": "number", "measure": "count", "order": "none", "limit": 0}
    counts["filters"] = [{"field": "Date", "op": "=", "value": "2026-09"}]
    async with ScriptedServer(json(other), json(counts)) as server:
        dure = await open_one(server, **{"9월_csv": "이름,반\n가,1\n나,1\n다,2\n", "sold_csv": sold})
        answer = await dure.chat("9월에 매출 몇 건이야?", team="alone")
    assert asked(server)[0].startswith("Q: sold")
    assert "**2건**" in answer.response


async def test_words_of_the_tables_own_language_are_not_looked_for_in_another(open_one: Open) -> None:
    """A word that a Korean table does not explain is no reason to name its columns in English."""
    counts = {**DEAREST, "filters": [{"field": "반", "op": "=", "value": "1"}], "answer": "number", "measure": "count"}
    counts |= {"order": "none", "limit": 0}
    async with ScriptedServer(respond=lambda body: json(counts)) as server:
        dure = await open_one(server, 명단_csv="이름,반\n가,1\n나,1\n다,2\n")
        await dure.chat("1반에 왼손잡이 몇 명이야?", team="alone")
        forms = [each["response_format"]["json_schema"]["schema"]["properties"] for each in server.requests]
    assert forms
    assert all("answer" in each or "column" in each for each in forms)


@pytest.mark.parametrize(
    ("names", "column", "told"),
    [
        (NAMES, "none", "**1건**"),
        ({**NAMES, "Qty": ["개수"]}, "none", "다음 가운데 무엇인가요: Qty, Unit Price?"),
        ({**NAMES, "Qty": ["개수"]}, "Qty", "'Qty'(으)로 보고 센 결과입니다. 다른 뜻이면 말해 주세요: Unit Price."),
    ],
)
async def test_columns_that_no_word_names_are_named_first_then_asked_about(
    open_one: Open, names: Any, column: str, told: str
) -> None:
    """Unless the model says twice which it is, in the object and asked alone: that is told with the result."""
    many = {**DEAREST, "filters": [{"field": "Qty", "op": ">", "value": "20"}], "answer": "number", "measure": "count"}
    many |= {"order": "none", "limit": 0}
    again = [] if names is NAMES else [json({"column": column})]
    async with ScriptedServer(json(names), json(WORDS), json(many), *again) as server:
        dure = await open_one(server, stock_csv=STOCK)
        answer = await dure.chat("수량이 20 넘는 건 몇 건이야?", team="alone")
    assert told in answer.response
    assert len(server.requests) == 3 + len(again)


async def test_which_column_is_meant_may_be_answered(open_one: Open) -> None:
    many = {**DEAREST, "filters": [{"field": "Qty", "op": ">", "value": "20"}], "answer": "number", "measure": "count"}
    many |= {"order": "none", "limit": 0}
    steps = [json({**NAMES, "Qty": ["개수"]}), json(WORDS), json(many), json({"column": "none"})]
    steps += [json(many)] * 2
    async with ScriptedServer(*steps) as server:
        dure = await open_one(server, stock_csv=STOCK)
        which = await dure.chat("수량이 20 넘는 건 몇 건이야?", team="alone", session_id="s")
        answer = await dure.chat("Qty요", team="alone", session_id="s")
    assert which.response.endswith("Qty, Unit Price?")
    assert "수량이 20 넘는 건 몇 건이야? Qty요" in answer.response
    assert "**1건**" in answer.response


async def test_a_measure_that_no_word_names_is_told(open_one: Open) -> None:
    async with ScriptedServer(json(NAMES), json(WORDS), json(DEAREST)) as server:
        dure = await open_one(server, stock_csv=STOCK)
        answer = await dure.chat("재고 중에 제일 높은 것은?", team="alone")
    assert "'Unit Price'(으)로 보고 센 결과입니다. 다른 뜻이면 말해 주세요: Qty." in answer.response
    assert "**Saw**" in answer.response


@pytest.mark.parametrize(
    ("question", "query", "said"),
    [
        (
            "What are the total sales of Seoul?",
            {"filters": [{"field": "지역", "op": "=", "value": "서울"}], "measure": "total 금액"},
            "주문 · 지역 서울 · no other condition · total 금액: **760,000원**",
        ),
        ("주문이 모두 몇 건이야?", {}, "주문 · 조건 없음: **3건**"),
    ],
)
async def test_the_example_says_what_its_table_does_not(open_one: Open, question: str, query: Any, said: str) -> None:
    files = {f"주문_{kind}": (EXAMPLES / f"주문.{kind}").read_text("utf-8") for kind in ("csv", "yaml")}
    asked = {"rows": "rows", "filters": [], "answer": "number", "measure": "count", "order": "none", "limit": 0}
    async with ScriptedServer(json(asked | query)) as server:
        dure = await open_one(server, **files)
        answer = await dure.chat(question, team="alone")
    assert answer.response.startswith(said)


async def test_a_file_of_notes_that_does_not_fit_is_told(open_one: Open) -> None:
    async with ScriptedServer() as server:
        dure = await open_one(server, stock_csv=STOCK, stock_yaml="columns: {Price: {names: [값]}}")
        tool = dure.packs["tables"].tools()["list_tables"]
        told = (await tool.run({}, ToolContext("default"))).text
    assert "stock.yaml: 열 'Price'이(가) 표에 없습니다. 있는 열: Item, Qty, Unit Price" in told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("columns: [", "YAML from line 1"),
        ("rows: " + "[" * 8000 + "]" * 8000, "YAML from line 1"),
        ("rows: [a]\ncolumns: 2024-99-99", "YAML from line 1"),
        ("colums: {}", "'colums' does not fit: Extra inputs are not permitted"),
        ("columns: {Qty: {names: 3}}", "'columns.Qty.names' does not fit: Input should be a valid list"),
        ("[" * 20_000, "YAML from line 1"),
        ("a" * 50_001, "50,000 characters"),
        ("- 1", "'' does not fit: Input should be a valid dictionary"),
        ("totals: {Price: [x]}", "no column 'Price'. Its columns: Qty, Item"),
    ],
)
def test_faults_of_a_file_are_said(text: str, reason: str) -> None:
    with pytest.raises(ToolInputError) as caught:
        read(text, ["Qty", "Item"])
    assert reason in caught.value.message("en")


def test_a_name_of_two_columns_names_none() -> None:
    made = Notes(
        rows=["재고", "물건"],
        columns={
            "Qty": ColumnNotes(names=["수량", "품목", "개수"]),
            "Item": ColumnNotes(names=["품목", "QTY", "물건"]),
        },
    )
    assert distinct(made).rows == ["재고"]
    assert {name: each.names for name, each in distinct(made).columns.items()} == {
        "Qty": ["수량", "개수"],
        "Item": ["물건"],
    }


def test_the_owners_notes_come_first() -> None:
    own = Notes(columns={"Qty": ColumnNotes(names=["몇 개"])})
    made = Notes(rows=["재고"], columns={"Qty": ColumnNotes(names=["수량"]), "Item": ColumnNotes(names=["품목"])})
    both = together(own, made)
    assert (both.rows, {name: each.names for name, each in both.columns.items()}) == (
        ["재고"],
        {"Qty": ["몇 개"], "Item": ["품목"]},
    )


def two_years() -> bytes:
    """A sheet a year: a title over all columns, a header of two rows, a row of totals; and an empty sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for year, sold in (("2025", (900, 1200)), ("2024", (1500, 700))):
        sheet = book.create_sheet(year)
        for row in (
            *([f"{year}년 지점별 매출"], ["지점", "판매"], [None, "수량(개)", "매출액(천원)"]),
            *(["강남", 10, sold[0]], ["부산", 7, sold[1]], ["합계", 17, sum(sold)]),
        ):
            sheet.append(row)
        for cells in ("A1:C1", "A2:A3", "B2:C2"):
            sheet.merge_cells(cells)
    book.create_sheet("메모")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


async def test_the_sheet_that_a_question_names_is_asked_and_else_which_is_meant(open_one: Open) -> None:
    most = {"rows": "rows", "filters": [], "answer": "list", "measure": "판매 매출액", "order": "highest", "limit": 1}
    async with ScriptedServer(respond=lambda body: json(most)) as server:
        dure = await open_one(server, other_csv="지점,매출액\n서울,1\n")
        document = await dure.knowledge.add("default", "지점매출.xlsx", two_years())
        await dure.knowledge.wait("default", [document.id])
        answer = await dure.chat("지점매출.xlsx에서 2025년에 매출액이 가장 많은 지점은?", team="alone")
        unclear = await dure.chat("지점매출.xlsx에서 매출액이 가장 많은 지점은?", team="alone")
    assert answer.response.startswith("지점매출_2025 · 조건 없음 · 판매 매출액 높은 순: **부산** (1,200")
    assert "지점매출.xlsx · 2025 표에서 구했습니다." in answer.response
    assert "지점매출.xlsx · 2025, 지점매출.xlsx · 2024" in unclear.response
    assert "other.csv" not in unclear.response


async def test_of_tables_that_know_what_is_named_the_one_with_such_a_row_is_asked(open_one: Open) -> None:
    """감자 is in both, and so is August, but not on the 14th."""
    listing = {"rows": "rows", "answer": "list", "measure": "count", "order": "none", "limit": 0}
    listing["filters"] = [
        {"field": "이름", "op": "=", "value": "감자"},
        {"field": "날짜", "op": "=", "value": "2026-08-14"},
    ]
    async with ScriptedServer(respond=lambda body: json(listing)) as server:
        hotel = "이름,날짜,방\n감자,2026-08-14,큰방\n두리,2026-08-20,작은방\n"
        care = "이름,날짜,약\n감자,2026-08-20,가\n두리,2026-08-01,나\n"
        dure = await open_one(server, 가_csv=hotel, 나_csv=care)
        answer = await dure.chat("2026년 8월 14일의 감자 보여줘", team="alone")
        other = await dure.chat("감자 보여줘", team="alone", session_id="s")
        listing["filters"].pop()
        chosen = await dure.chat("나.csv요", team="alone", session_id="s")
    assert "큰방" in answer.response
    assert "어느 표" in other.response
    assert "감자 보여줘 나.csv" in chosen.response
    assert "| 감자 | 2026-08-20 | 가 |" in chosen.response
