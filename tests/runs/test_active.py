"""Runs whose end is stored, whatever was said and whatever breaks on the way."""

import asyncio
import os
import sqlite3

import pytest
import sqlalchemy as sa

from dure import Agent, Team, tool
from dure.errors import Interrupted, ModelError
from dure.events import Cited, RunFailed, RunFinished, RunResumed, TextDelta, TextRetracted
from dure.sources import Passage
from dure.testing import ScriptedServer, call, cut, fail, say
from dure.tooling import ToolResult

ME = "default"


def desk(*tools) -> Team:
    agent = Agent(name="clerk", description="x", tools=list(tools))
    return Team(name="desk", kind="solo", description="x", agents=[agent])


def find_then_say(body):
    return say("끝 [1]") if [m for m in body["messages"] if m["role"] == "tool"] else call("find", q="1")


async def test_what_no_utf8_can_carry_is_stored_as_a_replacement(opened) -> None:
    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        title = os.fsdecode(b"caf\xe9.txt")
        passage = Passage(document_id="d", title=title, page=None, start=0, end=1, text="끝", score=1.0)
        return ToolResult("끝", passages=[passage])

    async with ScriptedServer(respond=find_then_say) as server:
        dure = await opened(server, teams=[desk(find)])
        answer = await dure.chat("찾아 줘", team="desk", output_format="markdown")
        assert answer.status == "completed"
        record = await dure.runs.get(ME, answer.metadata["run_id"])
    found = next(e["data"] for e in record["events"] if e["kind"] == "tool_finished")
    assert found["passages"][0]["title"] == "caf\ufffd.txt"


async def test_what_broke_off_stands_as_one_text_with_its_source(opened) -> None:
    """As the transcript has it, and nothing that a reader would take for another draft."""
    text = "연차휴가는 1년에 15일이고, 병가는 60일까지 준다."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "규정", None, 0, len(text), text)])

    async with ScriptedServer(call("find", q="1"), cut("연차휴가는 1년에 15일이고, 병가는")) as server:
        dure = await opened(server, teams=[desk(find)])
        events = [e async for e in dure.stream("휴가를 설명해 줘", session_id="s", team="desk")]
        told = (await dure.runs.sessions.messages(ME, "s"))[-1]
    spoken: dict[str, str] = {}
    for each in events:
        if isinstance(each, TextRetracted):
            del spoken[each.message_id]
        elif isinstance(each, TextDelta):
            spoken[each.message_id] = spoken.get(each.message_id, "") + each.text
    assert isinstance(events[-1], RunFailed)
    assert list(spoken.values()) == [told["content"]]
    assert told["content"] == "연차휴가는 1년에 15일이고, 병가는 [1]"
    assert [each.citations for each in events if isinstance(each, Cited)] == [told["citations"]]


async def test_an_answer_in_another_language_is_compared_with_its_source_by_meaning(opened) -> None:
    text = "Two signals halved the error of our forecasts. The first winter was left out, since schools were closed."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "Flu", None, 0, len(text), text)])

    def respond(body):
        done = [m for m in body["messages"] if m["role"] == "tool"]
        return say("첫 겨울은 학교가 닫혀 있어 뺐다 [1].") if done else call("find", q="1")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=[desk(find)], embeddings=True)
        answer = await dure.chat("어느 겨울을 뺐어?", team="desk")
    assert [each["quote"] for each in answer.citations] == [text.partition(". ")[2]]


@pytest.mark.parametrize(("figure", "missing"), [("0.52", []), ("0.53", [["0.53"]])])
async def test_a_figure_may_be_what_a_tool_found_out(opened, figure: str, missing: list[list[str]]) -> None:
    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        text = "The error of Rain is 5.87, that of Gate 6.39."
        return ToolResult("", passages=[Passage("d", "Paper", 1, 0, len(text), text)])

    @tool
    def reckon(q: str) -> str:
        """Reckon."""
        return "= 0.52"

    steps = iter(
        [call("find", q="1"), call("reckon", q="6.39-5.87"), say(f"Rain has 5.87, Gate 6.39, thus {figure} more [1].")]
    )
    async with ScriptedServer(respond=lambda body: next(steps)) as server:
        dure = await opened(server, teams=[desk(find, reckon)])
        answer = await dure.chat("How much better is Rain?", team="desk")
    assert [each["missing"] for each in answer.metadata.get("checks", ())] == missing


def disk_full() -> sa.exc.OperationalError:
    return sa.exc.OperationalError("INSERT", None, sqlite3.OperationalError("database or disk is full"))


class Failing:
    """Lets the database fail where `query` is written: `times` times."""

    def __init__(self, dure, query: str, times: int = 1) -> None:
        self.left = times
        write = dure.database.write

        async def failing(wanted, *args, **kwargs):
            if getattr(wanted, "__name__", "") == query and self.left:
                self.left -= 1
                raise disk_full()
            return await write(wanted, *args, **kwargs)

        dure.database.write = failing


async def test_an_end_that_could_not_be_stored_is_stored_later(opened, database_url: str) -> None:
    async with ScriptedServer(respond=lambda body: say("안녕하세요.")) as server:
        dure = await opened(server, database_url=database_url)
        failing = Failing(dure, "_end")
        ends = [e async for e in dure.stream("안녕", session_id="s", team="assistant") if isinstance(e, RunFinished)]
        assert (failing.left, [end.response for end in ends]) == (0, ["안녕하세요."])
        (run,) = await dure.runs.list(ME)
        answer = await dure.runs.answer(ME, run["id"])
        record = await dure.runs.get(ME, answer.metadata["run_id"])
        said = [m["content"] for m in await dure.runs.sessions.messages(ME, "s")]
    assert record["status"] == "completed"
    assert [e["seq"] for e in record["events"]] == list(range(1, len(record["events"]) + 1))
    assert [e["data"]["why"] for e in record["events"] if e["kind"] == "run_resumed"] == ["recovered"]
    assert said == ["안녕", "안녕하세요."]


async def test_events_that_could_not_be_stored_are_told_anew(opened) -> None:
    @tool(effect="write")
    def note(x: int) -> str:
        """Note."""
        return "ok"

    def respond(body):
        return say("끝") if [m for m in body["messages"] if m["role"] == "tool"] else call("note", x=1)

    agent = Agent(name="clerk", description="x", tools=[note], allow=["note"])
    async with ScriptedServer(respond=respond) as server:
        team = Team(name="desk", kind="solo", description="x", agents=[agent])
        dure = await opened(server, teams=[team])
        append, left = dure.runs._working.recorder._store, [1]

        async def failing(batches):
            if left:
                raise left.pop() and disk_full()
            return await append(batches)

        dure.runs._working.recorder._store = failing
        answer = await dure.chat("적어 줘", team="desk")
        record = await dure.runs.get(ME, answer.metadata["run_id"])
    assert answer.response == "끝"
    kinds = [e["kind"] for e in record["events"]]
    assert kinds[0] == "run_started"
    assert kinds.count("tool_started") == kinds.count("tool_finished") == 1


async def test_a_run_whose_end_can_never_be_stored_is_given_up(opened, monkeypatch) -> None:
    monkeypatch.setattr("dure.runs.watch.EVERY", 0.01)
    async with ScriptedServer(respond=lambda body: say("안녕하세요.")) as server:
        dure = await opened(server)
        Failing(dure, "_end", times=4)
        with pytest.raises(Interrupted):
            await dure.chat("안녕", session_id="s", team="assistant")


async def test_cancelled_while_it_waits_for_mcp_servers(opened, tmp_path) -> None:
    @tool(effect="write")
    def note(x: int) -> str:
        """Note."""
        return "ok"

    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"slow": {"command": "sleep", "args": ["100"]}}}')
    # One call: with its servers there, the run would go on and ask for a second that nobody wrote.
    async with ScriptedServer(call("note", x=1)) as server:
        before = await opened(server, teams=[desk(note, "mcp:slow")])
        answer = await before.chat("적어 줘", session_id="s", team="desk")
        dure = await opened(server, teams=[desk(note, "mcp:slow")], mcp_config=config)
        run_id = answer.metadata["run_id"]
        await dure.runs.decide(ME, run_id, [{"approval_id": answer.approvals[0]["id"], "action": "approve"}])
        followed = asyncio.create_task(dure.runs.answer(ME, run_id))
        async for _, event in dure.runs.events(ME, run_id):
            if isinstance(event, RunResumed):
                break
        assert (await dure.runs.cancel(ME, run_id))["status"] == "cancelled"
        assert (await followed).status == "cancelled"
        await dure.runs.sessions.delete(ME, "s")


async def test_what_was_written_stands_where_the_model_fails_in_the_middle(opened) -> None:
    async with ScriptedServer(cut("첫째, 신청서를 쓴다. 둘째,"), say("둘째, 승인을 받는다.")) as server:
        dure = await opened(server)
        with pytest.raises(ModelError):
            await dure.chat("어떻게 신청해?", session_id="s", team="assistant")
        failed = (await dure.runs.list(ME, status="failed"))[0]
        assert failed["answer"]["response"] == "첫째, 신청서를 쓴다. 둘째,"
        kinds = [each["kind"] for each in (await dure.runs.get(ME, failed["id"]))["events"]]
        assert (kinds[-1], "text_retracted" in kinds) == ("run_failed", False)
        with pytest.raises(ModelError) as told:
            await dure.runs.answer(ME, failed["id"])
        # Whole in the language of the message, though its details are stored in English.
        assert told.value.message("ko").endswith("답이 도중에 끊겼습니다")
        assert told.value.message("en").endswith("broke off before its end")
        await dure.chat("이어서 써 줘", session_id="s", team="assistant")
        said = [each["content"] for each in server.requests[-1]["messages"] if each["role"] != "system"]
    assert said == ["어떻게 신청해?", "첫째, 신청서를 쓴다. 둘째,", "이어서 써 줘"]


async def test_what_an_agent_wrote_before_its_model_failed_is_no_answer_where_another_answers(opened) -> None:
    """A plan's step is tried once more; only the answer itself stands half."""
    async with ScriptedServer(respond=lambda body: cut("반쯤") if body.get("tools") else fail(400, "no")) as server:
        dure = await opened(server)
        with pytest.raises(ModelError):
            await dure.chat("매출 합계를 표로 보여 줘", team="office", session_id="s")
    assert [each["role"] for each in await dure.runs.sessions.messages(ME, "s")] == ["user"]


async def test_an_answer_that_words_the_last_one_anew_cites_what_that_cited(opened) -> None:
    text = "단가는 508.8유로이다. 급행은 15%를 더 받는다."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "견적서", None, 0, len(text), text)])

    table = "| 무엇 | 얼마 |\n|---|---|\n| 단가 | 508.8유로 [2] |\n| 급행 | 15% [1] |"
    steps = [call("find", q="1"), say("급행은 15%를 더 받습니다 [1]. 단가는 508.8유로입니다 [1]."), say(table)]
    thanks = say("천만에요. 24시간 물어보셔도 됩니다.")
    async with ScriptedServer(*steps, thanks) as server:
        dure = await opened(server, teams=[desk(find)])
        first = await dure.chat("얼마야?", team="desk", session_id="s")
        again = await dure.chat("방금 답을 표로 정리해줘", team="desk", session_id="s")
        last = await dure.chat("고마워", team="desk", session_id="s")
    assert [each["quote"] for each in first.citations] == ["급행은 15%를 더 받는다.", "단가는 508.8유로이다."]
    assert again.response == table.replace("[2]", "[0]").replace("[1]", "[2]").replace("[0]", "[1]")
    assert [each["quote"] for each in again.citations] == ["단가는 508.8유로이다.", "급행은 15%를 더 받는다."]
    assert (last.citations, last.metadata.get("checks")) == ((), None)


async def test_what_the_user_said_before_may_be_said_again(opened) -> None:
    text = "분기 매출은 다음 달 5일까지 보고한다."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "규정", None, 0, len(text), text)])

    said = say("분기 매출 4,850,000달러는 다음 달 5일까지 보고합니다 [1].")
    for before in ("3분기 매출은 4,850,000달러야.", "3분기 매출은 좋았어."):
        async with ScriptedServer(say("네."), call("find", q="보고"), said) as server:
            dure = await opened(server, teams=[desk(find)])
            await dure.chat(before, team="desk", session_id="s")
            answer = await dure.chat("언제까지 보고해?", team="desk", session_id="s")
            missing = [name for each in answer.metadata.get("checks") or [] for name in each["missing"]]
            assert missing == ([] if "4,850,000" in before else ["4,850,000"])
            await dure.runs.sessions.delete(ME, "s")


async def test_an_answer_for_which_nothing_was_looked_up_is_held_against_nothing(opened) -> None:
    async with ScriptedServer(say("네."), say("월드 와이드 웹은 1989년에 나왔습니다.")) as server:
        dure = await opened(server, teams=[desk()])
        await dure.chat("안녕, 나는 2015년생이야.", team="desk", session_id="s")
        answer = await dure.chat("웹은 언제 나왔어?", team="desk", session_id="s")
    assert "checks" not in answer.metadata


async def test_an_answer_that_sums_the_conversation_up_cites_what_each_of_its_answers_did(opened) -> None:
    texts = {"견적서": "시제품의 단가는 508.8유로이다.", "규정": "국내 출장의 숙박비는 하루 15만 원이다."}

    @tool
    def find(name: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage(name, name, None, 0, len(texts[name]), texts[name])])

    answers = [f"{text[:-2]}입니다 [1]." for text in texts.values()]
    steps = [step for name, said in zip(texts, answers, strict=True) for step in (call("find", name=name), say(said))]
    both = say("시제품의 단가는 508.8유로입니다. 국내 출장의 숙박비는 하루 15만 원입니다 [1].")
    async with ScriptedServer(*steps, both) as server:
        dure = await opened(server, teams=[desk(find)])
        for question in ("얼마야?", "출장은?", "둘 다 정리해줘"):
            last = await dure.chat(question, team="desk", session_id="s")
    # The numbers of an earlier answer would be taken for those of the last one.
    said = [each["content"] for each in server.requests[-1]["messages"] if each["role"] == "assistant"]
    assert said == [answers[0].replace("[1]", "[102]"), answers[1].replace("[1]", "[101]")]
    assert [each["title"] for each in last.citations] == ["견적서", "규정"]
    assert "checks" not in last.metadata


FIGURES = [("5,000", "1,854"), ("6,000", "1,954")]


async def test_what_stands_beside_an_earlier_quote_or_was_told_earlier_may_be_said(opened) -> None:
    text = "아차사고는 한 달에 2건 이상 신고한다. 신고 한 건에 5,000원을 준다."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "안전수칙", None, 0, len(text), text)])

    @tool
    def count(q: str) -> str:
        """Count."""
        return "4월: 1,854개"

    steps = [call("find", q="1"), call("count", q="1"), say("아차사고는 한 달에 2건 이상 신고합니다 [1].")]
    steps += [say("아차사고 신고 한 건에 {}원을 주고 [1], 4월에는 {}개였습니다.".format(*each)) for each in FIGURES]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[desk(find, count)])
        await dure.chat("몇 건?", team="desk", session_id="s")
        right, wrong = [await dure.chat("그럼 얼마를 줘?", team="desk", session_id="s") for _ in FIGURES]
    assert "checks" not in right.metadata
    assert [each["missing"] for each in wrong.metadata["checks"]] == [["6,000", "1,954"]]


async def test_what_an_earlier_answer_cited_is_cited_again_beside_what_was_found_since(opened) -> None:
    texts = {"기록": "R-06은 도착까지 35분이 걸렸다.", "계약": "응답 시간을 어기면 그 달 요금의 10%를 뺀다."}

    @tool
    def find(name: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage(name, name, None, 0, len(texts[name]), texts[name])])

    steps = [call("find", name="기록"), say("R-06은 도착까지 35분이 걸렸습니다 [1].")]
    steps += [call("find", name="계약"), say("R-06은 도착까지 35분이 걸렸습니다. 그 달 요금의 10%를 뺍니다 [1].")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[desk(find)])
        for question in ("얼마나 걸렸어?", "그럼 요금은?"):
            answer = await dure.chat(question, team="desk", session_id="s")
    assert [each["title"] for each in answer.citations] == ["기록", "계약"]
    assert "checks" not in answer.metadata


async def test_a_number_of_an_answer_before_is_none_of_what_is_found_now(opened) -> None:
    texts = {"기록": "R-06은 도착까지 35분이 걸렸다.", "계약": "R-06은 35분짜리 과제이다. 그 달 요금의 10%를 뺀다."}

    @tool
    def find(name: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage(name, name, None, 0, len(texts[name]), texts[name])])

    steps = [call("find", name="기록"), say("R-06은 도착까지 35분이 걸렸습니다 [1].")]
    steps += [call("find", name="계약"), say("R-06은 도착까지 35분이 걸렸습니다 [101]. 그 달 요금의 10%를 뺍니다 [1].")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[desk(find)])
        for question in ("얼마나 걸렸어?", "그럼 요금은?"):
            answer = await dure.chat(question, team="desk", session_id="s")
        read = server.requests[-1]["messages"]
    assert "걸렸습니다 [101]." in read[2]["content"]
    assert "[1]" in read[-1]["content"]
    assert [each["title"] for each in answer.citations] == ["기록", "계약"]
    assert answer.response.endswith("걸렸습니다 [1]. 그 달 요금의 10%를 뺍니다 [2].")


async def test_what_an_earlier_answer_said_is_told_again_with_its_source_in_the_other_language(opened) -> None:
    text = "Either party may end it with 6 months' written notice. It lasts 3 years. A draft is sent 30 days before."

    @tool
    def find(q: str) -> ToolResult:
        """Find."""
        return ToolResult("found", passages=[Passage("d", "Agreement", None, 0, len(text), text)])

    first = "6개월 전 서면 통지로 해지합니다 [1]. 3년간 유효합니다 [1]. 초안은 30일 전에 보냅니다 [1]."
    steps = [call("find", q="1"), say(first), say("초안은 30일 전에 보냅니다 [3]."), say("a[0]을 보세요.")]
    async with ScriptedServer(*steps, say("해지는 6개월 전에 알립니다 [2].")) as server:
        dure = await opened(server, teams=[desk(find)])
        for question in ("요약해줘", "초안은?", "고마워", "해지는?"):
            answer = await dure.chat(question, team="desk", session_id="s")
        said = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "assistant"]
    shown = "6개월 전 서면 통지로 해지합니다 [102]. 3년간 유효합니다 [103]. 초안은 30일 전에 보냅니다 [104]."
    assert said == [shown, "초안은 30일 전에 보냅니다 [101].", "a[0]을 보세요."]
    assert [each["quote"] for each in answer.citations] == ["Either party may end it with 6 months' written notice."]
    assert answer.response == "해지는 6개월 전에 알립니다 [1]."
