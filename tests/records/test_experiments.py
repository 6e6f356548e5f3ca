"""Runs as experiments: the view on their records, groups, ratings, cost."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dure import Agent, Dure, Team, tool
from dure.errors import InvalidInput, InvalidText, NotFound
from dure.records.compare import changes
from dure.records.export import moment
from dure.records.figures import Prices
from dure.records.view import view
from dure.runs import Ask
from dure.testing import ScriptedServer, call, fail, say

POLICY = "연차휴가는 근속 1년 이상은 15일, 3년 이상은 20일을 부여한다."
PRICES = {"scripted": (2.0, 10.0)}


async def _asked(dure: Dure, message: str, **more: Any) -> str:
    run_id: str = (await dure.chat(message, **more)).metadata["run_id"]
    return run_id


async def test_all_that_was_done_for_an_answer(opened, tmp_path: Path) -> None:
    (tmp_path / "인사규정.txt").write_text(POLICY, encoding="utf-8")
    steps = [
        call("rag_agent", task="연차 일수 찾기"),
        call("search_knowledge_base", queries=["연차휴가", "annual leave"]),
        say("1년 이상은 15일입니다 [1]."),
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, prices=PRICES, currency="원")
        await dure.ingest(tmp_path / "인사규정.txt")
        seen = await dure.view(await _asked(dure, "연차는 며칠이야?", team="workplace", level="easy"))
    assert (seen.question, seen.team, seen.level, seen.status) == (
        "연차는 며칠이야?",
        "workplace",
        "easy",
        "completed",
    )
    assert (seen.models, seen.dialects, seen.agents) == (["scripted"], ["native"], ["rag_agent"])
    assert [(r.agents, r.how) for r in seen.routing] == [(["rag_agent"], "model")]
    assert seen.pipeline == ["rag_agent"]
    assert [(p.purpose, p.agent) for p in seen.prompts] == [("route", ""), ("work", "rag_agent"), ("work", "rag_agent")]
    first, _, last = seen.prompts
    assert first.user == "연차는 며칠이야?"
    assert first.system == server.requests[0]["messages"][0]["content"]
    assert last.final == server.requests[2]["messages"]
    assert first.options["tools"] == server.requests[0]["tools"]
    begun, search = seen.tools
    assert begun.args == {"queries": ["연차는 며칠이야?", "연차 일수 찾기"]}
    assert (search.name, search.agent, search.status) == ("search_knowledge_base", "rag_agent", "ok")
    assert search.args == {"queries": ["연차휴가", "annual leave"]}
    assert search.passages[0]["text"] == POLICY
    assert [(q.kind, q.text, q.found) for q in seen.queries] == [
        ("search", "연차는 며칠이야?", 1),
        ("search", "연차 일수 찾기", 1),
        ("search", "연차휴가", 1),
        ("search", "annual leave", 1),
    ]
    assert seen.queries[0].arms is not None
    assert seen.queries[0].arms["dense"] is False
    assert len(seen.queries[0].arms["lexical_scores"]) == 1
    assert seen.citations[0]["quote"] in POLICY
    used = (server.prompt_tokens, server.completion_tokens)
    assert (seen.model_calls, seen.prompt_tokens, seen.completion_tokens) == (3, *used)
    assert seen.cost == pytest.approx((used[0] * 2 + used[1] * 10) / 1e6)
    assert seen.currency == "원"
    assert seen.seconds is not None
    assert (seen.errors, seen.approvals, seen.rating) == ([], [], None)


async def test_sql_is_a_query_whether_it_worked_or_not(opened, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nA,1\nB,2\n")
    good, wrong = "SELECT sum(amount) FROM sales", "SELECT nothing FROM sales"
    steps = [call("query_tables", sql=good), call("query_tables", sql=wrong), say("3")]
    agent = Agent(name="data", description="d", prompt="p", tools=["query_tables"])
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[Team(name="t", kind="solo", description="d", agents=[agent])])
        await dure.ingest(tmp_path / "sales.csv")
        seen = await dure.view(await _asked(dure, "sum?", team="t"))
    assert [(q.kind, q.text, q.status, q.found) for q in seen.queries] == [
        ("sql", good, "ok", 1),
        ("sql", wrong, "error", None),
    ]
    assert [e["source"] for e in seen.errors] == ["tool query_tables"]


async def test_what_people_were_asked_and_decided(opened) -> None:
    @tool(effect="external")
    def send(to: str) -> str:
        """Send it."""
        return f"sent to {to}"

    agent = Agent(name="mail", description="d", prompt="p", tools=["send"])
    async with ScriptedServer(call("send", to="kim"), say("보냈습니다.")) as server:
        dure = await opened(server, tools=[send], teams=[Team(name="t", kind="solo", description="d", agents=[agent])])
        waiting = await dure.chat("보내줘", team="t")
        run_id = waiting.metadata["run_id"]
        (approval,) = (await dure.view(run_id)).approvals
        assert (approval["tool"], approval.get("decision")) == ("send", None)
        await dure.runs.decide("default", run_id, [{"approval_id": approval["id"], "action": "approve"}])
        await dure.runs.answer("default", run_id)
        seen = await dure.view(run_id)
    assert [a["decision"]["action"] for a in seen.approvals] == ["approve"]
    assert [(t.name, t.status) for t in seen.tools] == [("send", "ok")]


async def test_a_run_that_failed(opened) -> None:
    async with ScriptedServer(fail(400, "no such thing")) as server:
        dure = await opened(server)
        run = await dure.runs.start("default", Ask("안녕", team="assistant"))
        with pytest.raises(Exception, match="no such thing"):
            await dure.runs.answer("default", run.id)
        seen = await dure.view(run.id)
        listed = (await dure.records.list("default"))[0]
    assert seen.status == "failed"
    assert [e["source"] for e in seen.errors] == ["model scripted", "run"]
    assert "no such thing" in seen.errors[0]["message"]
    assert listed["usage"] == {"model_calls": 1, "prompt_tokens": 0, "completion_tokens": 0}
    # Without prices nobody knows.
    assert (seen.cost, listed["cost"]) == (None, None)


async def test_the_cost_of_an_unknown_model_is_unknown(opened) -> None:
    async with ScriptedServer(say("하나")) as server:
        dure = await opened(server, prices={"gpt-*": (1, 1)})
        run_id = await _asked(dure, "안녕", team="assistant")
        assert (await dure.view(run_id)).cost is None
        assert (await dure.records.get("default", run_id))["cost"] is None


async def test_list_and_view_agree_on_every_database(opened, database_url: str) -> None:
    async with ScriptedServer(call("calculate", expression="1+1"), say("2")) as server:
        dure = await opened(server, prices=PRICES, database_url=database_url)
        with dure.experiment("sums"):
            run_id = await _asked(dure, "1+1?", team="assistant")
        await dure.rate(run_id, 4, " 좋음 ")
        seen, whole = await dure.view(run_id), await dure.records.get("default", run_id)
        (row,) = await dure.records.list("default", experiment="sums", team="assistant", since=seen.created_at)
        assert await dure.runs.list("default", experiment="other") == []
        assert await dure.runs.list("default", team="workplace") == []
        assert await dure.runs.list("default", before=(row["created_at"], row["id"])) == []
    figures = {"model_calls": 2, "prompt_tokens": seen.prompt_tokens, "completion_tokens": seen.completion_tokens}
    for each in (row, whole):
        assert each["usage"] == figures
        assert (each["seconds"], each["cost"], each["experiment"]) == (seen.seconds, seen.cost, "sums")
        assert (each["rating"]["rating"], each["rating"]["comment"]) == (4, "좋음")
    assert (seen.rating, seen.rating_comment, seen.experiment) == (4, "좋음", "sums")


async def test_a_view_is_of_the_record_alone(opened) -> None:
    async with ScriptedServer(say("안녕하세요.")) as server:
        dure = await opened(server)
        run = await dure.runs.get("default", await _asked(dure, "안녕", team="assistant"))
    assert view(run, Prices()).prompts[0].reply["content"] == "안녕하세요."
    # While the run is young there is less to see, but it can be seen.
    young = run | {"events": run["events"][:1], "answer": None, "status": "running", "ended_at": None}
    seen = view(young, Prices())
    assert (seen.prompts, seen.seconds, seen.answer) == ([], None, "")


# Groups


async def test_runs_started_within_belong_to_the_experiment(opened) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as server:
        dure = await opened(server, prices=PRICES)
        other = await opened(server, data_dir=dure.settings.data_dir.parent / "other")

        async def in_experiment(name: str) -> None:
            with dure.experiment(name):
                await asyncio.gather(*(dure.chat(f"{name} {n}", team="assistant") for n in range(3)))

        with dure.experiment("outer") as outer:
            await asyncio.gather(in_experiment("a"), in_experiment("b"))
            await dure.chat("outer", team="assistant")
            await dure.runs.start("default", Ask("named", team="assistant", experiment="c"))
            await other.chat("elsewhere", team="assistant")
        await dure.chat("outside", team="assistant")
        await dure.runs.settle()
        for name in ("a", "b"):
            found = await dure.experiment(name).runs()
            assert sorted(r["message"] for r in found) == [f"{name} {n}" for n in range(3)]
        assert [r["message"] for r in await outer.runs()] == ["outer"]
        assert [r["message"] for r in await dure.experiment("c").runs()] == ["named"]
        assert [r["experiment"] for r in await other.runs.list("default")] == [None]
        by_message = {r["message"]: r["experiment"] for r in await dure.runs.list("default")}
        assert by_message["outside"] is None
        await dure.rate((await outer.runs())[0]["id"], 5)
        summary = await outer.summary()
        nothing = await dure.experiment("never used").summary()
    assert (summary["runs"], summary["status"], summary["model_calls"]) == (1, {"completed": 1}, 1)
    assert summary["seconds"]["p50"] == summary["seconds"]["p95"] == summary["seconds"]["mean"]
    assert summary["cost"] > 0
    assert summary["rating"] == {"mean": 5, "count": 1}
    assert (nothing["runs"], nothing["seconds"]["mean"], nothing["rating"]["mean"]) == (0, None, None)


async def test_all_of_an_experiment_are_found_however_many(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dure.records.records._PAGE", 2)
    async with ScriptedServer(respond=lambda _: say("답")) as server:
        dure = await opened(server)
        for count in range(5):
            assert len(await dure.experiment("x").runs()) == count
            with dure.experiment("x"):
                await dure.chat(f"질문 {count}", team="assistant")
            await dure.chat("다른 질문", team="assistant")
        asked = [run["message"] for run in await dure.experiment("x").runs()]
        seen = [run.question async for run in dure.records.experiments("default", experiment="x")]
    assert asked == seen == [f"질문 {n}" for n in (4, 3, 2, 1, 0)]


async def test_one_experiment_in_two_tasks(opened) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as server:
        dure = await opened(server)
        experiment = dure.experiment("x")
        inside, left = asyncio.Event(), asyncio.Event()

        async def longer() -> None:
            with experiment:
                inside.set()
                await left.wait()
                await dure.chat("longer", team="assistant")

        async def shorter() -> None:
            await inside.wait()
            with experiment, experiment:
                await dure.chat("shorter", team="assistant")
            left.set()

        await asyncio.gather(longer(), shorter())
        assert {run["message"] for run in await experiment.runs()} == {"longer", "shorter"}


async def test_the_experiments_of_others_are_not_seen(opened) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as server:
        dure = await opened(server)
        with dure.experiment("same", owner="kim") as experiment:
            run_id = await _asked(dure, "안녕", team="assistant", owner="lee")
            await dure.chat("안녕", team="assistant", owner="kim")
        assert [r["session_id"] for r in await experiment.runs()] != []
        assert len(await experiment.runs()) == 1
        with pytest.raises(NotFound):
            await dure.view(run_id, owner="kim")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, 7])
async def test_names_that_cannot_be(opened, name: Any) -> None:
    dure = await opened()
    with pytest.raises(InvalidInput):
        dure.experiment(name)
    with pytest.raises(InvalidInput):
        await dure.runs.start("default", Ask("안녕", experiment=name or " "))


# Ratings


async def test_rating_again_replaces(opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server)
        run_id = await _asked(dure, "안녕", team="assistant")
        await dure.rate(run_id, 1, "나쁨")
        rated = await dure.rate(run_id, 5)
    assert (rated["rating"]["rating"], rated["rating"]["comment"]) == (5, None)


async def test_ratings_that_cannot_be(opened) -> None:
    dure = await opened()
    for rating in (0, 6, True, 3.0, "3", None):
        with pytest.raises(InvalidInput):
            await dure.rate("r-none", rating)
    with pytest.raises(InvalidText):
        await dure.rate("r-none", 3, "\x00")
    with pytest.raises(InvalidInput):
        await dure.rate("r-none", 3, "x" * 4001)
    with pytest.raises(NotFound):
        await dure.rate("r-none", 3)


async def test_only_the_owner_rates(opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server)
        run_id = await _asked(dure, "안녕", team="assistant", owner="kim")
        with pytest.raises(NotFound):
            await dure.rate(run_id, 1, owner="lee")
        assert (await dure.runs.get("kim", run_id))["rating"] is None


def test_moments_as_runs_hold_them() -> None:
    assert moment("2026-05-31") == "2026-05-31T00:00:00.000000Z"
    assert moment(" 2026-05-31T09:00+09:00 ") == "2026-05-31T00:00:00.000000Z"
    two_days = moment("2d")
    assert two_days < moment("47h") < moment("0h")
    assert datetime.now(UTC) - datetime.fromisoformat(two_days) < timedelta(days=2, minutes=1)
    with pytest.raises(InvalidInput) as caught:
        moment("yesterday", "until")
    for told in caught.value.both().values():
        assert "until: 'yesterday'" in told
        assert "2026-05-31" in told
        assert "2d, 12h" in told
    for wrong in ("2", "2D ago", f"{9**99}d", "999999d", "0001-01-01T00:00+10:00", "9999-12-31T23:59-10:00"):
        with pytest.raises(InvalidInput):
            moment(wrong)


def test_of_sentences_that_are_much_alike_the_words_that_differ_are_told() -> None:
    found = changes("휴가는 1년에 15일입니다. 끝.", "휴가는 1년에 20일입니다. 끝. 더 있습니다.")
    assert found == [
        ["-", "휴가는 1년에 15일입니다.", [["=", "휴가는 1년에 "], ["-", "15일입니다"], ["=", "."]]],
        ["+", "휴가는 1년에 20일입니다.", [["=", "휴가는 1년에 "], ["+", "20일입니다"], ["=", "."]]],
        ["=", "끝."],
        ["+", "더 있습니다."],
    ]
    assert changes("전혀 다른 말입니다.", "Nothing here.") == [["-", "전혀 다른 말입니다."], ["+", "Nothing here."]]
