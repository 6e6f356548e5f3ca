"""What of a session reaches the model, and its summary."""

import pytest

from dure.errors import ModelRefused
from dure.runs.history import read_history, tokens_of, within
from dure.storage import sessions
from dure.testing import ScriptedServer, fail, say


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
    stored = [m["content"] for m in await dure.runs.messages("default", "s")]
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
    history = await dure.database.read(read_history, "default", "s", 300)
    assert "질문 0" in history.turns[0]["content"]
    assert history.last_answer.startswith("답변 답변")
