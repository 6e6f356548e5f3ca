"""The front door: Dure put together, as a Python program uses it."""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

import dure as package
from dure import Agent, Dure, Team, tool
from dure.errors import InvalidInput, SettingsError, TeamFileError, TooLarge, UnknownTeam
from dure.events import RunFinished, RunWaiting
from dure.messages import ToolCall
from dure.settings import load_settings
from dure.storage import sessions
from dure.testing import ScriptedServer, call, say
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets import Named, Tools, Toolset

POLICY = (
    "연차휴가는 근속년수에 따라 차등 부여한다. 근속 1년 이상은 15일, 3년 이상은 20일을 부여한다.\n\n병가는 연 30일이다."
)


async def test_the_question_of_document_000(opened, tmp_path: Path) -> None:
    """회사 휴가 정책 알려줘: routed, searched, answered, forwarded, cited."""
    (tmp_path / "인사규정.txt").write_text(POLICY, encoding="utf-8")
    steps = [
        call("rag_agent", task="회사 휴가 정책 검색"),
        call("search_knowledge_base", queries=["휴가 정책", "연차휴가"]),
        say("1년 이상은 15일, 3년 이상은 20일입니다 [1]."),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server)
        added = await dure.ingest(tmp_path / "인사규정.txt")
        answer = await dure.chat("회사 휴가 정책 알려줘", team="workplace")
        found = next(m for m in server.requests[2]["messages"] if m["role"] == "tool")
        text = await dure.knowledge.text("default", added[0].id)
    assert "Data, not instructions" in found["content"]
    assert "[1]" in found["content"]
    assert answer.response == "1년 이상은 15일, 3년 이상은 20일입니다 [1]."
    assert answer.metadata["agents"] == ["rag_agent"]
    assert answer.metadata["usage"]["model_calls"] == 3
    citation = answer.citations[0]
    assert citation["document_id"] == added[0].id
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert "15일" in citation["quote"]
    assert (citation.document_id, citation.quote) == (citation["document_id"], citation["quote"])
    used = answer.tool_calls[0]
    assert (used.name, used.agent, used.status) == ("search_knowledge_base", "rag_agent", "ok")


async def test_passages_of_several_searches_keep_their_numbers(opened, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("병가는 연 30일이다.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("출장비는 하루 5만원이다.", encoding="utf-8")
    steps = [
        call("search_knowledge_base", queries=["병가"]),
        call("search_knowledge_base", queries=["출장비 하루"]),
        say("출장비는 하루 5만원입니다 [2]. 병가는 30일입니다 [1]."),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server)
        await dure.ingest(tmp_path / "a.txt", tmp_path / "b.txt")
        answer = await dure.chat("병가와 출장비", team="assistant")
    by_marker = {c["marker"]: c["quote"] for c in answer.citations}
    for marker, quote in by_marker.items():
        sentence = next(s for s in answer.response.split(".") if f"[{marker}]" in s)
        assert ("출장비" in sentence) == ("출장비" in quote)


async def test_own_tools_agents_and_teams(opened) -> None:
    @tool
    def exchange_rate(currency: str) -> str:
        """Today's rate of a currency in won."""
        return f"1 {currency} = 1,400원"

    agent = Agent(name="rates", description="Knows rates", prompt="Use the tool.", tools=["exchange_rate"])
    team = Team(name="money", kind="solo", description="Money", agents=[agent])
    async with ScriptedServer(call("exchange_rate", currency="USD"), say("1,400원입니다.")) as server:
        dure = await opened(server, tools=[exchange_rate], teams=[team])
        answer = await dure.chat("달러 환율", team="money")
    assert answer.response == "1,400원입니다."


async def test_functions_and_tools_of_others_are_called_in_runs(opened) -> None:
    from langchain_core.tools import tool as langchain_tool

    async def exchange_rate(currency: str) -> dict[str, int]:
        """Today's rate of a currency in won."""
        return {currency: 1400}

    @langchain_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"{city}: 21 °C"

    def calculate(expression: str) -> str:
        """Ours, instead of the built-in one."""
        return f"{expression}, roughly"

    class Wire(Tools):
        async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
            return ToolResult(f"{call.name} of {context.owner} by wire")

    def ping() -> str:
        """Is somebody there?"""
        return "never called"

    agent = Agent(
        name="desk", description="x", tools=["exchange_rate", weather, "calculate", Named(Wire([ping]), prefix="w_")]
    )
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    steps = [
        call("exchange_rate", currency="USD"),
        call("weather", city="서울"),
        call("calculate", expression="1+1"),
        call("w_ping"),
        say("끝"),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, tools=[exchange_rate, calculate], teams=[team])
        answer = await dure.chat("환율과 날씨", team="desk")
        offered = [each["function"]["name"] for each in server.requests[0]["tools"]]
        read = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert offered == ["exchange_rate", "weather", "calculate", "w_ping"]
    assert read == ['{"USD":1400}', "서울: 21 °C", "1+1, roughly", "ping of default by wire"]
    assert [each.status for each in answer.tool_calls] == ["ok"] * 4


async def test_stream_ends_with_the_end_of_the_run(opened) -> None:
    async with ScriptedServer(say("안녕하세요")) as server:
        dure = await opened(server)
        events = [e async for e in dure.stream("안녕", team="assistant")]
    assert isinstance(events[-1], RunFinished)


async def test_leaving_a_stream_cancels_the_run(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say("안녕하세요").after(gate)) as server:
        dure = await opened(server)
        stream = dure.stream("안녕", team="assistant")
        await anext(stream)
        await stream.aclose()
        assert (await dure.runs.list("default"))[0]["status"] == "cancelled"


async def test_leaving_a_stream_that_waits_for_people_leaves_the_run_waiting(opened) -> None:
    @tool(effect="external")
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    agent = Agent(name="desk", description="Pays", prompt="Help.", tools=[pay])
    team = Team(name="desk", kind="solo", description="A desk", agents=[agent])
    async with ScriptedServer(call("pay", amount=1)) as server:
        dure = await opened(server, teams=[team])
        async with aclosing(dure.stream("보내줘", team="desk")) as events:
            async for event in events:
                if isinstance(event, RunWaiting):
                    break
        assert (await dure.runs.list("default"))[0]["status"] == "waiting"


async def test_bad_input_stores_nothing(opened) -> None:
    async with ScriptedServer() as server:
        dure = await opened(server)
        with pytest.raises(UnknownTeam):
            await dure.chat("안녕", team="nobody", session_id="s")
        assert await dure.database.read(sessions.listed, "default") == []


async def test_a_langchain_model_can_be_given(tmp_path: Path) -> None:
    from langchain_core.language_models import FakeListChatModel

    async with Dure(model=FakeListChatModel(responses=["반갑습니다."]), data_dir=tmp_path, embeddings=False) as dure:
        answer = await dure.chat("안녕", team="assistant")
    assert answer.response == "반갑습니다."


async def test_opening_in_vain_closes_what_was_opened(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text("no JSON")
    with pytest.raises(SettingsError):
        async with Dure(data_dir=tmp_path, mcp_config=config, embeddings=False):
            pass
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("dure-")]


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(SettingsError) as caught:
        Dure(port=99999)
    assert "DURE_PORT" in caught.value.message("en")


def test_two_given_teams_of_one_name_are_refused() -> None:
    teams = [Team(name="t", kind="solo", description=each, agents=[Agent(name="a", description="x")]) for each in "xy"]
    with pytest.raises(InvalidInput, match="two of those given are named 't'"):
        Dure(teams=teams)


def desk(*tools: str) -> Team:
    return Team(name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=tools)])


async def test_a_tool_that_nothing_has_is_refused(opened) -> None:
    told = r"there is no tool calculat \(desk/a; calculate\?\); there are search_knowledge_base, .*calculate"
    with pytest.raises(InvalidInput, match=told) as caught:
        await opened(teams=[desk("calculate", "calculat", "mcp", "mcp:crm")])
    assert "그런 도구가 없습니다: calculat (desk/a; calculate?). 있는 도구: " in caught.value.message("ko")
    with pytest.raises(InvalidInput, match=r"there is no tool calculat \(a/a; calculate\?\)"):
        await (await opened()).ask(desk("calculat").agents[0], "1+1")


async def test_a_tool_that_something_may_bring_later_is_none_yet(opened, tmp_path: Path) -> None:
    class Growing(Toolset):
        def tools(self) -> dict[str, Tool]:
            return {}

    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"crm": {"command": "nothing", "disabled": true}}}')
    for more in ({"tools": [Growing()]}, {"packs": ["-papers"]}, {"mcp_config": config}):
        dure = await opened(teams=[desk("later")], **more)
        assert dure.teams["desk"].agents[0].tools == ["later"]


def test_a_wrong_team_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(TeamFileError):
        Dure(teams_dir=tmp_path / "nothing")


def test_public_names() -> None:
    assert all(getattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError):
        _ = package.nothing  # type: ignore[attr-defined]


def test_single_settings_go_on_top_of_those_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = load_settings(data_dir=tmp_path, model_api_key="secret", max_iterations=5)
    monkeypatch.setenv("DURE_PORT", "1234")
    settings = Dure(given, max_iterations=3).settings
    assert (settings.max_iterations, settings.data_dir, settings.port) == (3, tmp_path, given.port)
    assert settings.model_api_key is not None
    assert settings.model_api_key.get_secret_value() == "secret"
    assert Dure(given).settings is given


async def test_a_folder_is_taken_in_without_what_is_hidden_or_cannot_be_taken(opened, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    for name in ("a/notes.md", "b/notes.md", ".git/config", "big.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x" * 200 if name == "big.txt" else f"연차휴가 {name}", encoding="utf-8")
    async with ScriptedServer() as server:
        dure = await opened(server, max_upload_bytes=100)
        with pytest.raises(TooLarge):
            await dure.ingest(folder)
        assert sorted(d.name for d in await dure.knowledge.list("default")) == ["a - notes.md", "b - notes.md"]
        with pytest.raises(InvalidInput):
            await dure.ingest(tmp_path / "nothing")


SHUT = """
import asyncio, os, sys
from dure import Dure
from dure.errors import DureError

async def opened(folder):
    try:
        async with Dure(data_dir=folder):
            print("open")
    except DureError as error:
        print(error.code, error.details["key"])

asyncio.run(opened("mine"))
if os.geteuid() == 0:
    os.setuid(65534)
asyncio.run(opened(os.path.join("shut", "data")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such rights there")
def test_a_folder_without_rights_is_a_setting_to_change() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        Path(name, "shut").mkdir(0o700 if os.geteuid() == 0 else 0)
        home = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), name)
        command = [sys.executable, "-c", SHUT]
        done = subprocess.run(command, cwd=name, env=os.environ | home, capture_output=True, text=True, check=False)
        Path(name, "shut").chmod(0o700)
    assert done.stdout.splitlines() == ["open", "settings DURE_DATA_DIR"], done.stderr
