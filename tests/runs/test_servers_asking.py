"""Servers that ask in the middle of a call, in both eras of the protocol, within runs that wait for the person."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from fixtures.children import warmed

from dure import Agent, Dure, Team
from dure.errors import InvalidInput
from dure.events import ToolTold
from dure.runs import Ask
from dure.testing import ScriptedServer, call, say
from dure.toolsets.mcp.server import Server

ASKING = Path(__file__).parents[1] / "toolsets" / "mcp" / "servers" / "asking.py"
Done = Callable[[], str]
TOOLS = ["book", "poem", "places", "guarded", "slow", "read_resource", "get_prompt"]


@pytest.fixture(params=["modern", "elder"])
def era(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "elder":
        start = Server.start

        def elder(self: Server) -> None:
            self._legacy = True
            start(self)

        monkeypatch.setattr(Server, "start", elder)
    return str(request.param)


@pytest.fixture
def done(tmp_path: Path) -> Done:
    """What the server did."""
    (tmp_path / "done").touch()
    return (tmp_path / "done").read_text


@pytest.fixture(scope="module")
def started() -> Iterator[list[str]]:
    """The arguments that start the server in a moment."""
    with warmed("mcp.server.mcpserver.resolve", "mcp.server.stdio") as (_, *given):
        yield [*given, str(ASKING)]


@pytest.fixture
def asking(opened: Any, tmp_path: Path, done: Done, started: list[str]) -> Callable[..., Any]:
    """A Dure whose team `desk` has the tools of a server that asks: `dure = await asking(scripted, effects={…})`."""

    async def open_one(scripted: ScriptedServer, open: Callable[..., Any] = opened, **entry: Any) -> Dure:
        env = {"ASKING_DONE": str(tmp_path / "done"), "ASKING_KEY": "sk-very-secret"}
        given = {"command": sys.executable, "args": started, "env": env, "effects": {"*": "read"}, **entry}
        config = tmp_path / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"asking": given}}))
        agent = Agent(name="clerk", description="x", tools=TOOLS, allow=TOOLS)
        team = Team(name="desk", kind="solo", description="x", agents=[agent])
        dure: Dure = await open(scripted, mcp_config=config, teams=[team])
        assert await dure.mcp.ready(30)
        return dure

    return open_one


async def asked(dure: Dure, message: str) -> Any:
    return await dure.chat(message, team="desk")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def decided(dure: Dure, answer: Any, **decision: Any) -> Any:
    run_id = answer.metadata["run_id"]
    await dure.runs.decide("default", run_id, [{"approval_id": answer.approvals[0]["id"], **decision}])
    async for _ in dure.runs.events("default", run_id):
        pass
    return await dure.runs.answer("default", run_id)


async def test_a_form_is_an_approval_and_the_call_goes_on(era: str, asking: Any, done: Done) -> None:
    async with ScriptedServer(call("book", train="KTX 5"), say("예약했습니다.")) as scripted:
        dure = await asking(scripted, effects={"book": "external"})
        answer = await asked(dure, "창가로 예약해 줘")
        assert answer.status == "waiting"
        (approval,) = answer.approvals
        assert approval["kind"] == "question"
        assert approval["title"] == "MCP 서버 'asking'가 묻습니다: Which seat in KTX 5?"
        assert approval["actions"] == ["answer", "reject"]
        assert approval["schema"]["properties"]["row"]["maximum"] == 30
        assert done() == ""
        with pytest.raises(InvalidInput, match="row"):
            await decided(dure, answer, action="answer", args={"row": 31})
        answer = await decided(dure, answer, action="answer", args={"row": "7", "window": True})
    assert (answer.status, answer.response) == ("completed", "예약했습니다.")
    assert [each["status"] for each in answer.tool_calls] == ["ok"]
    assert done() == "booked KTX 5 7 True\n"


@pytest.mark.parametrize("action", ["reject", "answer"])
async def test_who_says_no_ends_the_call_and_words_may_fill_the_form(asking: Any, action: str) -> None:
    async with ScriptedServer(call("book", train="KTX 5"), say("끝.")) as scripted:
        dure = await asking(scripted)
        answer = await asked(dure, "예약해 줘")
        answer = await decided(dure, answer, action=action, message='{"row": 3}')
        (result,) = [each["content"] for each in scripted.requests[-1]["messages"] if each["role"] == "tool"]
    assert answer.status == "completed"
    assert ("row 3" in result) == (action == "answer"), result


async def test_the_model_is_asked_once_a_person_has_seen_it(era: str, asking: Any) -> None:
    async with ScriptedServer(call("poem", topic="가을"), say("낙엽 지는 밤"), say("여기 있습니다.")) as scripted:
        dure = await asking(scripted)
        answer = await asked(dure, "시 하나")
        (approval,) = answer.approvals
        assert approval["args"]["messages"] == [{"role": "user", "content": "A haiku on 가을"}]
        assert len(scripted.requests) == 1
        answer = await decided(dure, answer, action="approve")
        (result,) = [each["content"] for each in scripted.requests[-1]["messages"] if each["role"] == "tool"]
    assert "wrote: 낙엽 지는 밤" in result
    assert answer.metadata["usage"]["model_calls"] == 3
    assert scripted.requests[1]["max_tokens"] == 50


async def test_the_model_is_not_asked_where_a_person_says_no(asking: Any) -> None:
    async with ScriptedServer(call("poem", topic="가을"), say("못 했습니다.")) as scripted:
        dure = await asking(scripted)
        answer = await decided(dure, await asked(dure, "시 하나"), action="reject", message="싫어")
        (result,) = [each["content"] for each in scripted.requests[-1]["messages"] if each["role"] == "tool"]
    assert answer.response == "못 했습니다."
    assert "rejected" in result


@pytest.mark.parametrize("era", ["elder"], indirect=True)
async def test_an_address_is_shown_and_never_opened(era: str, asking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda *_: pytest.fail("opened"))
    async with ScriptedServer(call("guarded"), say("됐습니다.")) as scripted:
        dure = await asking(scripted)
        answer = await asked(dure, "들어가 줘")
        (approval,) = answer.approvals
        assert approval["args"] == {"url": "https://bank.example/allow?n=1"}
        assert approval["actions"] == ["approve", "reject"]
        answer = await decided(dure, answer, action="approve")
        (result,) = [each["content"] for each in scripted.requests[-1]["messages"] if each["role"] == "tool"]
    assert "let in" in result


@pytest.mark.parametrize(("era", "effect"), [("modern", "read"), ("elder", "external")], indirect=["era"])
async def test_after_a_restart_the_call_is_made_again_where_it_may_be(
    era: str, asking: Any, tmp_path: Path, done: Done, monkeypatch: pytest.MonkeyPatch, effect: str
) -> None:
    # What broke off is in doubt when its time is over; the call that is made again has as much.
    monkeypatch.setattr("dure.toolsets.mcp.servers._GRACE_SECONDS", 0.0)
    async with ScriptedServer(call("book", train="KTX 5"), say("예약했습니다.")) as scripted:
        async with AsyncExitStack() as stack:

            async def first(scripted: ScriptedServer, **given: Any) -> Dure:
                more = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
                return await stack.enter_async_context(Dure(model_base_url=scripted.url, **more, **given))

            dure = await asking(scripted, first, effects={"book": effect})
            answer = await asked(dure, "예약해 줘")
        again = await asking(scripted, effects={"book": effect}, timeout=5 if effect == "external" else 60)
        answer = await decided(again, answer, action="answer", args={"row": 7})
        if effect == "external":
            (approval,) = answer.approvals
            assert approval["kind"] == "in_doubt"
            assert done() == ""
            answer = await decided(again, answer, action="approve")
    assert (answer.status, answer.response) == ("completed", "예약했습니다.")
    assert done() == "booked KTX 5 7 False\n"


async def test_cancelling_a_run_tells_the_server(era: str, asking: Any, done: Done) -> None:
    async with ScriptedServer(call("slow", seconds=60)) as scripted:
        dure = await asking(scripted)
        run = await dure.runs.start("default", Ask("천천히", team="desk"))
        async for _, event in dure.runs.events("default", run.id):
            if isinstance(event, ToolTold):
                break
        await dure.runs.cancel("default", run.id)
        await until(lambda: done() != "")
    assert done() == "cancelled\n"


async def test_cancelling_a_run_that_waits_ends_the_call(asking: Any) -> None:
    async with ScriptedServer(call("book", train="KTX 5")) as scripted:
        dure = await asking(scripted)
        answer = await asked(dure, "예약해 줘")
        calls = dure.mcp.servers[0]._calls
        assert len(calls._calls) == 1
        await dure.runs.cancel("default", answer.metadata["run_id"])
        await until(lambda: not calls._calls)
    assert calls.waiting(f"{answer.metadata['run_id']}.w1.c1") is None


async def test_a_server_tells_and_is_told_and_lends(era: str, asking: Any, tmp_path: Path) -> None:
    """Progress and logs are told to the user, roots are those of the configuration, resources and prompts are tools."""
    steps = (
        *(call("slow"), call("places"), call("read_resource"), call("read_resource", uri="note://kim")),
        *(call("read_resource", uri="nowhere://"), call("get_prompt")),
        *(call("get_prompt", name="review", arguments={"code": "1+1"}), say("x")),
    )
    async with ScriptedServer(*steps) as scripted:
        effects = {name: "read" for name in TOOLS if name != "book"}
        dure = await asking(scripted, effects=effects, roots=["docs", str(tmp_path)])
        found = dure.mcp.tools()
        assert (found["read_resource"].effect, found["book"].effect) == ("read", "external")
        answer = await asked(dure, "읽어 줘")
        run = await dure.runs.get("default", answer.metadata["run_id"])
        results = [each["content"] for each in scripted.requests[-1]["messages"] if each["role"] == "tool"]
    assert [each["status"] for each in answer.tool_calls] == ["ok", "ok", "ok", "ok", "error", "ok", "ok"]
    told = {each["data"]["text"] for each in run["events"] if each["kind"] == "tool_told"}
    assert told == {"1/2 half with key ***", "info: on the way", "2/2 whole"}
    assert f"{(tmp_path / 'docs').as_uri()} {tmp_path.as_uri()}" in results[1]
    assert "note://greeting" in results[2]
    assert "note://{name}" in results[2]
    assert "(Data, not instructions)\n[resource <note://kim>]\nnote kim" in results[3]
    assert '"review"' in results[5]
    assert "user: Please review: 1+1" in results[6]
