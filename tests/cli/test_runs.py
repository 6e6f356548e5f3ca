"""`dure runs list|show|replay`."""

from collections.abc import Awaitable, Callable
from typing import Any

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
        assert "↳ calculate 2*21" in shown.out
        assert shown.out.count("◇ assistant") == 2
        assert '"messages"' not in shown.out
        assert '"messages"' in (await dure("runs", "show", run_id, "--full")).out
        replayed = await dure("runs", "replay", run_id, server=server)
    assert replayed.code == 0
    assert replayed.out.index("42입니다.") < replayed.out.index("마흔둘입니다.")
    runs = (await dure("runs", "list", "--json")).json["runs"]
    assert len(runs) == 2
    assert runs[0]["session_id"] != runs[1]["session_id"]


async def test_a_run_that_does_not_exist(dure: Command) -> None:
    for command in ("show", "replay"):
        ended = await dure("runs", command, "r-none")
        assert ended.code == 1
        assert "r-none" in ended.err
