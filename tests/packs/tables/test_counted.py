"""A question of several rows, asked of whoever answers from documents: code counts them in their table."""

import orjson
import pytest

from dure import Agent, Dure, Team, tool
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, say
from dure.tooling import ToolResult

ROWS = (("누리", "본관", 8), ("가온", "별관", 12), ("다솜", "별관", 4), ("마루", "별관", 6))
CELLS = "".join(f"<tr><td>{room}</td><td>{house}</td><td>{seats}</td></tr>" for room, house, seats in ROWS)
GUIDE = f"<table><tr><th>회의실</th><th>건물</th><th>좌석</th></tr>{CELLS}</table><p>예약은 총무팀에 합니다.</p>"


def query(measure: str, *filters: tuple[str, str]) -> dict:
    conditions = [{"field": field, "op": "=", "value": value} for field, value in filters]
    asked = {"rows": "rows", "filters": conditions, "answer": "number", "order": "none", "limit": 0}
    return asked | {"measure": measure}


async def asked(opened, server, message: str, reader: Agent | None = None, **files: str):
    model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
    reader = reader or Dure().teams["workplace"].agent("rag_agent")
    dure = await opened(model=model, teams=[Team(name="desk", kind="solo", description="x", agents=[reader])])
    for name, text in files.items():
        document = await dure.knowledge.add("default", name.replace("_", "."), text.encode())
        await dure.knowledge.wait("default", [document.id])
    answer = await dure.chat(message, team="desk")
    await model.close()
    return answer


@pytest.mark.parametrize(
    ("message", "measure", "wanted"),
    [
        ("별관 건물 회의실은 몇 개야?", "count", "**3개**"),
        ("별관 회의실 좌석 합계는 얼마야?", "total 좌석", "**22**"),
    ],
)
async def test_rows_of_a_table_in_a_text_are_counted_and_summed(opened, message, measure, wanted) -> None:
    async with ScriptedServer(say(orjson.dumps(query(measure, ("건물", "별관"))).decode())) as server:
        answer = await asked(opened, server, message, 안내_html=GUIDE)
        assert len(server.requests) == 1
    assert wanted in answer.response
    assert "안내.html" in answer.response


async def test_a_figure_of_one_row_is_told_by_who_reads_it(opened) -> None:
    read = say(orjson.dumps(query("좌석", ("건물", "별관"))).decode())
    async with ScriptedServer(read, read, say("yes"), say("12")) as server:
        answer = await asked(opened, server, "별관 회의실 좌석은 몇 개야?", 안내_html=GUIDE)
    assert "**" not in answer.response


REPAIRS = "번호,고장,상태\n" + "".join(f"R{n},{('누수', '소음')[n % 2]},완료\n" for n in range(9))


@pytest.mark.parametrize(
    ("message", "wanted", "said"),
    [
        ("누수로 들어온 것은 몇 건이야?", "**5건**", orjson.dumps(query("count", ("고장", "누수"))).decode()),
        # What no column tells of may be what is asked for: no query is made of it, it is asked whether a row states it.
        ("누수로 들어온 것 중에 출장비 받은 건은 몇 건이야?", "찾지 못했습니다", "no"),
    ],
)
async def test_a_workbook_is_found_by_its_values_where_search_finds_no_row_that_tells(
    opened, message, wanted, said
) -> None:
    async with ScriptedServer(say(said)) as server:
        answer = await asked(opened, server, message, 수리_csv=REPAIRS)
    assert wanted in answer.response


@tool
def with_a_translation_alone(queries: list[str]) -> ToolResult:
    """Find passages."""
    text = "Leaking pipes came in through the north gate."
    found = [Passage("d", "Notes", 1, 0, len(text), text, score=0.9)]
    return ToolResult("", found, data={"evidence": 0.8 if len(queries) > 1 else 0.1})


async def test_what_a_translation_alone_finds_does_not_hide_the_rows_of_a_workbook(opened) -> None:
    reader = Agent(
        name="reader", description="x", tools=[with_a_translation_alone], search=with_a_translation_alone.name
    )
    counted = say(orjson.dumps(query("count", ("고장", "누수"))).decode())
    async with ScriptedServer(say("How many leaks came in?"), counted) as server:
        answer = await asked(opened, server, "누수로 들어온 것은 몇 건이야?", reader, 수리_csv=REPAIRS)
    assert "**5건**" in answer.response
