"""`dure schedules list|add|pause|resume|run|remove`."""

from collections.abc import Awaitable, Callable
from typing import Any

from dure.testing import ScriptedServer, say

Command = Callable[..., Awaitable[Any]]


async def test_a_schedule_from_its_making_to_its_end(dure: Command) -> None:
    async with ScriptedServer(say("답입니다.")) as server:
        assert "No schedules" in (await dure("schedules")).err
        how = ("--zone", "Asia/Seoul", "--team", "assistant", "--to", "file", "--name", "아침")
        made = await dure("schedules", "add", "--json", "0 9 * * *", "오늘 할 일은?", *how)
        id = made.json["id"]
        listed = await dure("schedules", "list")
        assert f"{id}  아침  [0 9 * * * Asia/Seoul]  → file" in listed.out
        assert listed.out.rstrip().endswith(" 09:00"), "as the schedule's own clock shows it"
        assert "paused" in (await dure("schedules", "pause", id)).out
        asked = await dure("schedules", "run", id, server=server)
        assert (asked.code, asked.out.strip().splitlines()[-1]) == (0, "답입니다.")
        (shown,) = (await dure("schedules", "list", "--json")).json["schedules"]
        assert (shown["next_at"], shown["runs"][0]["status"]) == (None, "completed")
        assert shown["runs"][0]["delivery"]["status"] == "done"
        assert "paused" not in (await dure("schedules", "resume", id)).out
        assert (await dure("schedules", "remove", id)).code == 0
        assert (await dure("schedules", "remove", id)).code == 1


async def test_what_cannot_be_used(dure: Command) -> None:
    wrong = await dure("schedules", "add", "sometimes", "안녕")
    assert (wrong.code, "Five fields" in wrong.err) == (2, True)
    team = await dure("schedules", "add", "0 9 * * *", "안녕", "--team", "nobody")
    assert (team.code, "nobody" in team.err) == (2, True)
    url = await dure("schedules", "add", "0 9 * * *", "안녕", "--to", "webhook", "--url", "http://localhost/x")
    assert (url.code, "localhost" in url.err) == (2, True)


async def test_a_secret_that_was_made_is_shown(dure: Command) -> None:
    how = ("--to", "webhook", "--url", "http://127.0.0.1:9/x")
    made = await dure("schedules", "add", "@daily", "안녕", *how, DURE_WEBHOOK_HOSTS="127.0.0.1")
    assert "shown this once" in made.out
