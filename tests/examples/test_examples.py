"""The examples run as they stand, against a scripted model server."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dure import Dure
from dure.cli.demo import DOCUMENTS
from dure.teams.files import load_team
from dure.testing import ScriptedServer, call, raw, say

EXAMPLES = Path(__file__).parents[2] / "examples"


Run = Callable[..., Awaitable[str]]


@pytest.fixture
def run_example(tmp_path: Path, warm_command: tuple[str, ...]) -> Run:
    """`out = await run_example("ask.py", server, "…")`: run an example as a user does; its standard output."""

    async def run(name: str, server: ScriptedServer, *args: str) -> str:
        settings = {
            "DURE_MODEL_BASE_URL": server.url,
            "DURE_TOOL_DIALECT": "native",
            "DURE_EMBEDDINGS": "false",
            "DURE_DATA_DIR": str(tmp_path),
            "PYTHONUTF8": "1",
        }
        process = await asyncio.create_subprocess_exec(
            *(*warm_command[:-2], str(EXAMPLES / name), *args),
            env=os.environ | settings,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        return out.decode()

    return run


async def test_ask_prints_the_answer_with_its_source(run_example: Run) -> None:
    answer = "근속 3년 이상이면 연 20일입니다 [1]."
    async with ScriptedServer(
        call("rag_agent", task="3년 이상 근속한 직원의 연차 일수"),
        call("search_knowledge_base", queries=["근속 3년 이상 연차휴가"]),
        say(answer),
    ) as server:
        out = await run_example("ask.py", server, "3년 일하면 연차가 며칠이야?")
    assert "failed" not in out
    for document in DOCUMENTS.iterdir():
        assert f"ready    {document.name}" in out
    assert answer in out
    assert "[1] 인사규정, 3쪽: “" in out
    assert "연 20일의 연차휴가를 부여한다." in out


async def test_own_tool_is_called(run_example: Run) -> None:
    async with ScriptedServer(call("leave_balance", employee="김하늘"), say("6.5일 남았습니다.")) as server:
        out = await run_example("own_tool.py", server)
    assert "6.5일 남았습니다." in out
    result = server.requests[1]["messages"][-1]
    assert result["role"] == "tool"
    assert "6.5" in result["content"]


async def test_own_kind_has_its_agents_work_one_after_another(run_example: Run) -> None:
    async with ScriptedServer(say("초안: 휴가는 15일입니다. 많이 쓰세요."), say("휴가는 15일입니다.")) as server:
        out = await run_example("own_kind.py", server)
    assert out == "휴가는 15일입니다.\n"
    asked = [request["messages"][-1]["content"] for request in server.requests]
    assert asked == [
        "새 휴가 정책을 알리는 글을 써줘",
        f"{asked[0]}\n\nWritten so far:\n초안: 휴가는 15일입니다. 많이 쓰세요.",
    ]


async def test_own_dialect_offers_tools_and_reads_calls(run_example: Run) -> None:
    steps = (raw('@calculat {"expression": "1"}'), raw('@calculate {"expression": "12 * 34"}'), raw("408입니다."))
    async with ScriptedServer(*steps) as server:
        out = await run_example("own_dialect.py", server)
    assert out == "408입니다.\n"
    first, second, third = ([m["content"] for m in request["messages"]] for request in server.requests)
    assert "tools" not in server.requests[0]
    assert "a line such as @name {…}.\n- " in first[0]
    assert "- calculate: " in first[0]
    assert "Did you mean 'calculate'?" in second[-1]
    assert third[-2:] == ['@calculate {"expression": "12 * 34"}', "Result of calculate: 12 * 34 = 408"]


@pytest.mark.parametrize(("name", "page"), [("own_dialect.py", "dialects.md"), ("own_kind.py", "teams.md")])
def test_what_is_ones_own_is_short_and_shown_in_the_docs(name: str, page: str) -> None:
    code = (EXAMPLES / name).read_text(encoding="utf-8")
    shown = (EXAMPLES.parent / "docs" / page).read_text(encoding="utf-8")
    assert f"```python\n{code}```" in shown
    assert len(code.splitlines()) <= 30


@pytest.mark.parametrize(
    ("name", "kind", "agents"),
    [
        ("support.toml", "solo", ["support_agent"]),
        ("backoffice.yaml", "supervisor", ["hr_agent", "travel_agent", "sales_agent"]),
    ],
)
def test_team_files_are_read(name: str, kind: str, agents: list[str]) -> None:
    team = load_team(EXAMPLES / "teams" / name)
    assert (team.kind, [agent.name for agent in team.agents]) == (kind, agents)
    assert team.name == Path(name).stem


async def test_team_files_name_tools_that_exist(opened: Callable[..., Awaitable[Dure]]) -> None:
    async with ScriptedServer() as server:
        dure = await opened(server, teams_dir=EXAMPLES / "teams")
        for name in ("support", "backoffice"):
            for agent in dure.teams[name].agents:
                assert set(agent.tools) <= set(dure.tools), agent.name
