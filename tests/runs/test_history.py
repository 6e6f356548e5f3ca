"""What of a session reaches the model, and its summary."""

import asyncio

import pytest

from dure import Agent, Team, tool
from dure.errors import ModelRefused
from dure.runs import Ask
from dure.runs.history import History, read_history, shorten, tokens_of, within
from dure.storage import sessions
from dure.testing import ScriptedServer, call, fail, say


def history_of(connection, owner: str, session_id: str, budget: int) -> History:
    return read_history(connection, owner, session_id, sessions.state(connection, owner, session_id), budget)


def turn(role: str, text: str) -> dict:
    return {"role": role, "content": text}


def test_the_budget_keeps_the_last_turns_beginning_with_a_question() -> None:
    rows = [turn("user", "가" * 100), turn("assistant", "나" * 100), turn("user", "다"), turn("assistant", "라")]
    assert within(rows, 90) == rows[2:]
    assert within(rows, 10_000) == rows
    assert within(rows, 0) == []
    assert within(rows, tokens_of("라")) == []


async def test_a_question_that_failed_is_not_shown_to_the_model(opened) -> None:
    steps = [say("첫째 답"), fail(400, "no"), say("셋째 답")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server)
        await dure.chat("첫째", session_id="s", team="assistant")
        with pytest.raises(ModelRefused):
            await dure.chat("둘째", session_id="s", team="assistant")
        await dure.chat("셋째", session_id="s", team="assistant")
        sent = [m["content"] for m in server.requests[2]["messages"][1:]]
    assert sent == ["첫째", "첫째 답", "셋째"]
    stored = [m["content"] for m in await dure.runs.sessions.messages("default", "s")]
    assert stored == ["첫째", "첫째 답", "둘째", "셋째", "셋째 답"], "nothing the user wrote is lost"


async def test_an_outgrown_session_is_summarised_once_and_goes_on_bounded(opened) -> None:
    summaries = 0

    def respond(body):
        nonlocal summaries
        if body["messages"][0]["content"].startswith("Summarise"):
            summaries += 1
            return say(f"요약 {summaries}")
        return say("답변 " * 60)

    sizes = []
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, history_tokens=400)
        for n in range(12):
            await dure.chat(f"질문 {n}", session_id="s", team="assistant")
            await dure.runs.settle()
        asked = [r for r in server.requests if not r["messages"][0]["content"].startswith("Summarise")]
        sizes = [len(str(r["messages"])) for r in asked]
        last = asked[-1]["messages"]
    assert 2 <= summaries <= 6
    assert max(sizes[6:]) <= 1.3 * max(sizes[3:6])
    assert any("요약" in (m["content"] or "") for m in last)
    assert [m["role"] for m in last[1:]][:2] == ["user", "assistant"]
    transcript = await dure.database.read(sessions.transcript, "default", "s")
    assert len(transcript) == 24, "the transcript itself only grows"


async def test_without_a_model_the_summary_is_made_of_the_turns(opened) -> None:
    def respond(body):
        if body["messages"][0]["content"].startswith("Summarise"):
            return fail(400, "not now")
        return say("답변 " * 120)

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, history_tokens=300)
        for n in range(3):
            await dure.chat(f"질문 {n}", session_id="s", team="assistant")
            await dure.runs.settle()
    history = await dure.database.read(history_of, "default", "s", 300)
    assert "질문 0" in history.turns[0]["content"]
    assert history.last_answer.startswith("답변 답변")


async def test_what_is_short_is_not_forgotten(opened, database_url: str) -> None:
    asked: list[str] = []

    def respond(body):
        if body["messages"][0]["content"].startswith("Summarise"):
            asked.append(body["messages"][1]["content"])
            return say("요약: 이름은 김두레")
        return say("네")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, database_url=database_url, history_tokens=600)
        turns = [turn("user", "내 이름은 김두레"), turn("assistant", "네")]
        turns += [turn(role, "네") for _ in range(40) for role in ("user", "assistant")]
        session_id = await dure.runs.sessions.begin("default", turns)
        await dure.chat("하나", session_id=session_id, team="assistant")
        assert server.requests[-1]["messages"][1]["content"] == "내 이름은 김두레", "all of it fits"
        turns += [turn(role, "네") for _ in range(400) for role in ("user", "assistant")]
        session_id = await dure.runs.sessions.begin("default", turns)
        await dure.chat("둘", session_id=session_id, team="assistant")
        await dure.runs.settle()
        assert "김두레" in asked[0]
        await dure.chat("셋", session_id=session_id, team="assistant")
        assert "김두레" in server.requests[-1]["messages"][1]["content"]


async def test_who_asks_again_at_once_pays_for_one_summary(opened) -> None:
    """While a summary is made others are not begun, and it is kept though the next question is at work."""
    written = asyncio.Event()
    summaries = 0

    def respond(body):
        nonlocal summaries
        if body["messages"][0]["content"].startswith("Summarise"):
            summaries += 1
            return say("요약").after(written)
        return say("답변 " * 60).after(at_work) if "나중" in str(body["messages"][-1]) else say("답변 " * 60)

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, history_tokens=400)
        at_work = asyncio.Event()
        for n in range(6):
            await dure.chat(f"질문 {n}", session_id="s", team="assistant")
        run = await dure.runs.start("default", Ask("나중", "s", "assistant"))
        written.set()
        while (await dure.database.read(sessions.get, "default", "s"))["summary"] is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        at_work.set()
        async for _ in dure.runs.events("default", run.id):
            pass
        await dure.chat("끝", session_id="s", team="assistant")
        assert "요약" in str(server.requests[-1]["messages"])
        await dure.runs.settle()
    assert summaries <= 2


@tool(effect="external")
def send(text: str) -> str:
    """Send a text."""
    return "sent"


async def test_a_run_that_waits_goes_on_with_the_history_it_began_with(opened) -> None:
    asked = []

    def respond(body):
        asked.append(body["messages"])
        return say("보냈다") if body["messages"][-1]["role"] == "tool" else call("send", text="x")

    agent = Agent(name="desk", description="x", prompt="Help.", tools=[send])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, tool_dialect="native", teams=[team], history_tokens=400)
        turns = [turn(role, f"이야기 {n} " * 30) for n in range(4) for role in ("user", "assistant")]
        session_id = await dure.runs.sessions.begin("default", turns)
        waiting = await dure.chat("보내줘", session_id=session_id, team="desk")
        assert waiting.status == "waiting"
        await shorten(dure.database, None, "default", session_id, 100)
        assert (await dure.database.read(sessions.get, "default", session_id))["summary"]
        done = await dure.decide(waiting, "approve")
    assert (done.status, done.response) == ("completed", "보냈다")
    goes_on = next(messages for messages in asked if messages[-1]["role"] == "tool")
    assert goes_on[: len(asked[0])] == asked[0]


@pytest.mark.parametrize("meanwhile", ["cut", "cut and asked anew", "summarised", "asked on"])
async def test_a_summary_of_what_is_gone_is_not_kept(opened, database_url: str, meanwhile: str) -> None:
    gate = asyncio.Event()
    gate.set()
    async with ScriptedServer(respond=lambda body: say("새 답").after(gate)) as server:
        dure = await opened(server, database_url=database_url)
        turns = [turn(role, f"비밀 {n} " * 30) for n in range(4) for role in ("user", "assistant")]
        session_id = await dure.runs.sessions.begin("default", turns)
        said = await dure.runs.sessions.messages("default", session_id)

        class Slow:
            small = False

            async def ask(self, *args, **kwargs):
                if meanwhile == "summarised":
                    up_to = said[1]["id"]
                    await dure.database.write(sessions.summarize, "default", session_id, "첫 요약", 0, up_to)
                elif meanwhile == "asked on":
                    gate.clear()
                    await dure.runs.start("default", Ask("이어서", session_id, "assistant"))
                else:
                    await dure.runs.sessions.show("default", session_id, said[0]["id"], instead=True)
                if meanwhile == "cut and asked anew":
                    for n in range(5):
                        await dure.chat(f"새 질문 {n}", session_id=session_id, team="assistant")
                raise ModelRefused(reason="x")

        await shorten(dure.database, Slow(), "default", session_id, 100)
        gate.set()
        row = await dure.database.read(sessions.get, "default", session_id)
        assert (row["summary"] is not None) == (meanwhile in ("summarised", "asked on"))
        assert meanwhile != "summarised" or row["summary"] == "첫 요약"
        if meanwhile == "cut and asked anew":
            history = await dure.database.read(history_of, "default", session_id, 1000)
            assert history.turns[0]["content"] == "새 질문 0"


async def test_a_follow_up_of_names_is_answered_in_the_language_of_the_conversation(opened) -> None:
    team_ = Team(name="desk", kind="solo", description="x", agents=[Agent(name="clerk", description="x")])
    async with ScriptedServer(say("9,900 won."), say("4,900 won.")) as server:
        dure = await opened(server, teams=[team_])
        await dure.chat("How much is 지도 고급?", session_id="s", team="desk")
        await dure.chat("And 지도 기본?", session_id="s", team="desk")
        first, second = (request["messages"][0]["content"] for request in server.requests)
    assert first == second
    assert "English" in second
