"""`dure runs list|show|replay|compare|export|rate`."""

import csv
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from dure.testing import ScriptedServer, call, say

Command = Callable[..., Awaitable[Any]]


async def test_a_run_is_listed_shown_and_replayed(dure: Command) -> None:
    script = [call("calculate", expression="2*21"), say("42입니다."), say("마흔둘입니다.")]
    async with ScriptedServer(*script) as server:
        asked = await dure("chat", "--json", "--team", "assistant", "2 곱하기 21은?", server=server)
        run_id = asked.json["metadata"]["run_id"]
        listed = await dure("runs", "list")
        assert run_id in listed.out
        assert "2 곱하기 21은?" in listed.out
        assert (await dure("runs", "list", "--status", "failed")).out == ""
        shown = await dure("runs", "show", run_id)
        sections = [line.split(" ─")[0] for line in shown.out.splitlines() if " ──" in line]
        assert sections == ["Totals", "Answer"]
        assert shown.out.index("↳ calculate 2*21") < shown.out.index("2 * 21 = 42") < shown.out.index("Totals")
        assert shown.out.count("◇ assistant") == 2
        assert "2 model calls" in shown.out
        assert '"messages"' not in shown.out
        assert '"messages"' in (await dure("runs", "show", run_id, "--full")).out
        replayed = await dure("runs", "replay", run_id, server=server)
    assert replayed.code == 0
    assert replayed.out.index("42입니다.") < replayed.out.index("마흔둘입니다.")
    assert "- 42입니다.\n+ 마흔둘입니다." in replayed.out
    runs = (await dure("runs", "list", "--json")).json["runs"]
    assert len(runs) == 2
    assert runs[0]["session_id"] != runs[1]["session_id"]


async def test_a_run_that_does_not_exist(dure: Command) -> None:
    for command in (["show"], ["replay"], ["compare", "r-none"], ["rate", "--comment", "x"]):
        ended = await dure("runs", *command, "r-none", *(["3"] if command[0] == "rate" else []))
        assert ended.code == 1
        assert "r-none" in ended.err


async def test_a_status_that_no_run_has(dure: Command) -> None:
    wrong = await dure("runs", "list", "--status", "foo")
    assert (wrong.code, "no such status 'foo': queued, running" in wrong.err) == (2, True)
    assert (await dure("runs", "list", "--status", "failed")).code == 0


async def asked(dure: Command, server: ScriptedServer, message: str, *more: str) -> str:
    answer = await dure("chat", "--json", "--team", "assistant", message, *more, server=server, **PRICED)
    run_id: str = answer.json["metadata"]["run_id"]
    return run_id


PRICED = {"DURE_PRICES": '{"scripted": [100, 100]}', "DURE_CURRENCY": "원"}


async def test_runs_are_rated_listed_with_figures_and_compared(dure: Command) -> None:
    script = [
        say("휴가는 15일입니다. 병가는 30일입니다."),
        call("calculate", expression="1+1"),
        say("휴가는 15일입니다. 병가는 60일입니다."),
    ]
    async with ScriptedServer(*script) as server:
        first, second = [await asked(dure, server, "휴가는?", "--experiment", name) for name in ("a", "b")]
    rated = await dure("runs", "rate", first, "4", "--comment", "좋아요")
    assert rated.out == f"{first}  ★★★★☆  좋아요\n"
    listed = await dure("runs", "list", "--team", "assistant", **PRICED)
    lines = {line.split()[0]: line for line in listed.out.splitlines()}
    assert "★★★★☆" in lines[first]
    assert "원" in lines[second]
    assert (await dure("runs", "list", "--team", "office")).out == ""
    assert (await dure("runs", "list", "--experiment", "a")).out.split()[0] == first
    compared = await dure("runs", "compare", first, second, **PRICED)
    assert "- 병가는 30일입니다.\n+ 병가는 60일입니다." in compared.out
    assert "calculate(expression=1+1)" in compared.out
    found = (await dure("runs", "compare", first, second, "--json", **PRICED)).json
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["question"]["same"]
    assert rows["model_calls"] == {"name": "model_calls", "values": [1, 2], "same": False}
    assert rows["cost"]["values"][0] < rows["cost"]["values"][1]
    wrong = await dure("runs", "rate", first, "6")
    assert (wrong.code, "1 to 5" in wrong.err) == (2, True)
    assert (await dure("runs", "compare", first)).code == 2


async def test_runs_are_exported(dure: Command, tmp_path: Path) -> None:
    async with ScriptedServer(say("=1+1"), say("둘,\n셋")) as server:
        first = await asked(dure, server, '=HYPERLINK("http://x")')
        second = await asked(dure, server, "＠cmd", "--session", "s-2")
    await dure("runs", "rate", first, "2", "--comment", "-1+1")
    lines = [orjson.loads(line) for line in (await dure("runs", "export")).out.splitlines()]
    assert [line["run_id"] for line in lines] == [second, first]
    assert lines[1]["question"] == '=HYPERLINK("http://x")'
    assert lines[0]["prompts"][0]["final"][-1] == {"role": "user", "content": "＠cmd"}
    path = tmp_path / "runs.csv"
    ended = await dure("runs", "export", "--format", "csv", "--bom", "-o", str(path), **PRICED)
    assert (ended.out, "Runs exported: 2" in ended.err) == ("", True)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [row["answer"] for row in rows] == ["둘,\n셋", "'=1+1"]
    assert [row["question"] for row in rows] == ["'＠cmd", '\'=HYPERLINK("http://x")']
    assert (rows[1]["rating"], rows[1]["rating_comment"]) == ("2", "'-1+1")
    assert float(rows[0]["cost"]) > 0
    assert (rows[0]["scores"], rows[0]["currency"]) == ("", "원")
    of_session = await dure("runs", "export", "-f", "csv", "-s", "s-2")
    assert of_session.out.count("\n") == 3
    assert (await dure("runs", "export", "--since", "2999-01-01")).out == ""
    assert (await dure("runs", "export", "--experiment", "none")).out == ""


@pytest.mark.parametrize("wrong", [["--since", "gestern"], ["--format", "xml"], ["-o", "/no/such/folder/x.csv"]])
async def test_exports_that_cannot_be(dure: Command, wrong: list[str]) -> None:
    ended = await dure("runs", "export", *wrong)
    assert (ended.code, ended.out) == (2, "")


async def test_a_replay_asks_another_model_after_the_same_turns(dure: Command) -> None:
    async with ScriptedServer(say("김입니다."), say("네, 김입니다."), say("아뇨.")) as server:
        await asked(dure, server, "나는 김이야", "--session", "talk")
        second = await asked(dure, server, "내가 누구야?", "--session", "talk")
        replayed = await dure("runs", "replay", second, "--model", "bigger", "--json", server=server)
        turns = [m["content"] for m in server.requests[2]["messages"][1:]]
        assert server.requests[2]["model"] == "bigger"
    assert turns == ["나는 김이야", "김입니다.", "내가 누구야?"]
    rows = {row["name"]: row["values"] for row in replayed.json["comparison"]["rows"]}
    assert rows["models"] == [["scripted"], ["bigger"]]
    assert replayed.json["second"]["session_id"] != "talk"
    alone = await dure(
        "runs", "replay", second, "--model", "bigger", DURE_MODEL_BASE_URL="", DURE_BUNDLED_PATH="x.gguf"
    )
    assert (alone.code, "DURE_MODEL_BASE_URL" in alone.err) == (2, True)


async def test_a_replay_from_a_step_takes_over_what_was_done_before(dure: Command) -> None:
    script = [call("calculate", expression="2*21"), say("42입니다."), say("마흔둘입니다.")]
    async with ScriptedServer(*script) as server:
        first = await asked(dure, server, "2 곱하기 21은?", "--session", "talk")
        shown = await dure("runs", "show", first)
        last = [line.split()[0] for line in shown.out.splitlines() if "◇ assistant" in line][-1]
        replayed = await dure("runs", "replay", first, "--from", last, "--model", "bigger", "--json", server=server)
        assert [each["model"] for each in server.requests] == ["scripted", "scripted", "bigger"]
    assert replayed.code == 0, replayed.err
    second = replayed.json["second"]
    assert (second["session_id"], second["answer"]["response"]) == ("talk", "마흔둘입니다.")
    assert second["usage"]["model_calls"] == 1
    shown = await dure("runs", "show", second["id"])
    assert shown.out.index("2 * 21 = 42") < shown.out.index("was taken over from another run")
    assert "1 model calls" in shown.out
    refused = await dure("runs", "replay", first, "--from", "1", server=server)
    assert (refused.code, "no step of this run" in refused.err) == (2, True)
