"""`dure eval`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from dure.packs.evaluation.against import Against
from dure.testing import ScriptedServer, call, fail, say

Command = Callable[..., Awaitable[Any]]
LINES = (
    '{"question": "1+1?", "tools": [{"name": "calculate", "args": {"expression": "1+1"}}], "answer": {"number": 2}}\n'
    '{"question": "2+2?", "answer": {"number": 4}}\n'
)


async def test_a_set_is_measured(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "sums.jsonl").write_text(LINES)
    script = [call("calculate", expression="1+1"), say("둘입니다. 2"), say("5입니다.")]
    async with ScriptedServer(*script) as server:
        ended = await dure("eval", "sums.jsonl", "--team", "assistant", "-o", "results.jsonl", server=server)
    assert ended.code == 0
    assert "answer's number" in ended.out
    assert "50.0%" in ended.out
    assert "9.4% – 90.5%" in ended.out
    assert "4 is not among 5" in ended.out
    assert "2/2, 1 right" in ended.err
    results = [orjson.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [each["right"] for each in results] == [True, False]
    runs = (await dure("runs", "list", "--json")).json["runs"]
    assert {run["experiment"] for run in runs} == {runs[0]["experiment"]}
    assert runs[0]["experiment"].startswith("eval sums ")


async def test_a_share_can_be_demanded(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "sums.jsonl").write_text(LINES)
    async with ScriptedServer(respond=lambda _: say("2")) as server:

        async def ask(*more: str) -> Any:
            return await dure("eval", "sums.jsonl", "--team", "assistant", "--json", *more, server=server)

        assert (await ask("--min", "0")).code == 0
        missed = await ask("--min", "answer number=0.6", "--model", "bigger", "--experiment", "mine")
        assert (missed.code, "50.0% < 60.0%" in missed.err) == (1, True)
        assert missed.json["experiment"] == "mine"
        assert server.requests[-1]["model"] == "bigger"
        assert (await ask("--limit", "1", "--min", "answer number=1")).code == 0
        assert (await ask("--min", "documents=0.1")).code == 1
        assert (await ask("--min", "beauty=0.1")).code == 2


async def test_two_models_are_compared_question_by_question(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "sums.jsonl").write_text(LINES + '{"question": "3+1?", "answer": {"number": 4}}\n')
    ask = ("eval", "sums.jsonl", "--team", "assistant")
    async with ScriptedServer(respond=lambda _: say("4")) as server:
        await dure(*ask, "-o", "of4.jsonl", server=server)
    async with ScriptedServer(say("2"), say("4"), say("5")) as server:
        # The file is read before it is written anew.
        ended = await dure(*ask, "--against", "of4.jsonl", "-o", "of4.jsonl", server=server)
    assert "- 3+1?" in ended.out
    assert "0 right now, 1 wrong now, 1 right in both, 1 in neither · p = 1.00" in ended.out
    async with ScriptedServer(respond=lambda _: say("4")) as server:
        told = (await dure(*ask, "--against", "of4.jsonl", "--json", server=server)).json["against"]
        assert told == {"both": 1, "neither": 1, "better": ["3+1?"], "worse": [], "p": 1.0}
        bad = await dure(*ask, "--against", "sums.jsonl", server=server)
    assert (bad.code, "holds no results" in bad.err) == (2, True)


def test_how_sure_a_difference_is() -> None:
    assert Against(0, 0, [], []).p == 1.0
    assert round(Against(5, 0, ["q"] * 8, ["q"]).p, 4) == 0.0391


async def test_routing_only(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "who.jsonl").write_text('{"question": "휴가는?", "agents": ["rag_agent"]}\n')
    async with ScriptedServer(call("rag_agent", task="휴가")) as server:
        ended = await dure("eval", "who.jsonl", "--routing-only", "--json", server=server)
    assert ended.json["measures"][0] | {"low": 0, "high": 0} == {
        "name": "routing",
        "right": 1,
        "n": 1,
        "share": 1.0,
        "low": 0,
        "high": 0,
    }


async def test_what_answers_nothing_has_measured_nothing(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "sums.jsonl").write_text(LINES)
    async with ScriptedServer(respond=lambda _: fail(404, "The model `Nope` does not exist.")) as server:
        ended = await dure("eval", "sums.jsonl", "--team", "assistant", "--model", "Nope", server=server)
    assert (ended.code, "2 without an answer" in ended.out) == (1, True)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ('{"question": "hi", "agents": ["nobody"]}', "assistant, hi): 'nobody' is none of assistant"),
        ('{"question": "hi", "level": "very"}', "'very' is none of easy, hard"),
    ],
)
async def test_what_nobody_can_reach_is_told_before_anything_is_asked(dure, tmp_path, line, known) -> None:
    (tmp_path / "set.jsonl").write_text(line)
    async with ScriptedServer() as server:
        ended = await dure("eval", "set.jsonl", "--team", "assistant", server=server)
    assert (ended.code, known in ended.err, server.requests) == (2, True, [])


async def test_a_bad_file(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"question": "good"}\n{"question": 3}\n')
    ended = await dure("eval", "bad.jsonl")
    assert ended.code == 2
    assert "bad.jsonl, line 2" in ended.err
    assert (await dure("eval", "none.jsonl")).code == 2
