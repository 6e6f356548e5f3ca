"""Runs whose end is stored, whatever was said and whatever breaks on the way."""

import os

from dure import Agent, Team, tool
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
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
