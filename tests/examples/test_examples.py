"""The examples run as they stand, against a scripted model server."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dure import Dure
from dure.teams.files import load_team
from dure.testing import ScriptedServer, call, say

EXAMPLES = Path(__file__).parents[2] / "examples"


async def run_example(name: str, server: ScriptedServer, data: Path, *args: str) -> str:
    """Run an example as a user does; its standard output."""
    settings = {
        "DURE_MODEL_BASE_URL": server.url,
        "DURE_TOOL_DIALECT": "native",
        "DURE_EMBEDDINGS": "false",
        "DURE_DATA_DIR": str(data),
        "PYTHONUTF8": "1",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(EXAMPLES / name),
        *args,
        env=os.environ | settings,
        cwd=data,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return out.decode()


async def test_ask_prints_the_answer_with_its_source(tmp_path: Path) -> None:
    answer = "근속 3년 이상이면 연 20일입니다 [1]."
    async with ScriptedServer(
        call("rag_agent", task="3년 이상 근속한 직원의 연차 일수"),
        call("search_knowledge_base", queries=["근속 3년 이상 연차휴가"]),
        say(answer),
    ) as server:
        out = await run_example("ask.py", server, tmp_path, "3년 일하면 연차가 며칠이야?")
    assert "failed" not in out
    for document in (EXAMPLES / "documents").iterdir():
        assert f"ready    {document.name}" in out
    assert answer in out
    assert "[1] 인사규정, 3쪽: “" in out
    assert "연 20일의 연차휴가를 부여한다." in out


async def test_own_tool_is_called(tmp_path: Path) -> None:
    async with ScriptedServer(call("leave_balance", employee="김하늘"), say("6.5일 남았습니다.")) as server:
        out = await run_example("own_tool.py", server, tmp_path)
    assert "6.5일 남았습니다." in out
    result = server.requests[1]["messages"][-1]
    assert result["role"] == "tool"
    assert "6.5" in result["content"]


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
