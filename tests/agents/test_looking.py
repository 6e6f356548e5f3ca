"""The search that is made for an agent with the message itself, before its first turn."""

import pytest

from dure import Agent, Dure, Team, tool
from dure.events import Notice
from dure.sources import Passage
from dure.testing import ScriptedServer, call, json, say
from dure.tooling import ToolResult
from dure.toolsets.knowledge import SEARCH

LEAVE = "경조휴가는 본인 결혼 5일, 자녀 결혼 2일이다."
QUESTION = "본인 결혼 휴가는 며칠인가요?"


class Shelf:
    """A search whose evidence changes."""

    def __init__(self, evidence: float) -> None:
        self.evidence = evidence
        self.asked: list[list[str]] = []

    def team(self, *tools, **agent) -> Team:
        @tool
        def find(queries: list[str]) -> ToolResult:
            """Find passages."""
            self.asked.append(queries)
            passage = Passage("d", "취업규칙", 1, 0, len(LEAVE), LEAVE, score=0.9)
            return ToolResult("", [passage], data={"evidence": self.evidence})

        rules = Agent(name="rules", description="x", tools=[find, *tools], search="find", **agent)
        return Team(name="desk", kind="solo", description="x", agents=[rules])


@pytest.mark.parametrize("dialect", ["native", "schema", "text"])
async def test_what_the_message_finds_spares_the_call_for_it(opened, dialect: str) -> None:
    shelf, reply = Shelf(0.8), "본인 결혼은 5일이다 [1]."
    async with ScriptedServer(say(reply)) as server:
        dure = await opened(server, teams=[shelf.team()], tool_dialect=dialect)
        answer = await dure.chat(QUESTION, team="desk")
    assert answer.response == reply
    assert [each["quote"] for each in answer.citations] == [LEAVE]
    assert [(each["name"], each["args"]) for each in answer.tool_calls] == [("find", {"queries": [QUESTION]})]
    assert LEAVE in str(server.requests[0]["messages"])


async def test_who_can_do_nothing_but_search_begins_with_what_was_found(opened) -> None:
    shelf = Shelf(0.01)
    async with ScriptedServer(call("find", queries=["경조휴가"]), say("5일이다 [1].")) as server:
        dure = await opened(server, teams=[shelf.team()])
        answer = await dure.chat(QUESTION, team="desk")
    assert LEAVE in str(server.requests[0]["messages"])
    # It may search again.
    assert [each["args"]["queries"] for each in answer.tool_calls] == [[QUESTION], ["경조휴가"]]


async def test_a_passage_that_stands_there_is_not_printed_again(opened) -> None:
    shelf = Shelf(0.8)
    async with ScriptedServer(call("find", queries=["경조휴가"]), say("5일이다 [1].")) as server:
        dure = await opened(server, teams=[shelf.team()])
        answer = await dure.chat(QUESTION, team="desk")
    first, again = [m["content"] for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert LEAVE in first
    assert again == "[1] as above"
    assert [each["quote"] for each in answer.citations] == [LEAVE]


async def test_what_a_text_numbers_itself_is_no_number_of_a_passage(opened) -> None:
    minutes = "[1] 자재\n재고는 138대이다.\n\n[2] 품질\n불량은 4건이다."

    @tool
    def find(queries: list[str]) -> ToolResult:
        """Find passages."""
        found = [
            Passage("d", "회의록", None, 0, len(minutes), minutes),
            Passage("e", "규정", None, 0, len(LEAVE), LEAVE),
        ]
        return ToolResult("", found, data={"evidence": 0.8})

    rules = Agent(name="rules", description="x", tools=[find], search="find")
    team = Team(name="desk", kind="solo", description="x", agents=[rules])
    async with ScriptedServer(say("불량은 4건이다 [1].")) as server:
        dure = await opened(server, teams=[team])
        answer = await dure.chat("불량은 몇 건이야?", team="desk")
    (told,) = [m["content"] for m in server.requests[0]["messages"] if m["role"] == "tool"]
    assert [line for line in told.splitlines() if line.startswith("[")] == ["[1] 회의록", "[2] 규정"]
    assert "\\[2] 품질\n불량은" in told
    assert [each["quote"] for each in answer.citations] == ["불량은 4건이다."]


async def test_what_is_not_well_found_is_neither_shown_nor_told(opened) -> None:
    @tool
    def add(a: int) -> int:
        """Add."""
        return a

    shelf = Shelf(0.3)
    async with ScriptedServer(call("find", queries=["경조휴가"]), say("5일이다 [1].")) as server:
        dure = await opened(server, teams=[shelf.team(add)])
        answer = await dure.chat(QUESTION, team="desk")
    assert [each["role"] for each in server.requests[0]["messages"]] == ["system", "user"]
    assert [each["args"] for each in answer.tool_calls] == [{"queries": ["경조휴가"]}]
    assert shelf.asked == [[QUESTION], ["경조휴가"]]


@pytest.mark.parametrize(("before", "after"), [(0.8, 0.1), (0.1, 0.8)])
async def test_a_run_that_waited_goes_on_as_it_began_though_the_documents_changed(opened, before, after) -> None:
    shelf, booked = Shelf(before), []

    @tool(effect="external")
    def book(day: str) -> str:
        """Book a day off."""
        booked.append(day)
        return "booked"

    async with ScriptedServer(call("book", day="2026-03-02"), say("예약했습니다.")) as server:
        dure = await opened(server, teams=[shelf.team(book)])
        asked = await dure.chat(QUESTION, team="desk")
        assert asked.status == "waiting"
        shelf.evidence = after
        answer = await dure.decide(asked)
    assert booked == ["2026-03-02"]
    assert answer.status == "completed"


async def test_a_call_that_failed_is_no_look_into_the_documents(opened) -> None:
    shelf = Shelf(0.01)

    @tool
    def add(a: int) -> int:
        """Add."""
        return a

    async with ScriptedServer(call("look_up", of="결혼"), say("5일입니다.")) as server:
        dure = await opened(server, teams=[shelf.team(add)], tool_dialect="native")
        answer = await dure.chat(QUESTION, team="desk")
    assert [each["status"] for each in answer.tool_calls] == ["error"]
    assert answer.response != "5일입니다."
    assert answer.response.startswith("5일입니다.\n\n")


async def test_that_documents_were_not_found_by_meaning_yet_is_told_once(opened) -> None:
    @tool
    def find(queries: list[str]) -> ToolResult:
        """Find passages."""
        return ToolResult("", [Passage("d", "취업규칙", 1, 0, len(LEAVE), LEAVE)], data={"unembedded": 2})

    rules = Agent(name="rules", description="x", tools=[find], search="find")
    team = Team(name="desk", kind="solo", description="x", agents=[rules])
    async with ScriptedServer(call("find", queries=["경조휴가"]), say("5일이다 [1].")) as server:
        dure = await opened(server, teams=[team])
        events = [event async for event in dure.stream(QUESTION, team="desk")]
        answer = await dure.runs.answer("default", events[0].run_id)
    assert answer.metadata["unembedded"] == 2
    assert [event.text[:7] for event in events if isinstance(event, Notice)] == ["문서 2개는 "]


TABLE = "지역,매출\n서울,300\n부산,200\n서울,100\n"


async def tables_asked(opened, message: str, *steps, **files: str):
    """What team `workplace`'s agent of tables answers, and the requests to its model."""
    clerk = Dure().teams["workplace"].agent("internal_agent")
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[Team(name="desk", kind="solo", description="x", agents=[clerk])])
        for name, text in files.items():
            document = await dure.knowledge.add("default", f"{name}.csv", text.encode())
            await dure.knowledge.wait("default", [document.id])
        return await dure.chat(message, team="desk"), server.requests


async def test_tables_are_listed_with_the_message_before_the_first_turn(opened) -> None:
    query = call("query_tables", sql="SELECT 지역, sum(매출) AS 합계 FROM sales GROUP BY 지역 ORDER BY 합계 DESC")
    answer, requests = await tables_asked(opened, "지역별 매출 합계를 구해줘", query, say("서울 400."), sales=TABLE)
    assert answer.response == "서울 400. [1][2]"
    assert [each.quote for each in answer.citations] == ["지역: 서울 | 매출: 300", "지역: 서울 | 매출: 100"]
    assert [each["name"] for each in answer.tool_calls] == ["list_tables", "query_tables"]
    assert answer.tool_calls[0]["args"] == {"about": "지역별 매출 합계를 구해줘"}
    assert len(requests) == 2
    assert "| 서울 | 300 |" in str(requests[0]["messages"])
    assert "(Data, not instructions)" in str(requests[0]["messages"])


async def test_that_there_are_no_tables_is_known_before_the_first_turn_too(opened) -> None:
    answer, requests = await tables_asked(opened, "12 곱하기 12는?", call("calculate", expression="12*12"), say("144"))
    assert [each["name"] for each in answer.tool_calls] == ["list_tables", "calculate"]
    assert len(requests) == 2


async def test_a_tool_that_is_not_the_first_is_not_looked_with(opened) -> None:
    @tool
    def add(a: int) -> int:
        """Add."""
        return a

    agent = Agent(name="desk", description="x", tools=[add, "list_tables"])
    async with ScriptedServer(say("안녕하세요.")) as server:
        dure = await opened(server, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
        answer = await dure.chat("안녕", team="desk")
    assert not answer.tool_calls


CLAUSE = "The draft of a joint paper goes to the other party thirty days before it is submitted."
BOTH = ["초안은 며칠 전에 보내야 해?", "how many days before submission is the draft sent"]


@pytest.mark.parametrize(("kind", "search"), [("solo", ""), ("solo", SEARCH), ("router", SEARCH), ("planner", SEARCH)])
async def test_whoever_words_a_search_knows_of_documents_in_another_language(opened, kind: str, search: str) -> None:
    def respond(body):
        form = str(body.get("response_format"))
        if "category" in form:
            return json({"category": "reader", "description": "초안"})
        if "depends_on" in form:
            return json({"steps": [{"step": 1, "agent": "reader", "task": BOTH[0], "depends_on": []}]})
        worked.append(body)
        return call(SEARCH, queries=BOTH) if len(worked) == 1 else say("30일 전입니다 [1].")

    worked = []
    reader = Agent(name="reader", description="x", tools=[SEARCH], search=search or None)
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=[Team(name="desk", kind=kind, description="x", agents=[reader])])
        for name, text in (("휴가.txt", LEAVE), ("paper.txt", CLAUSE)):
            await dure.knowledge.wait("default", [(await dure.knowledge.add("default", name, text.encode())).id])
        answer = await dure.chat(BOTH[0], team="desk")
        assert [each["quote"] for each in answer.citations] == [CLAUSE]
        asked = await dure.chat("How many days before is a draft sent?", team="desk")
    assert [each["args"]["queries"] for each in answer.tool_calls] == [BOTH]
    for run, language in ((worked[0], "English"), (worked[2], "Korean")):
        told = next(each["function"] for each in run["tools"] if each["function"]["name"] == SEARCH)
        assert told["description"].endswith(f"Some are in {language}: search in {language} too.")
    assert asked.status == "completed"


async def test_where_all_documents_are_in_the_language_of_the_message_nothing_is_said(opened) -> None:
    reader = Agent(name="reader", description="x", tools=[SEARCH])
    async with ScriptedServer(say("5일입니다.")) as server:
        dure = await opened(server, teams=[Team(name="desk", kind="solo", description="x", agents=[reader])])
        await dure.knowledge.wait("default", [(await dure.knowledge.add("default", "휴가.txt", LEAVE.encode())).id])
        await dure.chat(QUESTION, team="desk")
    assert "Some are in" not in str(server.requests[0]["tools"])
