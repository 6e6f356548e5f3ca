"""Files that runs make: kept under safe names, for their owner alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure import Agent, Team, tool
from dure.errors import NotFound
from dure.runs.artifacts import safe_name
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, ToolResult

ME = "default"


@tool
def write_report(name: str, text: str) -> ToolResult:
    """Write a report."""
    return ToolResult("written", files=[File(name, text.encode(), "text/plain")])


TEAM = Team(name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=[write_report])])


async def test_a_file_is_kept_listed_and_read(opened) -> None:
    made = call("write_report", name="../../etc/보고서.txt", text="내용")
    async with ScriptedServer(made, say("썼습니다.")) as server:
        dure = await opened(server, teams=[TEAM])
        answer = await dure.chat("써 줘", team="desk", session_id="s")
        run_id = answer.metadata["run_id"]
        (file,) = await dure.runs.artifacts(ME, run_id)
        shown, path = await dure.runs.artifact(ME, run_id, file["id"])
        assert path.read_text() == "내용"
        assert path.is_relative_to(dure.settings.data_dir / "artifacts" / run_id)
        assert (file["name"], file["size"], file["agent"]) == ("_.._etc_보고서.txt", 6, "a")
        assert shown == file
        assert [a["id"] for a in answer.metadata["artifacts"]] == [file["id"]]
        for stranger in (dure.runs.artifacts("other", run_id), dure.runs.artifact("other", run_id, file["id"])):
            with pytest.raises(NotFound):
                await stranger
        await dure.runs.sessions.delete(ME, "s")
        assert not path.exists()


async def test_the_same_name_is_replaced(opened) -> None:
    twice = [call("write_report", name="a.txt", text=text) for text in ("1", "22")]
    async with ScriptedServer(*twice, say("썼습니다.")) as server:
        dure = await opened(server, teams=[TEAM])
        run_id = (await dure.chat("써 줘", team="desk")).metadata["run_id"]
        (file,) = await dure.runs.artifacts(ME, run_id)
        assert file["size"] == 2


@given(st.text(max_size=300))
def test_any_name_becomes_safe(name: str) -> None:
    safe = safe_name(name)
    assert 0 < len(safe) <= 121
    assert not set(safe) & set('/\\\0\n\r"<>|:*?')
    assert not safe.startswith(".")
    assert safe.upper() not in {"CON", "NUL", "AUX", "PRN"}
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("", "file"),
        ("..", "file"),
        ("CON", "_CON"),
        ("a" * 200 + ".docx", "a" * 115 + ".docx"),
        ("계약서.md", "계약서.md"),
    ],
)
def test_names(name: str, safe: str) -> None:
    assert safe_name(name) == safe
