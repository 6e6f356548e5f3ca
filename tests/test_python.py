"""The face for Python programs: answers as values, agents without a team, results as types, scripts without async."""

import asyncio
import importlib
import pickle
import re
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest
from fixtures.pictures import png
from pydantic import AfterValidator, BaseModel

import dure as package
from dure import Agent, Answer, Citation, Dure, Settings, Team, tool
from dure.adapted import Shape
from dure.errors import (
    AlreadyDecided,
    AlreadyOpen,
    Conflict,
    DureError,
    InvalidInput,
    Language,
    NoResult,
    NotOpen,
    UnknownTeam,
)
from dure.testing import ScriptedServer, Step, call, json, say
from dure.tooling import Effect, ToolContext

CLERK = Agent(name="clerk", description="Knows the weather", prompt="Be brief.")
DOCS = (Path(__file__).parents[1] / "docs" / "python.md").read_text("utf-8")


class Weather(BaseModel):
    city: str
    degrees: int


@dataclass
class Pair:
    a: int
    b: int


def test_every_public_name_is_there_and_told_of() -> None:
    assert 15 <= len(package.__all__) <= 20
    for name in package.__all__:
        assert getattr(package, name) is not None
        assert f"`{name}" in DOCS, name
    assert {name for name in dir(package) if not name.startswith("__")} == {*package.__all__}
    with pytest.raises(AttributeError, match="nothing"):
        importlib.import_module("dure").nothing  # noqa: B018


async def test_an_answer_is_values(opened, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("연차는 15일이다.", encoding="utf-8")
    async with ScriptedServer(call("search_knowledge_base", queries=["연차"]), say("15일입니다 [1].")) as server:
        dure: Dure = await opened(server)
        await dure.ingest(tmp_path / "a.txt")
        answer = await dure.chat("연차는 며칠?", team="assistant")
    (citation,) = answer.citations
    assert isinstance(citation, Citation)
    assert citation.quote == citation["quote"] == "연차는 15일이다."
    with pytest.raises(KeyError):
        citation["nothing"]
    assert "quote" in citation
    assert "nothing" not in citation
    assert answer.tool_calls[0]["name"] == "search_knowledge_base"
    assert (answer.agents, answer.usage.model_calls, answer.reason) == (("assistant",), 2, None)
    assert answer.run_id.startswith("r-")
    assert answer.session_id.startswith("s-")
    assert str(answer) == "15일입니다 [1]."
    assert answer._repr_markdown_().endswith("## Sources\n\n- [1] a: “연차는 15일이다.”")


async def test_an_agent_is_asked_without_a_team(opened) -> None:
    async with ScriptedServer(say("안녕하세요."), say("또 안녕하세요.")) as server:
        dure: Dure = await opened(server)
        first = await dure.ask(CLERK, "안녕")
        again = await dure.ask(CLERK, "또 안녕", session_id=first.session_id)
    assert (first.response, again.response) == ("안녕하세요.", "또 안녕하세요.")
    assert server.requests[1]["messages"][1]["content"] == "안녕"


async def test_agents_that_are_asked_are_no_teams(opened, database_url: str) -> None:
    """Of one name, with other prompts, schemas and tools, at once; one of a team's name."""

    def clerk(prompt: str, name: str = "clerk") -> Agent:
        @tool(effect="write")
        def save() -> str:
            "Save it."
            return f"saved by {prompt}"

        return Agent(name=name, description="x", prompt=prompt, tools=[save])

    def respond(body: dict) -> Step:
        if wanted := body.get("response_format"):
            return json({"city": "서울", "degrees": 1} if "degrees" in str(wanted) else {"a": 1, "b": 2})
        return say("저장했습니다.") if body["messages"][-1]["role"] == "tool" else call("save")

    async with ScriptedServer(respond=respond) as server:
        dure: Dure = await opened(server, database_url=database_url)
        teams = dict(dure.teams)
        asked = [(clerk("A"), Weather), (clerk("B"), Pair), (clerk("C"), None), (clerk("D", "papers"), None)]
        waiting = await asyncio.gather(*(dure.ask(each, "저장해", schema=schema) for each, schema in asked))
        assert {answer.status for answer in waiting} == {"waiting"}
        answers = await asyncio.gather(*map(dure.decide, waiting))
        assert dure.teams == teams
    values = [Weather(city="서울", degrees=1), Pair(1, 2), None, None]
    assert [answer.value for answer in answers] == values
    told = [r["messages"] for r in server.requests if r["messages"][-1]["role"] == "tool"]
    assert len(told) == 4
    assert all(f"saved by {said[0]['content'][:1]}" in said[-1]["content"] for said in told)
    assert [answer.metadata["team"] for answer in answers] == ["clerk", "clerk", "clerk", "papers"]


async def test_a_run_of_an_agent_is_gone_on_with_elsewhere(opened, tmp_path: Path) -> None:
    """What waits is decided in another process, by the answer that the first kept; what ended is asked anew there."""

    @tool(effect="write")
    def save() -> str:
        "Save it."
        return "saved"

    agent = Agent(name="papers", description="x", prompt="Be brief.", tools=["save"])
    steps = [call("save"), say("저장했습니다."), json({"a": 1, "b": 2})]
    later = [say("새로."), json({"a": 3, "b": 4}), say("또 새로."), json({"a": 5, "b": 6})]
    async with ScriptedServer(*steps, *later) as server:
        before: Dure = await opened(server, tools=[save])
        kept = pickle.dumps(await before.ask(agent, "저장해", schema=Pair))
        await before.runs.close()
        after: Dure = await opened(server, tools=[save])
        answer = await after.decide(pickle.loads(kept), "approve")
        assert answer.value == Pair(1, 2)
        record = await after.runs.get("default", answer.run_id)
        step = next(each["seq"] for each in record["events"] if each["kind"] == "model_called")
        again = await after.runs.again("default", answer.run_id, step)
        anew = await after.runs.answer("default", again.id)
        once_more = await after.runs.start("default", await after.runs.sessions.again("default", answer.run_id))
        last = await after.runs.answer("default", once_more.id)
    assert [anew.response, last.response] == ['{"a":3,"b":4}', '{"a":5,"b":6}']
    assert all("Be brief." in server.requests[at]["messages"][0]["content"] for at in (0, 3, 5))


@pytest.mark.parametrize(
    ("schema", "written", "value"),
    [
        (Weather, {"city": "서울", "degrees": 21}, Weather(city="서울", degrees=21)),
        (Pair, {"a": 1, "b": 2}, Pair(1, 2)),
        (list[str], {"value": ["가", "나"]}, ["가", "나"]),
        (list[Weather], {"value": [{"city": "서울", "degrees": 1}]}, [Weather(city="서울", degrees=1)]),
        ({"type": "object", "properties": {"x": {"type": "integer"}}}, {"x": 3}, {"x": 3}),
        (dict[str, int], {}, {}),
    ],
)
async def test_a_result_has_its_type(opened, schema, written, value) -> None:
    async with ScriptedServer(say("서울은 21도."), json(written)) as server:
        answer: Answer = await (await opened(server)).ask(CLERK, "날씨?", schema=schema)
    assert answer.value == value
    assert type(answer.value) is type(value)


async def test_an_agent_is_asked_as_a_team_is(opened) -> None:
    """With another model, a picture, a form of the answer; its events come as a team's do."""
    async with ScriptedServer(say("빨강."), say("네."), say("또 네.")) as server:
        named = {"other": {"base_url": server.url, "name": "second"}, "default": {"base_url": server.url}}
        dure: Dure = await opened(server, models=named)
        answer = await dure.ask(CLERK, "무슨 색?", model="other", images=[png()], output_format="json")
        events = [event async for event in dure.stream("응?", team=CLERK)]
        again = await dure.chat("응?", team=CLERK, session_id=answer.session_id)
        (run,) = [each for each in await dure.runs.list("default") if each["id"] == answer.run_id]
    assert answer.response == '{"answer":"빨강.","sources":[]}'
    assert (run["options"]["model"], len(run["options"]["images"])) == ("other", 1)
    assert server.requests[0]["model"] == "second"
    assert (events[0].team, events[-1].response, again.response) == ("clerk", "네.", "또 네.")


async def test_a_stream_that_is_closed_ends_its_run(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda _: replace(say("네."), gate=gate)) as server:
        dure: Dure = await opened(server)
        async with aclosing(dure.stream("응?", team=CLERK)) as events:
            assert (await anext(events)).kind == "run_started"
        (run,) = await dure.runs.list("default")
        gate.set()
    assert run["status"] == "cancelled"


async def test_what_is_asked_of_an_agent_names_tools_that_there_are(opened) -> None:
    dure: Dure = await opened()
    lost = Agent(name="lost", description="x", tools=["calculat"])
    for asked in (dure.ask(lost, "1+1?"), dure.chat("1+1?", team=lost), anext(dure.stream("1+1?", team=lost))):
        with pytest.raises(InvalidInput, match="calculat"):
            await asked


async def test_what_does_not_fit_goes_back_once(opened) -> None:
    steps = [say("서울"), json({"city": "서울"}), json({"city": "서울", "degrees": 3})]
    async with ScriptedServer(*steps) as server:
        answer = await (await opened(server)).ask(CLERK, "날씨?", schema=Weather)
        assert "degrees" in server.requests[2]["messages"][-1]["content"]
    assert answer.value == Weather(city="서울", degrees=3)


async def test_a_result_is_nothing_but_itself(opened) -> None:
    """Nothing can be said below it, so nobody is asked what that would be."""
    written = say("메일을 보냈습니다."), json({"days": 3})
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
    async with ScriptedServer(*written, claims=[1]) as server:
        answer = await (await opened(server)).ask(CLERK, "3일이라고 메일 보내줘", schema=schema)
    assert answer.response == '{"days":3}'
    assert answer.metadata["usage"]["model_calls"] == 2


async def test_no_result_is_an_error(opened) -> None:
    async with ScriptedServer(say("서울"), json({"degrees": 1}), json({"degrees": 1})) as server:
        with pytest.raises(NoResult):
            await (await opened(server)).ask(CLERK, "날씨?", schema=Weather)


async def test_a_result_that_its_type_refuses_is_an_error(opened) -> None:
    def degrees(value: int) -> int:
        raise ValueError("too cold")

    hot = Annotated[int, AfterValidator(degrees)]
    async with ScriptedServer(say("서울은 1도."), json({"value": 1})) as server:
        with pytest.raises(NoResult, match="too cold"):
            await (await opened(server)).ask(CLERK, "날씨?", schema=hot)


def test_what_was_stopped_before_its_result_has_none() -> None:
    stopped = Answer("서울은", status="stopped")
    assert Shape(Weather).fill(stopped) == replace(stopped, schema=Weather)


async def test_a_decision_goes_on(opened) -> None:
    sent = []

    @tool(effect="external")
    def send(to: str) -> str:
        "Send a mail."
        sent.append(to)
        return "sent"

    agent = Agent(name="poster", description="Sends mail", tools=[send])
    async with ScriptedServer(call("send", to="kim"), say("보냈습니다.")) as server:
        dure: Dure = await opened(server)
        waiting = await dure.ask(agent, "보내줘")
        assert waiting.status == "waiting"
        assert waiting.approvals[0].args == {"to": "kim"}
        answer = await dure.decide(waiting)
        for action in ("approve", "reject"):
            with pytest.raises(Conflict, match="waits for no approval"):
                await dure.decide(answer, action)
        with pytest.raises(AlreadyDecided):
            await dure.decide(waiting)
    assert (answer.response, sent) == ("보냈습니다.", ["kim"])


async def test_a_team_is_a_tool_and_a_runnable(opened) -> None:
    async with ScriptedServer(
        say("안녕하세요."), call("assistant", message="hi"), say("안녕하세요!"), say("전달: 안녕")
    ) as server:
        dure: Dure = await opened(server)
        assert (await dure.as_runnable("assistant").ainvoke("안녕")).response == "안녕하세요."
        answer = await dure.ask(Agent(name="boss", description="x", tools=[dure.as_tool("assistant")]), "물어봐")
    assert answer.response == "전달: 안녕"
    for wrong in (dure.as_tool, dure.as_runnable):
        with pytest.raises(UnknownTeam):
            wrong("nobody")


async def test_a_runnable_is_asked_in_a_session_of_an_owner(opened) -> None:
    async with ScriptedServer(say("네."), say("또.")) as server:
        dure: Dure = await opened(server)
        team = dure.as_runnable("assistant")
        config = {"configurable": {"session_id": "s-1", "owner": "kim", "thread_id": "of the graph around it"}}
        for message in ("응?", "또?"):
            await team.ainvoke(message, config=config)
        said = await dure.runs.sessions.messages("kim", "s-1")
    assert [each["content"] for each in said] == ["응?", "네.", "또?", "또."]
    with pytest.raises(InvalidInput, match="ainvoke"):
        team.invoke("응?")


@pytest.mark.parametrize("effect", ["read", "external"])
@pytest.mark.parametrize("action", ["approve", "edit", "reject", "elsewhere"])
async def test_what_a_team_that_is_a_tool_asks_is_asked_where_it_is_called(opened, action: str, effect: Effect) -> None:
    sent: list[str] = []

    @tool(effect="external")
    def send(to: str) -> str:
        "Send a mail."
        sent.append(to)
        return f"sent to {to}"

    poster = Agent(name="poster", description="x", tools=[send])
    post = Team(name="post", kind="solo", description="Sends mail", agents=[poster])
    steps = [call("post", message="보내"), call("send", to="kim"), call("send", to="lee"), say("보냈어요."), say("끝.")]
    async with ScriptedServer(*steps) as server:
        dure: Dure = await opened(server, teams=[post])
        boss = Agent(name="boss", description="x", tools=[dure.as_tool("post", effect=effect)], allow=["post"])
        answer = await dure.ask(boss, "메일 보내줘")
        for to in ("kim", "lee"):
            (asked,) = answer.approvals
            assert (asked.args, [*asked.actions]) == ({"to": to}, ["approve", "edit", "reject"])
            assert "send" in asked.title
            waiting = await dure.runs.approvals("default")
            (own,) = [each for each in waiting if each["run_id"] != answer.run_id]
            if action == "elsewhere":
                await dure.runs.decide("default", own["run_id"], [{"approval_id": own["id"], "action": "approve"}])
            said = {"edit": {"args": {"to": f"{to}2"}}, "reject": {"message": "no"}}.get(action, {})
            answer = await dure.decide(answer, "approve" if action == "elsewhere" else action, **said)
        assert await dure.runs.approvals("default") == []
        assert len(await dure.runs.list("default")) == 2
    assert (answer.response, [each.status for each in answer.tool_calls]) == ("끝.", ["ok"])
    assert sent == {"edit": ["kim2", "lee2"], "reject": []}.get(action, ["kim", "lee"])


@pytest.mark.parametrize(("language", "told"), [("ko", "사람의 결정을 기다립니다"), ("en", "waits for a person's")])
async def test_outside_of_runs_a_team_that_asks_says_which_run_waits(opened, language: Language, told: str) -> None:
    @tool(effect="external")
    def send(to: str) -> str:
        "Send a mail."
        return to

    poster = Agent(name="poster", description="x", tools=[send])
    post = Team(name="post", kind="solo", description="x", agents=[poster])
    async with ScriptedServer(call("send", to="kim")) as server:
        dure: Dure = await opened(server, teams=[post])
        result = await dure.as_tool("post").run({"message": "x"}, ToolContext("default", language=language))
        (asked,) = await dure.runs.approvals("default")
    assert result.is_error
    assert told in result.text
    assert asked["run_id"] in result.text
    assert result.data["run_id"] == asked["run_id"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"message": 5}, "message: a value of type str is needed, not of type int"),
        ({"message": None}, "message: .* not of type NoneType"),
        ({"message": b"hi"}, "message: .* not of type bytes"),
        ({"team": 5}, r"team: a value of type str . None is needed, not of type int"),
        ({"tem": "assistant"}, "argument: 'tem' is none of .*team"),
        ({"session_id": 5}, "session_id: .* not of type int"),
        ({"level": 5}, "level: .* not of type int"),
        ({"owner": None}, "owner: a value of type str is needed, not of type NoneType"),
        ({"images": 5}, "images: a value of type Sequence is needed"),
        ({"images": [5]}, "images: a value of type .* is needed, not of type int"),
        ({"images": ["zzz"]}, "Base64 or as a data URL"),
    ],
    ids=str,
)
async def test_what_is_of_another_type_is_said(opened, how, said) -> None:
    dure: Dure = await opened()
    with pytest.raises(InvalidInput, match=said) as caught:
        await dure.chat(**{"message": "안녕"} | how)
    assert caught.value.message("ko") != caught.value.message("en")
    assert await dure.runs.list("default") == []


@pytest.mark.parametrize(
    ("schema", "why"),
    [("hello", "hello"), ("list[", "expression"), (5, "for 5"), (print, "print")],
    ids=str,
)
async def test_what_is_no_schema_or_no_agent_is_said(opened, schema, why) -> None:
    dure: Dure = await opened()
    with pytest.raises(InvalidInput, match=f"schema: a type such as a pydantic model.*{why}"):
        await dure.ask(CLERK, "안녕", schema=schema)
    with pytest.raises(InvalidInput, match="agent: a value of type Agent is needed, not of type str"):
        await dure.ask("assistant", "안녕")
    with pytest.raises(InvalidInput, match=r"argument: 'modle' is none of .*model"):
        await dure.ask(CLERK, "안녕", modle="x")


async def test_what_is_no_team_or_answer_is_said(opened) -> None:
    dure: Dure = await opened()
    for wrong in (dure.as_tool, dure.as_runnable):
        with pytest.raises(InvalidInput, match="team: a value of type str is needed, not of type Agent"):
            wrong(CLERK)
    with pytest.raises(InvalidInput, match="answer: a value of type Answer is needed, not of type str"):
        await dure.decide("r-1")
    for given, found in (([CLERK], "of type Team is needed, not of type Agent"), (5, "Iterable is needed")):
        with pytest.raises(InvalidInput, match=f"teams: a value .*{found}"):
            Dure(teams=given)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (lambda: Agent(name="a", description="x", prompts="p"), "Agent.prompts: .*is 'prompt' meant"),
        (lambda: Agent(name="bad name!", description="x"), "Agent.name: a name is"),
        (lambda: Team(name="t", kind="solo", description="x", agents=[]), "Team.agents: "),
        (lambda: Team(name="t", kind="solo", description="x", agents=[{"name": "a"}]), "Team.agents.0.description: "),
        (lambda: Team(name="t", kind="solo", description="x", agents=[CLERK, CLERK]), "Team.agents: two agents"),
        (lambda: Team(name="t", kind="solo", description="x", agents=[CLERK, Agent(name="b", description="x")]), "one"),
    ],
)
def test_what_is_wrong_with_a_definition_is_said_as_every_error_is(written, said) -> None:
    with pytest.raises(DureError, match=said) as caught:
        written()
    assert caught.value.message("ko") != caught.value.message("en")


async def test_a_model_that_is_none_is_said(opened) -> None:
    with pytest.raises(InvalidInput, match=r"model: a LangChain BaseChatModel.* of type int"):
        await opened(model=5)


async def test_outside_of_its_block_it_says_how_to_open_it(tmp_path: Path) -> None:
    dure = Dure(data_dir=tmp_path)
    with pytest.raises(NotOpen, match="async with Dure") as caught:
        await dure.chat("안녕")
    assert "async with Dure" in caught.value.message("ko")
    with pytest.raises(NotOpen):
        await anext(dure.stream("안녕"))
    with pytest.raises(NotOpen):
        dure.tools  # noqa: B018
    assert not hasattr(dure, "runs")
    blocking = dure.sync()
    for use in (
        lambda: blocking.chat("x"),
        lambda: blocking.ask(CLERK, "x"),
        lambda: blocking.ingest(tmp_path),
        lambda: next(blocking.stream("x")),
    ):
        with pytest.raises(NotOpen, match="with Dure"):
            use()


async def test_it_is_opened_once_at_a_time(opened, tmp_path: Path) -> None:
    async with ScriptedServer(say("네")) as server:
        dure: Dure = await opened(server)
        with pytest.raises(AlreadyOpen, match="open already"):
            async with dure:
                pass
        assert (await dure.chat("안녕", team="assistant")).response == "네"


async def test_after_its_block_it_is_as_before(tmp_path: Path) -> None:
    dure = Dure(data_dir=tmp_path, model_base_url="http://127.0.0.1:9/v1", embeddings=False)
    for _ in range(2):
        async with dure:
            assert await dure.runs.list("me") == []
        with pytest.raises(NotOpen):
            await dure.chat("안녕")
        assert not hasattr(dure, "runs")


async def test_what_is_no_schema_is_refused(opened) -> None:
    dure: Dure = await opened()
    for wanted, why in (
        ({"type": "objekt"}, "type"),
        ({"type": "object", "properties": {"a": {"type": "int"}}}, "properties.a.type"),
        ({"type": "object", "required": "a"}, "required"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/X"}}}, "#/$defs/X"),
    ):
        with pytest.raises(InvalidInput, match=re.escape(why)):
            await dure.ask(CLERK, "x", schema=wanted)
        with pytest.raises(InvalidInput, match=re.escape(why)):
            Team(name="t", kind="solo", description="t", agents=[CLERK], result=wanted)


async def test_what_it_has_not_is_no_attribute(opened) -> None:
    with pytest.raises(AttributeError, match="'Dure' has no attribute 'chatt'"):
        (await opened()).chatt  # noqa: B018


async def test_a_script_needs_no_async(tmp_path) -> None:
    async with ScriptedServer(say("안녕하세요."), say("네."), say("셋")) as server:
        settings = Settings(data_dir=tmp_path, model_base_url=server.url, tool_dialect="native", embeddings=False)

        def script() -> None:
            with Dure(settings).sync() as dure:
                assert dure.chat("안녕", team="assistant").response == "안녕하세요."
                assert dure.ask(CLERK, "응?").response == "네."
                kinds = [type(event).__name__ for event in dure.stream("하나", team="assistant")]
                assert (kinds[0], kinds[-1]) == ("RunStarted", "RunFinished")
                with pytest.raises(UnknownTeam):
                    dure.chat("x", team="nobody")

        await asyncio.to_thread(script)


async def test_a_script_decides(tmp_path) -> None:
    @tool(effect="external")
    def send(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    async with ScriptedServer(call("send", to="kim"), say("보냈습니다.")) as server:
        named = {"fast": {"base_url": server.url}}

        def script() -> Answer:
            with Dure(
                model="fast", models=named, data_dir=tmp_path, tool_dialect="native", embeddings=False
            ).sync() as dure:
                return dure.decide(dure.ask(Agent(name="poster", description="Sends mail", tools=[send]), "보내줘"))

        answer = await asyncio.to_thread(script)
    assert (answer.status, answer.response) == ("completed", "보냈습니다.")
