"""What of a session reaches the model, and its summary."""

import asyncio

import pytest
import sqlalchemy as sa

from dure import Agent, Team, tool
from dure.errors import ModelRefused
from dure.runs import Ask, states
from dure.runs.history import History, budget_of, read_history, shorten, tokens_of, within
from dure.storage import sessions
from dure.storage.schema import run_events
from dure.testing import ScriptedServer, call, fail, say


def history_of(connection, owner: str, session_id: str, budget: int) -> History:
    return read_history(connection, owner, session_id, sessions.state(connection, owner, session_id), budget)


def turn(role: str, text: str) -> dict:
    return {"role": role, "content": text}


def test_the_budget_keeps_the_last_turns_beginning_with_a_question() -> None:
    rows = [turn("user", "가" * 100), turn("assistant", "나" * 100), turn("user", "다"), turn("assistant", "라")]
    assert within(rows, 90) == rows[2:]
    assert within(rows, 10_000) == rows
    assert within(rows, tokens_of("라"), cut=False) == []


@pytest.mark.parametrize("asked", ["Write it all down", "이 글을 정리해줘\n" + "본문입니다. " * 3000])
@pytest.mark.parametrize("unit", ["Line {} of the answer. ", "답의 {}번째 문장입니다. "])
def test_the_last_answer_is_there_however_long_it_is(unit: str, asked: str) -> None:
    answer = "".join(unit.format(n) for n in range(2000))
    rows = [turn("user", "first"), turn("assistant", "one"), turn("user", asked), turn("assistant", answer)]
    for after in ([], [turn("user", "a question that failed")]):
        question, cut, *rest = within([*rows, *after], 500)
        assert rest == after
        assert tokens_of(question["content"]) + tokens_of(cut["content"]) <= 500
        assert question["content"][:8] == asked[:8]
        begin, mark, end = cut["content"].split("\n\n")
        assert answer.startswith(begin)
        assert answer.endswith(end)
        assert len(begin) > len(end) > 100
        assert f"{len(answer) - len(begin) - len(end):,}"[:-2] in mark, "but for the blanks at the cuts"
        assert ("left out" in mark) == (unit[0] == "L")


def test_a_short_answer_to_a_long_question_is_whole() -> None:
    rows = [turn("user", "word " * 5000), turn("assistant", "Yes.")]
    question, answer = within(rows, 400)
    assert answer is rows[1]
    assert 300 < tokens_of(question["content"]) <= 400 - tokens_of("Yes.")


@pytest.mark.parametrize(("window", "whole"), [(None, False), (4096, False), (8192, False), (32_768, True)])
async def test_the_follow_up_of_a_long_answer_has_it_as_far_as_the_window_lets_it(opened, window, whole: bool) -> None:
    long = "".join(f"Clause {n} binds both parties. " for n in range(500))
    async with ScriptedServer(say(long), say("It is clause 7.")) as server:
        dure = await opened(server, model_context=window)
        await dure.chat("Draft it.", session_id="s", team="assistant")
        await dure.runs.settle()
        await dure.chat("Which was it?", session_id="s", team="assistant")
        question, answer, asked = (m["content"] for m in server.requests[-1]["messages"][1:])
    assert (question, asked) == ("Draft it.", "Which was it?")
    assert (answer == long.strip()) == whole
    assert answer.startswith("Clause 0 binds")
    assert answer.endswith("Clause 499 binds both parties.")
    assert whole or tokens_of(answer) <= 2000


async def test_the_smallest_window_of_those_that_may_answer_counts(opened) -> None:
    async with ScriptedServer() as server:
        place = {"base_url": server.url}
        named = {
            "large": {**place, "name": "a", "context": 60_000},
            "huge": {**place, "name": "a", "context": 1_000_000},
            "backed": {**place, "name": "a", "context": 60_000, "fallbacks": ["spare"]},
            "spare": {**place, "name": "b", "context": 30_000},
            "unknown": {**place, "name": "c"},
        }
        dure = await opened(server, models=named)

        def budget(settings=dure.settings, own: str | None = None, **options: str) -> int:
            clerk = Agent(name="clerk", description="x", model=own)
            desk = Team(name="desk", kind="solo", description="x", agents=[clerk], model="large")
            return budget_of(settings, dure.models, {"desk": desk}, {"team": "desk", "options": options})

        assert budget() == 10_000
        assert budget(own="spare") == 5000
        assert budget(own="spare", model="large") == 10_000
        assert budget(model="huge") == 16_000
        assert budget(model="backed") == 5000
        assert budget(model="unknown") == 2000
        assert budget(own="gone") == 2000
        assert budget(dure.settings.model_copy(update={"history_tokens": 300})) == 300


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


@pytest.mark.parametrize("known", [True, False])
async def test_a_run_goes_on_with_the_budget_it_began_with(opened, known: bool) -> None:
    """What it asks has to be what it asked, also where it began before the budget was recorded and answers were cut."""
    long = "".join(f"Clause {n} binds both parties. " for n in range(100))
    async with ScriptedServer(say(long), say("Yes."), say("A draft.")) as server:
        dure = await opened(server, history_tokens=300)
        await dure.chat("Draft it.", session_id="s", team="assistant")
        run_id = (await dure.chat("Is it good?", session_id="s", team="assistant")).metadata["run_id"]
        await dure.runs.settle()

        def forget(connection) -> None:
            mine = (run_events.c.run_id == run_id) & (run_events.c.kind == "run_started")
            data = connection.scalar(sa.select(run_events.c.data).where(mine))
            assert data.pop("history_tokens") == 300
            connection.execute(sa.update(run_events).where(mine).values(data=data))

        if not known:
            await dure.database.write(forget)
        *_, history, _ = await dure.database.read(states.load, "default", run_id, lambda row: 250)
        asked = [m["content"] for m in server.requests[1]["messages"][1:-1]]
    assert [m["content"] for m in history.turns] == (asked if known else [])
    assert "left out" in asked[1]


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
