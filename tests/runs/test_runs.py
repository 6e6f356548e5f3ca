"""Runs: start, follow, cancel, look up; what is kept when something goes wrong."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from dure import Agent, Team, tool
from dure.errors import Interrupted, ModelError, ModelUnavailable, NotFound, SessionBusy
from dure.events import ENDED, ModelCalled, RunFailed, RunFinished, RunResumed, RunStarted, TextDelta, decode, encode
from dure.runs import Ask
from dure.runs.states import begin
from dure.storage import runs as run_rows
from dure.testing import ScriptedServer, call, cut, fail, html, rubbish, say

ME = "default"
PLAIN = Path(__file__).parents[1] / "toolsets" / "mcp" / "servers" / "plain.py"


def ask(message: str = "안녕", **fields) -> Ask:
    return Ask(message, team=fields.pop("team", "assistant"), **fields)


async def test_a_run_is_followed_and_then_replayed_the_same(opened) -> None:
    async with ScriptedServer(say("안녕하세요. " * 30)) as server:
        dure = await opened(server)
        run = await dure.runs.start(ME, ask())
        live = [e async for e in dure.runs.events(ME, run.id)]
        again = [e async for e in dure.runs.events(ME, run.id)]
        tail = [e async for e in dure.runs.events(ME, run.id, after=2)]
    assert live == again
    assert tail == live[2:]
    assert [n for n, _ in live] == list(range(1, len(live) + 1))
    assert isinstance(live[0][1], RunStarted)
    assert isinstance(live[-1][1], RunFinished)
    assert "".join(e.text for _, e in live if isinstance(e, TextDelta)) == live[-1][1].response


async def test_the_record_can_be_looked_up(opened) -> None:
    async with ScriptedServer(say("안녕하세요.")) as server:
        dure = await opened(server)
        answer = await dure.chat("안녕", team="assistant")
        record = await dure.runs.get(ME, answer.metadata["run_id"])
    kinds = [e["kind"] for e in record["events"]]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    called = next(e["data"] for e in record["events"] if e["kind"] == "model_called")
    assert called["request"]["messages"][-1]["content"] == "안녕"
    assert called["reply"]["content"] == "안녕하세요."
    assert called["prompt_tokens"] > 0
    assert record["status"] == "completed"
    assert record["answer"]["response"] == "안녕하세요."
    assert "process" not in record["options"]


async def test_one_run_at_a_time_in_a_session(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("첫째").after(gate), say("둘째")) as server:
        dure = await opened(server)
        first = await dure.runs.start(ME, ask("첫째 질문", session_id="s"))
        with pytest.raises(SessionBusy):
            await dure.runs.start(ME, ask("둘째 질문", session_id="s"))
        gate.set()
        await dure.runs.answer(ME, first.id)
        await dure.chat("셋째 질문", session_id="s", team="assistant")
    asked = [m["content"] for m in await dure.runs.sessions.messages(ME, "s") if m["role"] == "user"]
    assert asked == ["첫째 질문", "셋째 질문"]


async def test_two_at_the_same_moment_one_is_refused(opened) -> None:
    async with ScriptedServer(say("하나")) as server:
        dure = await opened(server)
        both = await asyncio.gather(
            *(dure.runs.start(ME, ask(session_id="s")) for _ in range(2)), return_exceptions=True
        )
        assert sorted(type(r).__name__ for r in both) == ["Run", "SessionBusy"]
        await asyncio.gather(*(dure.runs.answer(ME, r.id) for r in both if not isinstance(r, Exception)))


async def test_the_same_session_id_of_two_owners_is_two_sessions(opened) -> None:
    async with ScriptedServer(respond=lambda body: say("답")) as server:
        dure = await opened(server)
        for owner in ("a", "b"):
            run = await dure.runs.start(owner, ask(f"{owner}의 질문", session_id="s"))
            await dure.runs.answer(owner, run.id)
        assert [m["content"] for m in await dure.runs.sessions.messages("a", "s")] == ["a의 질문", "답"]
        for forbidden in (dure.runs.get("b", "x"), dure.runs.cancel("b", "x"), dure.runs.answer("b", "x")):
            with pytest.raises(NotFound):
                await forbidden
        of_a = (await dure.runs.list("a"))[0]["id"]
        with pytest.raises(NotFound):
            await dure.runs.get("b", of_a)
        with pytest.raises(NotFound):
            _ = [e async for e in dure.runs.events("b", of_a)]
        assert [r["session_id"] for r in await dure.runs.list("b")] == ["s"]


async def test_cancel_ends_the_run_and_frees_the_session(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate), say("새 답")) as server:
        dure = await opened(server)
        run = await dure.runs.start(ME, ask(session_id="s"))
        await server.arrived(1)
        followed = asyncio.create_task(_all(dure.runs.events(ME, run.id)))
        ended = await dure.runs.cancel(ME, run.id)
        assert ended["status"] == "cancelled"
        assert (await dure.runs.cancel(ME, run.id))["status"] == "cancelled"
        last = (await followed)[-1][1]
        assert isinstance(last, RunFinished)
        assert last.status == "cancelled"
        assert (await dure.runs.answer(ME, run.id)).status == "cancelled"
        assert (await dure.chat("다시", session_id="s", team="assistant")).response == "새 답"


@pytest.mark.parametrize(
    ("step", "error"),
    [(html(), ModelError), (rubbish(), ModelError), (cut("반쯤"), ModelError), (fail(400, "bad"), ModelError)],
)
async def test_a_model_that_misbehaves_fails_the_run_and_the_next_works(opened, step, error) -> None:
    async with ScriptedServer(step, say("이제 됩니다.")) as server:
        dure = await opened(server)
        with pytest.raises(error):
            await dure.chat("첫 질문", session_id="s", team="assistant")
        answer = await dure.chat("다음 질문", session_id="s", team="assistant")
        failed = (await dure.runs.list(ME, status="failed"))[0]
    assert answer.response == "이제 됩니다."
    assert failed["error"]["code"] == error.code or failed["error"]["code"] == "model_refused"
    assert (await dure.runs.sessions.messages(ME, "s"))[0]["content"] == "첫 질문"
    record = await dure.runs.get(ME, failed["id"])
    assert record["events"][-1]["kind"] == "run_failed"
    assert record["events"][-1]["data"]["message"]


async def test_a_model_server_that_is_not_there(opened) -> None:
    server = ScriptedServer(say("nie"))
    await server.start()
    await server.close()
    dure = await opened(server)
    with pytest.raises(ModelUnavailable):
        await dure.chat("안녕", session_id="s", team="assistant")
    assert [m["content"] for m in await dure.runs.sessions.messages(ME, "s")] == ["안녕"]


async def test_what_was_under_way_when_it_closed_goes_on_at_the_next_start(opened, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("nie").after(gate), say("다시 물어 받은 답")) as server:
        from dure import Dure

        settings = {"model_base_url": server.url, "data_dir": tmp_path / "d", "embeddings": False}
        async with Dure(**settings) as dure:
            run = await dure.runs.start(ME, ask(session_id="s"))
            await server.arrived(1)
        async with Dure(**settings, take_over=False) as dure:
            assert (await dure.runs.get(ME, run.id))["status"] == "queued"
        async with Dure(**settings) as dure:
            assert (await dure.runs.answer(ME, run.id)).response == "다시 물어 받은 답"
            said = [m["content"] for m in await dure.runs.sessions.messages(ME, "s")]
    assert said == ["안녕", "다시 물어 받은 답"]


async def test_a_run_that_brings_down_every_process_is_given_up(opened) -> None:
    async with ScriptedServer(say("다시")) as server:
        dure = await opened(server, take_over=False)
        row = {"id": "r-dead", "owner": ME, "session_id": "s", "team": "assistant", "status": "running"}
        row |= {"message": "질문", "options": {"level": None, "output_format": "chat"}, "created_at": "t"}

        def leave(connection) -> None:
            begin(connection, row | {"executor": "gone"}, 1000)
            fallen = [(n, *encode(RunResumed("recovered"))) for n in range(1, 4)]
            run_rows.append_events(connection, ME, "r-dead", [(n, kind, "t", data) for n, kind, data in fallen])

        await dure.database.write(leave)
        again = await opened(server)
        with pytest.raises(Interrupted):
            await again.runs.answer(ME, "r-dead")
        record = await again.runs.get(ME, "r-dead")
        assert record["status"] == "failed"
        assert isinstance(decode(record["events"][-1]["kind"], record["events"][-1]["data"]), RunFailed)
        assert (await again.chat("이제", session_id="s", team="assistant")).response == "다시"


async def test_only_recoveries_without_progress_count(opened) -> None:
    said = ModelCalled("work", "m", "native", {}, {}, 0.1, 1, 1, error="refused", ask_id="a1")
    fallen = [encode(RunResumed("recovered"))] * 3
    async with ScriptedServer(respond=lambda body: say("이어 한 답")) as server:
        dure = await opened(server, take_over=False)
        await _abandoned(dure, "r-further", "gone", *fallen, encode(said), *fallen[1:])
        again = await opened(server)
        with pytest.raises(ModelError, match="refused"):
            await again.runs.answer(ME, "r-further")


async def test_runs_that_came_no_further_go_on_one_by_one(opened) -> None:
    """One of them may bring the process down; the others are not to count as those that did."""
    gates = [asyncio.Event() for _ in range(3)]
    async with ScriptedServer(*(say("답").after(gate) for gate in gates)) as server:
        dure = await opened(server, take_over=False)
        for number in range(3):
            await _abandoned(dure, f"r-{number}", "gone", encode(RunResumed("recovered")))
        again = await opened(server)

        async def taken() -> list[int]:
            runs = [await again.runs.get(ME, f"r-{number}") for number in range(3)]
            return sorted(sum(e["kind"] == "run_resumed" for e in run["events"]) for run in runs)

        for number, gate in enumerate(gates):
            await server.arrived(number + 1)
            await again.runs._watch.look()
            assert await taken() == sorted([1] * (2 - number) + [2] * (number + 1))
            gate.set()
        for number in range(3):
            assert (await again.runs.answer(ME, f"r-{number}")).response == "답"


async def test_no_run_starts_before_the_servers_it_needs_are_there_or_have_failed(opened, tmp_path) -> None:
    """A server that takes its time, and one that does not begin at all; a run that needs neither waits for none."""
    slow = f"import time, runpy; time.sleep(2); runpy.run_path({str(PLAIN)!r}, run_name='__main__')"
    config = tmp_path / "mcp.json"
    begins = {"command": sys.executable, "args": ["-c", slow], "effects": {"*": "read"}}
    servers = {"slow": begins, "none": {"command": "/no/such/program"}}
    config.write_text(json.dumps({"mcpServers": servers}))
    agent = Agent(name="clerk", description="x", tools=["mcp:slow"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    named = team.model_copy(update={"name": "named", "agents": [agent.model_copy(update={"tools": ["pid"]})]})

    def respond(body):
        return call("pid") if body.get("tools") and len(body["messages"]) < 4 else say("끝")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=[team, named], mcp_config=config)
        assert (await dure.chat("안녕", team="assistant")).response == "끝"
        assert dure.mcp.status()[0]["state"] == "connecting"
        both = await asyncio.gather(dure.chat("인사해 줘", team="desk"), dure.chat("인사해 줘", team="named"))
    assert [[c.status for c in answer.tool_calls] for answer in both] == [["ok"], ["ok"]]


async def test_a_living_process_keeps_its_runs(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("답").after(gate)) as server:
        dure = await opened(server)
        run = await dure.runs.start(ME, ask())
        other = await opened(server)
        assert (await other.runs.get(ME, run.id))["status"] == "running"
        gate.set()
        assert (await dure.runs.answer(ME, run.id)).response == "답"


async def test_deleting_a_session_removes_all_of_it(opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server)
        answer = await dure.chat("안녕", session_id="s", team="assistant")
        await dure.runs.sessions.delete(ME, "s")
        for gone in (dure.runs.sessions.messages(ME, "s"), dure.runs.get(ME, answer.metadata["run_id"])):
            with pytest.raises(NotFound):
                await gone
        with pytest.raises(NotFound):
            await dure.runs.sessions.delete(ME, "s")
        assert await dure.database.read(run_rows.events, ME, answer.metadata["run_id"]) == []


async def test_formats(opened) -> None:
    import json

    async with ScriptedServer(respond=lambda body: say('그는 "네"라고 했다.')) as server:
        dure = await opened(server)
        for output_format in ("chat", "json", "markdown"):
            events = [e async for e in dure.stream("안녕", team="assistant", output_format=output_format)]
            said = "".join(e.text for e in events if isinstance(e, TextDelta))
            assert said == events[-1].response
            if output_format == "json":
                assert json.loads(said) == {"answer": '그는 "네"라고 했다.', "sources": []}


async def test_many_at_once(opened) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(respond=lambda body: say(body["messages"][-1]["content"]).after(gate)) as server:
        dure = await opened(server)
        asked = [asyncio.create_task(dure.chat(f"질문 {n}", team="assistant")) for n in range(32)]
        await server.arrived(32)
        gate.set()
        answers = await asyncio.gather(*asked)
    assert [a.response for a in answers] == [f"질문 {n}" for n in range(32)]
    assert {r["status"] for r in await dure.runs.list(ME)} <= ENDED


async def _all(events):
    return [e async for e in events]


async def test_cancelled_while_its_message_is_stored_nothing_is_left_open(opened, database_url: str) -> None:
    async with ScriptedServer(respond=lambda body: say("답")) as server:
        dure = await opened(server, database_url=database_url)
        reached, gate = asyncio.Event(), asyncio.Event()
        write = dure.database.write

        async def slow(query, *args, **kwargs):
            result = await write(query, *args, **kwargs)
            if getattr(query, "func", query) is begin:
                reached.set()
                await gate.wait()
            return result

        dure.database.write = slow
        asking = asyncio.create_task(dure.chat("안녕", session_id="s", team="assistant"))
        await reached.wait()
        asking.cancel()
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert [r["status"] for r in await dure.runs.list(ME)] == ["cancelled"]
        await dure.runs.sessions.delete(ME, "s")


async def _abandoned(dure, run_id: str, executor: str | None, *events: tuple[str, dict]) -> None:
    """A run that `executor` works on, with these events besides."""
    row = {"id": run_id, "owner": ME, "session_id": run_id, "team": "assistant", "status": "running"}
    row |= {"message": "질문", "options": {"level": None, "output_format": "chat"}, "created_at": "t"}

    def leave(connection) -> None:
        begin(connection, row | {"executor": executor}, 1000)
        numbered = [(n, kind, "t", data) for n, (kind, data) in enumerate(events, 1)]
        run_rows.append_events(connection, ME, run_id, numbered)
        if executor == dure.runs._engine.id:
            dure.runs._engine.place(connection, row | {"experiment": None})

    await dure.database.write(leave)


async def test_a_run_of_its_own_on_which_nobody_works_goes_on(opened, database_url: str) -> None:
    async with ScriptedServer(say("이어 한 답")) as server:
        dure = await opened(server, database_url=database_url, take_over=False)
        await _abandoned(dure, "r-own", dure.runs._engine.id)
        assert (await dure.runs.answer(ME, "r-own")).response == "이어 한 답"


async def test_a_record_that_cannot_be_read_ends_its_run(opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server)
        await _abandoned(dure, "r-new", "gone", ("kind_of_a_newer_version", {"x": 1}))
        await _abandoned(dure, "r-old", "gone")
        assert (await dure.runs.answer(ME, "r-old")).response == "답"
        with pytest.raises(Interrupted):
            await dure.runs.answer(ME, "r-new")
        (row,) = await dure.runs.list(ME, status="failed")
        assert (row["id"], row["error"]["message"]) == ("r-new", Interrupted().message("ko"))


async def test_a_run_that_nobody_works_on_is_cancelled_at_once(opened, database_url: str) -> None:
    async with ScriptedServer() as server:
        dure = await opened(server, database_url=database_url, take_over=False)
        for run_id, executor in (("r-dead", "gone"), ("r-left", None)):
            await _abandoned(dure, run_id, executor)
            assert (await dure.runs.cancel(ME, run_id))["status"] == "cancelled"


async def test_a_session_whose_process_died_can_be_used_where_no_server_takes_over(opened, database_url: str) -> None:
    async with ScriptedServer(say("새 답")) as server:
        dure = await opened(server, database_url=database_url, take_over=False)
        await _abandoned(dure, "r-dead", "gone")
        answer = await dure.chat("다시", session_id="r-dead", team="assistant")
        assert answer.response == "새 답"
        with pytest.raises(Interrupted):
            await dure.runs.answer(ME, "r-dead")


async def test_cancelled_while_it_comes_to_wait_it_waits_no_more(opened) -> None:
    async with ScriptedServer(call("send", to="kim")) as server:

        @tool(effect="external")
        def send(to: str) -> str:
            """Send."""
            return "sent"

        team = Team(name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=[send])])
        dure = await opened(server, teams=[team])
        reached, gate = asyncio.Event(), asyncio.Event()
        write = dure.database.write

        async def slow(query, *args, **kwargs):
            if kwargs.get("asked"):
                reached.set()
                await gate.wait()
            return await write(query, *args, **kwargs)

        dure.database.write = slow
        run = await dure.runs.start(ME, ask("보내 줘", team="desk"))
        await reached.wait()
        cancelling = asyncio.create_task(dure.runs.cancel(ME, run.id))
        await asyncio.sleep(0)
        gate.set()
        assert (await cancelling)["status"] == "cancelled"
        assert await dure.runs.approvals(ME) == []


async def test_restarts_do_not_count_as_crashes(opened, tmp_path) -> None:
    from dure import Dure

    never = asyncio.Event()
    arrived = 0

    def respond(body):
        nonlocal arrived
        arrived += 1
        return say("nie").after(never) if arrived < 6 else say("답")

    async with ScriptedServer(respond=respond) as server:
        settings = {"model_base_url": server.url, "data_dir": tmp_path / "d", "embeddings": False}
        run_id = ""
        for count in range(1, 6):
            async with Dure(**settings) as dure:
                run_id = run_id or (await dure.runs.start(ME, ask())).id
                await server.arrived(count)
        async with Dure(**settings) as dure:
            assert (await dure.runs.answer(ME, run_id)).response == "답"
            record = await dure.runs.get(ME, run_id)
    assert {e["data"]["why"] for e in record["events"] if e["kind"] == "run_resumed"} == {"restarted"}
