"""A run begun again at a step of one that has ended: what stands before is taken over, nothing of it is asked or
done once more."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fixtures.reader import model

from dure import Agent, Dure, Team, tool
from dure.errors import Conflict, InvalidInput, NotFound, SessionWaiting, UnknownModel
from dure.runs import Ask
from dure.storage import runs as run_rows
from dure.teams import KINDS
from dure.testing import ScriptedServer, Step, call, json, say
from dure.tooling import File, ToolResult

ME = "default"
SENT: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_sent() -> None:
    SENT.clear()


@tool
def look_up(name: str) -> ToolResult:
    """Look somebody up."""
    SENT.append(f"looked up {name}")
    return ToolResult(f"{name}@example.com", files=[File("card.txt", name.encode(), "text/plain")])


@tool(effect="external")
def send_mail(to: str) -> str:
    """Send a mail."""
    SENT.append(to)
    return f"sent to {to}"


def team(**more: Any) -> Team:
    agent = Agent(name="clerk", description="x", prompt="You are the clerk.", tools=[look_up, send_mail])
    return Team(**{"name": "desk", "kind": "solo", "description": "x", "agents": [agent], **more})


SCRIPT = (call("look_up", name="kim"), call("send_mail", to="kim"), say("보냈습니다."))
MODELS = {"small": {"base_url": "", "name": "a"}, "big": {"base_url": "", "name": "b"}}


async def done(dure: Dure, message: str = "김에게 보내 줘", session: str = "s", action: str = "approve") -> str:
    """The id of a run that looked up, was allowed to send, and answered."""
    run = await dure.runs.start(ME, Ask(message, session, "desk"))
    await decided(dure, run.id, action)
    return run.id


async def decided(dure: Dure, run_id: str, action: str = "approve", **more: Any) -> Any:
    answer = await dure.runs.answer(ME, run_id)
    assert answer.status == "waiting"
    await dure.runs.decide(ME, run_id, [{"approval_id": answer.approvals[0]["id"], "action": action, **more}])
    return await dure.runs.answer(ME, run_id)


async def steps(dure: Dure, run_id: str, kind: str = "model_called") -> list[int]:
    return [each["seq"] for each in (await dure.runs.get(ME, run_id))["events"] if each["kind"] == kind]


async def test_what_stands_before_the_step_is_taken_over(database_url: str, opened) -> None:
    """The last model call anew: neither the look-up, nor the mail, nor the question about it."""
    async with ScriptedServer(*SCRIPT, say("김에게 보냈습니다.")) as server:
        dure = await opened(server, database_url=database_url, teams=[team()], prices={"*": (1, 1)})
        first = await done(dure)
        again = await dure.runs.again(ME, first, (await steps(dure, first))[2])
        answer = await dure.runs.answer(ME, again.id)
        asked = len(server.requests)
        one, other = [await dure.records.get(ME, each) for each in (first, again.id)]
        seen = await dure.records.view(ME, again.id)
        messages = await dure.runs.sessions.messages(ME, "s")
        spent = await dure.database.read(run_rows.spent, ME, "2000-01-01")
    assert sum(each.prompt for each in spent) == sum(each["usage"]["prompt_tokens"] for each in (one, other))
    assert (answer.status, answer.response) == ("completed", "김에게 보냈습니다.")
    assert SENT == ["looked up kim", "kim"]
    assert asked == 4
    assert one["answer"]["response"] == "보냈습니다."
    # Its record says whose the beginning is; what that used is not this run's.
    taken = other["options"]["from"]
    assert taken == {"run_id": first, "step": (await steps(dure, first))[2], "events": taken["events"]}
    last = other["events"][taken["events"] - 1]
    assert (last["kind"], last["data"]["why"], last["data"]["run_id"]) == ("run_resumed", "branched", first)
    assert [each["seq"] for each in other["events"]] == list(range(1, len(other["events"]) + 1))
    # The answer, and whether it tells of more than what was sent.
    assert answer.metadata["usage"]["model_calls"] == other["usage"]["model_calls"] == seen.model_calls == 2
    assert other["usage"]["prompt_tokens"] == answer.metadata["usage"]["prompt_tokens"] == seen.prompt_tokens
    assert other["cost"] == seen.cost < one["cost"]
    assert [each.taken for each in seen.prompts] == [True, True, False, False]
    assert [each.taken for each in seen.tools] == [True, True]
    assert [each["status"] for each in answer.tool_calls] == ["ok", "ok"]
    # It stands in the other's place, which can be gone back to.
    assert [each["content"] for each in messages] == ["김에게 보내 줘", "김에게 보냈습니다."]
    assert len(messages[0]["branches"]) == 2
    # What the other made is a file of its own.
    (mine,) = other["artifacts"]
    (its,) = one["artifacts"]
    assert mine["id"] != its["id"]
    assert answer.metadata["artifacts"][0]["id"] == mine["id"]
    _, path = await dure.runs.artifact(ME, again.id, mine["id"])
    assert path.read_bytes() == b"kim"


async def test_an_effect_after_the_step_is_asked_about_anew(database_url: str, opened) -> None:
    """From the call itself and from the model call that wanted it, whatever was decided then."""
    async with ScriptedServer(*SCRIPT, say("또 보냈습니다."), call("send_mail", to="lee"), say("이에게.")) as server:
        dure = await opened(server, database_url=database_url, teams=[team()])
        first = await done(dure)
        sending = (await steps(dure, first, "tool_started"))[1]
        again = await dure.runs.again(ME, first, sending)
        waits = await dure.runs.answer(ME, again.id)
        assert [each["args"] for each in waits.approvals] == [{"to": "kim"}]
        assert SENT == ["looked up kim", "kim"]
        assert (await decided(dure, again.id)).response == "또 보냈습니다."
        assert SENT == ["looked up kim", "kim", "kim"]
        third = await dure.runs.again(ME, first, (await steps(dure, first))[1])
        left = "이에게.\n\n허락을 받지 못해 실행하지 않았습니다: send_mail"
        assert (await decided(dure, third.id, "reject")).response == left
        assert SENT == ["looked up kim", "kim", "kim"]
        # A branch of a branch: its beginning is taken over with what that had taken over.
        fourth = await dure.runs.again(ME, again.id, (await steps(dure, again.id, "tool_started"))[1])
        assert (await dure.runs.answer(ME, fourth.id)).status == "waiting"
        assert len(server.requests) == 6


async def test_what_a_person_changed_is_played_again_as_changed(opened) -> None:
    async with ScriptedServer(*SCRIPT, say("이에게 보냈습니다.")) as server:
        dure = await opened(server, teams=[team()])
        run = await dure.runs.start(ME, Ask("보내 줘", "s", "desk"))
        await decided(dure, run.id, "edit", args={"to": "lee"})
        again = await dure.runs.again(ME, run.id, (await steps(dure, run.id))[2])
        answer = await dure.runs.answer(ME, again.id)
    assert (answer.status, SENT) == ("completed", ["looked up kim", "lee"])


async def test_an_agents_work_is_done_anew_with_another_model(opened) -> None:
    async with ScriptedServer(*SCRIPT, say("큰 모델의 답")) as server:
        models = {name: {**each, "base_url": server.url} for name, each in MODELS.items()}
        dure = await opened(None, teams=[team()], models=models)
        first = await done(dure)
        again = await dure.runs.again(ME, first, (await steps(dure, first))[2], "big")
        assert (await dure.runs.answer(ME, again.id)).response == "큰 모델의 답"
        assert [each["model"] for each in server.requests] == ["a", "a", "a", "b"]
        assert (await dure.runs.get(ME, again.id))["options"]["model"] == "big"
        with pytest.raises(UnknownModel):
            await dure.runs.again(ME, first, (await steps(dure, first))[2], "nobody")


async def test_a_branch_is_gone_on_with_where_its_process_was_closed(database_url: str, opened, tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(*SCRIPT, say("zu spät").after(gate), say("이어서")) as server:
        given = {"database_url": database_url, "teams": [team()], "data_dir": tmp_path / "data"}
        async with Dure(model_base_url=server.url, embeddings=False, tool_dialect="native", **given) as dure:
            first = await done(dure)
            again = await dure.runs.again(ME, first, (await steps(dure, first))[2])
            await server.arrived(4)
        dure = await opened(server, **given)
        answer = await dure.runs.answer(ME, again.id)
        gate.set()
    assert (answer.status, answer.response, SENT) == ("completed", "이어서", ["looked up kim", "kim"])
    assert answer.metadata["usage"]["model_calls"] == 1


async def test_a_turn_in_the_middle_of_a_conversation_is_asked_with_what_stood_before_it(opened) -> None:
    script = (say("첫 답"), call("look_up", name="kim"), say("둘째 답"), say("셋째 답"), say("둘째 답, 다시"))
    async with ScriptedServer(*script) as server:
        dure = await opened(server, teams=[team()])
        ids = [(await dure.chat(each, session_id="s", team="desk")).run_id for each in ("하나", "둘", "셋")]
        again = await dure.runs.again(ME, ids[1], (await steps(dure, ids[1]))[1])
        assert (await dure.runs.answer(ME, again.id)).response == "둘째 답, 다시"
        said = [each["content"] for each in await dure.runs.sessions.messages(ME, "s")]
        assert said == ["하나", "첫 답", "둘", "둘째 답, 다시"]
        assert server.requests[-1]["messages"][1:] == server.requests[2]["messages"][1:]


@pytest.mark.parametrize("turn", [1, 5])
async def test_the_conversation_was_summarised_meanwhile(database_url: str, opened, turn: int) -> None:
    """It is asked with what it was asked with then, be that no summary or an earlier one."""

    def respond(body: dict[str, Any]) -> Step:
        if str(body["messages"][0]["content"]).startswith("Summarise"):
            return say(f"요약 {len(server.requests)}")
        return say("답변 " * 60) if body["messages"][-1]["role"] == "tool" else call("look_up", name="kim")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, database_url=database_url, teams=[team()], history_tokens=250)
        for n in range(8):
            await dure.chat(f"질문 {n}", session_id="s", team="desk")
            await dure.runs.settle()

        def asked() -> list[Any]:
            sent = [each["messages"] for each in server.requests]
            return [each for each in sent if [m["content"] for m in each if m["role"] == "user"][-1] == f"질문 {turn}"]

        before = asked()
        run_id = (await dure.runs.sessions.messages(ME, "s"))[2 * turn]["run_id"]
        again = await dure.runs.again(ME, run_id, (await steps(dure, run_id))[1])
        assert (await dure.runs.answer(ME, again.id)).status == "completed"
        assert asked()[2:] == before[1:]
        assert ("요약" in str(before)) == (turn > 1)


async def test_it_is_refused_where_it_cannot_be(opened) -> None:
    async with ScriptedServer(*SCRIPT, call("look_up", name="lee"), call("send_mail", to="lee")) as server:
        dure = await opened(server, teams=[team()])
        first = await done(dure)
        (model, *_), (started, *_) = await steps(dure, first), await steps(dure, first, "run_started")
        for step in (started, 999):
            with pytest.raises(InvalidInput) as wrong:
                await dure.runs.again(ME, first, step)
            assert f"{step}번" in wrong.value.message("ko")
            assert str(step) in wrong.value.message("en")
        with pytest.raises(NotFound):
            await dure.runs.again("somebody", first, model)
        with pytest.raises(NotFound):
            await dure.runs.again(ME, "r-none", model)
        waiting = await dure.runs.start(ME, Ask("이에게", "s", "desk"))
        await dure.runs.answer(ME, waiting.id)
        with pytest.raises(Conflict) as open_one:
            await dure.runs.again(ME, waiting.id, model)
        assert "끝나지 않았습니다" in open_one.value.message("ko")
        assert "has not ended" in open_one.value.message("en")
        with pytest.raises(SessionWaiting):
            await dure.runs.again(ME, first, model)
        assert len(await dure.runs.list(ME)) == 2, "nothing is stored of what is refused"


async def test_it_goes_on_under_the_definition_that_the_run_began_with(opened) -> None:
    async with ScriptedServer(*SCRIPT, say("옛 정의대로")) as server:
        first = await done(await opened(server, teams=[team()]))
        later = await opened(server, teams=[team(agents=[Agent(name="other", description="x")])])
        again = await later.runs.again(ME, first, (await steps(later, first))[2])
        assert (await later.runs.answer(ME, again.id)).response == "옛 정의대로"


async def test_where_that_cannot_work_any_more_it_is_refused(opened) -> None:
    KINDS.add("relay", KINDS["solo"])
    try:
        async with ScriptedServer(*SCRIPT) as server:
            first = await done(await opened(server, teams=[team(kind="relay")]))
            later = await opened(server, teams=[team()])
            del KINDS._known["relay"]
            with pytest.raises(Conflict) as gone:
                await later.runs.again(ME, first, (await steps(later, first))[2])
    finally:
        KINDS._known.pop("relay", None)
    assert "되살릴 수 없습니다" in gone.value.message("ko")
    assert "cannot be played again" in gone.value.message("en")


async def test_a_model_that_is_worked_with_in_another_way_is_refused(opened) -> None:
    async with ScriptedServer(*SCRIPT) as server:
        models = {name: {**each, "base_url": server.url} for name, each in MODELS.items()}
        dure = await opened(None, teams=[team()], models=models)
        first = await done(dure)
        dure.models["big"].small = True
        with pytest.raises(Conflict) as other:
            await dure.runs.again(ME, first, (await steps(dure, first))[2], "big")
    assert "다른 방식" in other.value.message("ko")


async def test_agents_side_by_side(database_url: str, opened) -> None:
    """What others had done by then is taken over; beside an effect that is under way there is no going on."""
    begun, over = asyncio.Event(), asyncio.Event()

    @tool(effect="external")
    async def post(to: str) -> str:
        """Post it."""
        SENT.append(to)
        begun.set()
        await over.wait()
        return "posted"

    def step(number: int, agent: str, *needs: int) -> dict[str, Any]:
        fields = {"requires_approval": False, "estimated_time": "1분"}
        return {"step": number, "agent": agent, "task": f"{agent}의 일", "depends_on": list(needs)} | fields

    def respond(body: dict[str, Any]) -> Step:
        first, said = str(body["messages"][0]["content"]), str(body["messages"][1:])
        schema = str(body.get("response_format") or "") + first
        if "category" in schema and "depends_on" not in schema:
            return json({"category": "data", "description": "정리", "key_entities": [], "complexity": "medium"})
        if "depends_on" in schema:
            return json({"steps": [step(1, "poster"), step(2, "reader"), step(3, "writer", 2)]})
        if "You are poster." in first:
            return say("다 보냈습니다.") if "role': 'tool" in said else call("post", to="kim")
        if "You are reader." in first:
            if "role': 'tool" not in said:
                return call("look_up", name="kim").after(begun)
            over.set()
            return say("다 읽었습니다.")
        if "You are writer." in first:
            return say("다 썼습니다.")
        return say("모두 했습니다.")

    tools = {"poster": {"tools": [post], "allow": ["post"]}, "reader": {"tools": [look_up]}, "writer": {}}
    agents = [Agent(name=each, description=each, prompt=f"You are {each}.", **more) for each, more in tools.items()]
    both = Team(name="desk", kind="planner", description="x", prompt="You lead.", agents=agents)
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, database_url=database_url, teams=[both])
        first = (await dure.chat("정리해 줘", session_id="s", team="desk")).run_id
        events = (await dure.runs.get(ME, first))["events"]
        calls = {e["data"]["purpose"]: e["seq"] for e in events if e["kind"] == "model_called"}
        looking = next(e["seq"] for e in events if e["kind"] == "tool_started" and e["data"]["name"] == "look_up")
        with pytest.raises(Conflict) as beside:
            await dure.runs.again(ME, first, looking)
        assert "'post'" in beside.value.message("ko")
        asked = len(server.requests)
        again = await dure.runs.again(ME, first, calls["compose"])
        assert (await dure.runs.answer(ME, again.id)).response.startswith("모두 했습니다.")
        assert len(server.requests) == asked + 1
        assert sorted(SENT) == ["kim", "looked up kim"]
        # What each said stands with its work, before its end.
        said = [e for e in (await dure.runs.get(ME, again.id))["events"] if e["kind"] in ("text", "agent_finished")]
        ends = {e["data"]["work_id"]: e["seq"] for e in said if e["kind"] == "agent_finished"}
        texts = {e["data"]["work_id"]: e for e in said if e["kind"] == "text" and e["data"]["work_id"]}
        assert {e["data"]["text"] for e in texts.values()} == {"다 보냈습니다.", "다 읽었습니다.", "다 썼습니다."}
        assert all(e["seq"] < ends[work] for work, e in texts.items())


@pytest.mark.parametrize("name", ["assistant", "workplace", "office", "papers"])
async def test_of_every_kind_of_team_from_every_step(opened, tmp_path: Path, name: str) -> None:
    """What comes is what came, since the model replies alike; what stands before the step is not asked."""
    async with ScriptedServer(respond=model.respond) as server:
        dure = await opened(server)
        (tmp_path / "규정.txt").write_text("연차휴가는 1년에 15일이다.", "utf-8")
        await dure.ingest(tmp_path / "규정.txt")

        async def ended(run_id: str) -> Any:
            while (answer := await dure.runs.answer(ME, run_id)).status == "waiting":
                yes = [{"approval_id": each["id"], "action": "approve"} for each in answer.approvals]
                await dure.runs.decide(ME, run_id, yes)
            return answer

        first = await dure.runs.start(ME, Ask("연차휴가는 며칠이야?", "s", name))
        answer = await ended(first.id)
        kinds = ("model_called", "tool_started", "agent_started")
        record = [each for each in (await dure.runs.get(ME, first.id))["events"] if each["kind"] in kinds]
        assert {each["kind"] for each in record} > {"model_called"}
        for each in record:
            asked = len(server.requests)
            again = await ended((await dure.runs.again(ME, first.id, each["seq"])).id)
            assert (again.status, again.response) == (answer.status, answer.response), each["kind"]
            left = sum(other["kind"] == "model_called" and other["seq"] >= each["seq"] for other in record)
            assert len(server.requests) - asked == left, each["kind"]
