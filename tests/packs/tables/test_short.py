"""The data agent with a small model: what it cannot count it shows, where the question names it."""

import orjson
import pytest

from dure import Dure, Team
from dure.agents import RunContext
from dure.models import ChatClient, Model
from dure.testing import ScriptedServer, say

STOCK = "품명,재고,위치\n흑토,25,C-1\n백자토,140,C-2\n조합토,60,C-2\n청자토,10,D-4\n산청토,30,D-4\n"
CANNOT = {"rows": "rows", "filters": [], "answer": "cannot", "measure": "count", "order": "none", "limit": 0}
LIST = CANNOT | {"answer": "list"}


@pytest.fixture
async def answer(opened):
    async def asked(message: str, *objects: dict, then: str = "") -> str:
        async with ScriptedServer(*(say(orjson.dumps(each).decode()) for each in objects)) as server:
            model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
            clerk = Dure().teams["workplace"].agent("internal_agent")
            dure = await opened(model=model, teams=[Team(name="desk", kind="solo", description="x", agents=[clerk])])
            document = await dure.knowledge.add("default", "재고.csv", STOCK.encode())
            await dure.knowledge.wait("default", [document.id])
            said = await dure.chat(message, team="desk", session_id="s")
            return (await dure.chat(then, team="desk", session_id="s") if then else said).response

    return asked


async def test_what_cannot_be_counted_shows_the_rows_that_the_question_names(answer) -> None:
    said = await answer("흑토 얼마나 남았나?", CANNOT)
    assert said.startswith("이 질문은 셀 수 있는 물음으로 읽지 못했습니다.")
    assert "| 흑토 | 25 | C-1 |" in said
    assert "재고.csv 표에서 구했습니다." in said


async def test_a_refusal_that_names_no_row_shows_none(answer) -> None:
    said = await answer("재고 합계는 얼마야?", CANNOT)
    assert said.startswith("이 데이터로는 답할 수 없는 질문입니다.")
    assert "|" not in said


async def test_no_source_is_asked_of_a_refusal(answer, monkeypatch) -> None:
    """Whoever searched before may have found passages that name the same columns."""
    told, its = list[str](), RunContext.own
    monkeypatch.setattr(RunContext, "own", lambda run, text: told.append(text) or its(run, text))
    assert await answer("재고 합계는 얼마야?", CANNOT) in told


async def test_a_question_that_says_only_what_is_other_goes_on_from_the_one_before(answer) -> None:
    at = {"field": "위치", "op": "=", "value": "C-2"}
    total = CANNOT | {"answer": "number", "measure": "total 재고", "filters": [at]}
    other = total | {"filters": [at | {"value": "D-4"}]}
    alone = {"about": "", "alone": True}
    said = await answer("C-2에 있는 재고 합계는?", total, alone, other, then="D-4는?")
    assert said.startswith("앞의 질문에 이어 이렇게 읽었습니다: D-4에 있는 재고 합계는?")
    assert "**40**" in said


async def test_team_workplace_draws_a_table_too(answer) -> None:
    said = await answer("재고를 위치별로 막대그래프로 그려줘", LIST | {"rows": "위치", "measure": "total 재고"})
    assert "| C-2 | 200 |" in said
    assert ".svg" in said


async def test_single_rows_are_shown_with_all_their_cells(answer) -> None:
    said = await answer("조합토 보여줘", LIST | {"filters": [{"field": "품명", "op": "=", "value": "조합토"}]})
    assert "| 조합토 | 60 | C-2 |" in said
