"""Files that runs make: kept under safe names, for their owner alone."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure import Agent, Team, tool
from dure.agents import Journal
from dure.errors import LostRun, NotFound
from dure.runs import Ask
from dure.runs.artifacts import safe_name
from dure.storage import runs as run_rows
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, Tool, ToolContext, ToolResult, an_object

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


async def test_a_call_reads_files_of_its_own_conversation_by_name(opened) -> None:
    seen: list[bytes | None] = []

    async def _look(args: dict[str, Any], context: ToolContext) -> ToolResult:
        assert context.run
        file = await context.run.file(args["name"])
        seen.append(file and file.data)
        return ToolResult("looked")

    look = Tool("look", "Look at a file.", an_object({"name": {"type": "string"}}), _look)
    team = Team(
        name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=[write_report, look])]
    )
    write, read = [call("write_report", name="a.txt", text=text) for text in "12"], call("look", name="a.txt")
    steps = [write[0], read, say("."), write[1], say("."), read, say("."), read, say("."), read, say(".")]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, teams=[team])
        for owner, session in ((ME, "s"), (ME, "s"), (ME, "s"), (ME, "t"), ("other", "s2")):
            await dure.chat("써 줘", team="desk", session_id=session, owner=owner)
    assert seen == [b"1", b"2", None, None], "the newest of the conversation, nobody else's"


async def test_a_tool_that_gives_a_file_or_bytes_makes_a_file_of_the_run(opened) -> None:
    def chart(title: str) -> File:
        """Draw a chart."""
        return File(f"{title}.svg", b"<svg/>", "image/svg+xml")

    async def dump() -> bytes:
        """Dump."""
        return b"\x00\xff"

    asked = Agent(name="a", description="x", tools=[chart, dump])
    async with ScriptedServer(call("chart", title="매출"), call("dump"), say("만들었습니다.")) as server:
        dure = await opened(server)
        answer = await dure.ask(asked, "그려 줘")
    assert [(each.name, each.media_type, each.size) for each in answer.artifacts] == [
        ("매출.svg", "image/svg+xml", 6),
        ("result.bin", "application/octet-stream", 2),
    ]
    told = [each["content"] for each in server.requests[-1]["messages"] if each["role"] == "tool"]
    assert told == ["The user got the file 매출.svg (6 bytes).", "The user got the file result.bin (2 bytes)."]


async def test_a_process_that_lost_its_run_puts_no_file_in_place_of_another(opened, database_url: str) -> None:
    gate = asyncio.Event()
    made = call("write_report", name="a.txt", text="first")
    async with ScriptedServer(made, say("늦은 답").after(gate)) as server:
        dure = await opened(server, database_url=database_url, teams=[TEAM], take_over=False)
        run = await dure.runs.start(ME, Ask("써 줘", "s", "desk"))
        await server.arrived(2)
        assert await dure.database.write(run_rows.take, run.id, dure.runs._engine.id, "another")
        late = File("a.txt", b"late", "text/plain")
        working = dure.runs._working
        with pytest.raises(LostRun):
            await working._context(working._active[run.id], Journal(), lambda _: None).keep(late, "a")
        (file,) = await dure.runs.artifacts(ME, run.id)
        assert (await dure.runs.artifact(ME, run.id, file["id"]))[1].read_text() == "first"
        gate.set()
        await dure.runs.settle()
        await dure.database.write(run_rows.leave, ME, run.id, "waiting")


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
