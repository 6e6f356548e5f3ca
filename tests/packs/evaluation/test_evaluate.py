"""Whole sets, against a scripted model server."""

import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from dure.errors import InvalidInput, UnknownTeam
from dure.packs.evaluation.cases import EvaluationFileError, read_cases
from dure.packs.evaluation.evaluate import _failed, evaluate, measure
from dure.testing import ScriptedServer, call, fail, say
from dure.testing.steps import Step


def written(folder: Path, *cases: Any) -> Path:
    path = folder / "set.jsonl"
    lines = [each if isinstance(each, str) else orjson.dumps(each).decode() for each in cases]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def respond(request: dict[str, Any]) -> Step:
    """A supervisor's model: whom to ask by the question, then the work."""
    last = request["messages"][-1]
    question = next(m["content"] for m in reversed(request["messages"]) if m["role"] == "user")
    tools = [t["function"]["name"] for t in request.get("tools", [])]
    if "rag_agent" in tools:
        if "안녕" in question:
            return say("안녕하세요.")
        return call("rag_agent", task=question)
    if last["role"] == "tool":
        return say("연차는 십오일입니다 [1].")
    return call("search_knowledge_base", queries=["연차휴가"])


async def test_a_whole_set(opened, tmp_path: Path) -> None:
    (tmp_path / "인사규정.txt").write_text("연차휴가는 근속 1년 이상은 15일이다.", encoding="utf-8")
    answer = {"contains": "연차", "regex": r"십\s?오", "number": 15, "cites": "인사규정.txt"}
    path = written(
        tmp_path,
        "# 휴가",
        {
            "id": "leave",
            "question": "연차는 며칠이야?",
            "agents": ["rag_agent"],
            "tools": [{"name": "search_knowledge_base", "args": {"queries": ["연차는 며칠이야?"]}}],
            "documents": ["인사규정", "없는문서.pdf"],
            "answer": answer,
        },
        "",
        {"question": "안녕", "agents": [], "answer": {"number": 3}},
        {"question": "병가는?", "pipeline": ["file", "rag_agent"], "also": [["rag_agent"]]},
        {"question": "출장비는?", "agents": "file", "tools": [{"name": "search_knowledge_base", "args": {"k": 3}}]},
    )
    seen: list[int] = []
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server)
        await dure.ingest(tmp_path / "인사규정.txt")
        found = await evaluate(
            dure,
            read_cases(path),
            experiment="mine",
            team="workplace",
            progress=lambda each: seen.append(each.case.line),
        )
        runs = await dure.experiment("mine").runs()
    measured = {each.name: (each.right, each.n) for each in found.measures}
    assert measured == {
        "routing": (3, 4),
        "pipelines": (1, 1),
        "tools": (1, 2),
        "documents": (1, 2),
        "answer contains": (1, 1),
        "answer regex": (1, 1),
        "answer number": (1, 2),
        "answer cites": (1, 1),
    }
    assert seen == [2, 4, 5, 6]
    assert {r["id"] for r in runs} == {each.run_id for each in found.cases}
    assert [each.right for each in found.cases] == [False, False, True, False]
    faults = {each.case.line: each.score.faults for each in found.cases}
    assert faults[2] == ["documents: not found: 없는문서.pdf"]
    assert faults[6][0] == "routing: rag_agent instead of file"
    whole = found.as_dict()
    assert (whole["cases"], whole["right"], whole["errors"]) == (4, 1, 0)
    assert whole["results"][0]["id"] == "leave"


async def test_routing_only_lets_nobody_work(opened, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"question": "연차는?", "agents": ["rag_agent"], "history": [{"role": "user", "content": "나는 김이야"}]},
        {"question": "안녕", "agents": []},
        {"question": "아무 기대 없음"},
    )
    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server)
        found = await evaluate(dure, read_cases(path), team="workplace", routing_only=True, jobs=2)
        assert len(server.requests) == 2
        assert any(m["content"] == "나는 김이야" for each in server.requests for m in each["messages"])
        assert await dure.runs.list("default") == []
    assert [(m.name, m.right, m.n) for m in found.measures] == [("routing", 2, 2)]
    assert [(each.chosen, each.how) for each in found.cases] == [(["rag_agent"], ["model"]), ([], ["model"])]
    assert found.experiment is None


async def test_the_turns_before_are_told(opened, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "나는 김이야"}, {"role": "assistant", "content": "네."}]
    path = written(tmp_path, {"question": "내가 누구야?", "history": turns, "answer": {"contains": "김"}})
    async with ScriptedServer(say("김입니다.")) as server:
        dure = await opened(server)
        found = await evaluate(dure, read_cases(path), team="assistant")
        asked = [m["content"] for m in server.requests[0]["messages"][1:]]
    assert asked == ["나는 김이야", "네.", "내가 누구야?"]
    assert found.cases[0].right


async def test_a_case_that_fails_keeps_out_no_other(opened, tmp_path: Path) -> None:
    wanted = {"agents": ["rag_agent"], "tools": ["x"], "documents": ["d"], "answer": {"number": 1, "contains": "x"}}
    path = written(tmp_path, {"question": "하나", **wanted}, {"question": "둘", "team": "assistant"})
    async with ScriptedServer(fail(400, "broken"), say("답")) as server:
        dure = await opened(server)
        found = await evaluate(dure, read_cases(path), team="workplace")
    first, second = found.cases
    assert "broken" in (first.error or "")
    assert all(right == 0 for right, _ in first.score.parts.values())
    assert set(first.score.parts) == {"routing", "tools", "documents", "answer number", "answer contains"}
    assert second.right


async def test_a_case_that_cannot_be_routed_is_wrong(opened, tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "연차는?", "agents": ["rag_agent"]})
    async with ScriptedServer(fail(400, "broken")) as server:
        dure = await opened(server)
        found = await evaluate(dure, read_cases(path), team="workplace", routing_only=True)
    (case,) = found.cases
    assert ("broken" in (case.error or ""), case.status, case.score.parts) == (True, "failed", {"routing": (0, 1)})


def test_of_a_case_that_cannot_begin_all_is_wrong(tmp_path: Path) -> None:
    answer = {"number": 0, "regex": "x", "cites": ["d"], "contains": "x"}
    (case,) = read_cases(written(tmp_path, {"question": "하나", "tools": ["x"], "answer": answer}))
    parts = _failed(case, InvalidInput(reason="x")).score.parts
    assert parts == {name: (0, 1) for name in ("tools", *(f"answer {kind}" for kind in answer))}


async def test_a_team_that_is_not(opened, tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "하나", "team": "nobody"})
    dure = await opened()
    with pytest.raises(UnknownTeam):
        await evaluate(dure, read_cases(path))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no json", "line 2"),
        ("[]", "object"),
        ({}, "question"),
        ({"question": " "}, "question"),
        ({"question": "q", "agent": "x"}, "not known: agent. Known: id, note, language, question"),
        ({"question": "q", "answer": {"contain": "x"}}, "answer: not known: contain. Known: contains, cites, regex"),
        ({"question": "q", "agents": ["a"], "pipeline": ["a"]}, "one of them"),
        ({"question": "q", "agents": [1]}, "agents"),
        ({"question": "q", "also": [["a"]]}, "also"),
        ({"question": "q", "team": 3}, "team"),
        ({"question": "q", "tools": []}, "tools"),
        ({"question": "q", "tools": [{"name": "a", "args": []}]}, "args"),
        ({"question": "q", "tools": [{"tool": "a"}]}, "tools"),
        ({"question": "q", "documents": []}, "documents"),
        ({"question": "q", "answer": {}}, "answer"),
        ({"question": "q", "answer": {"like": "x"}}, "answer"),
        ({"question": "q", "answer": {"regex": "("}}, "answer.regex"),
        ({"question": "q", "answer": {"number": "viele"}}, "answer.number"),
        ({"question": "q", "answer": {"number": True}}, "answer.number"),
        ({"question": "q", "history": [{"role": "system", "content": "x"}]}, "history"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: Any, reason: str) -> None:
    path = written(tmp_path, {"question": "good"}, line)
    with pytest.raises(EvaluationFileError) as caught:
        read_cases(path)
    assert caught.value.details["line"] == 2
    assert reason in caught.value.message("en")
    # What a parser says stays in its words.
    if reason not in ("line 2", "answer.regex"):
        assert re.search("[가-힣]", caught.value.message("ko").partition("줄: ")[2])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe{}")
    (tmp_path / "empty").write_text("# nothing\n\n")
    for name in ("none", "latin", "empty", "."):
        with pytest.raises(InvalidInput):
            read_cases(tmp_path / name)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    # Brown, Cai and DasGupta (2001) describe the interval; the numbers are its formula's by hand.
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (90, 100, 0.8256, 0.9448)],
)
def test_wilson(right: int, n: int, low: float, high: float) -> None:
    found = measure("routing", right, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
