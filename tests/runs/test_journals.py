"""Runs that an earlier version of Dure began go on under this one, as their records have it; and what no longer fits
its record stops, and says what was done."""

import json
from contextlib import suppress
from typing import Any

import pytest
from fixtures.journals import FOLDER, OWNER, put, respond, teams

from dure import Agent, Team, tool
from dure.errors import Diverged, DureError, Interrupted
from dure.testing import ScriptedServer, say

FORMATS = sorted({path.name.partition("-")[0] for path in FOLDER.glob("*.json")})


def stored(name: str) -> dict[str, Any]:
    journal: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return journal


async def gone_on(opened, journal: dict[str, Any], effects: list[str]):
    """Stores the journal; a server at which ann's model works by now, the run's id, and the teams."""
    server = ScriptedServer(respond=lambda body: respond(body, ann_works=True))
    dure = await opened(None, model_base_url="http://127.0.0.1:9/v1", take_over=False)
    run_id = await put(dure.database, journal)
    return server, run_id, teams(effects)


def test_each_format_has_its_journals() -> None:
    from dure.agents.journal import FORMAT

    assert [str(number) for number in range(1, FORMAT + 1)] == FORMATS


@pytest.mark.parametrize("version", FORMATS)
async def test_a_failure_is_an_outcome_and_nothing_is_done_again(opened, version: str) -> None:
    """ann's model refuses, the plan is mended, bob books, and the process dies. By now ann's model works."""
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, stored(f"{version}-mended"), effects)
    async with server:
        dure = await opened(server, teams=given)
        answer = await dure.runs.answer(OWNER, run_id)
        asked = len(server.requests)
    assert effects == [], "it is booked already"
    assert [(c["name"], c["agent"], c["status"]) for c in answer.tool_calls] == [("book", "bob", "ok")]
    assert (answer.status, "7호실을 예약했습니다." in answer.response) == ("completed", True)
    assert asked == 2, "bob's last words, and what is made of them"


@pytest.mark.parametrize("version", FORMATS)
async def test_what_waits_is_decided_and_done_once(opened, version: str) -> None:
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, stored(f"{version}-waiting"), effects)
    async with server:
        dure = await opened(server, teams=given)
        (asked,) = await dure.runs.approvals(OWNER, run_id)
        await dure.runs.decide(OWNER, run_id, [{"approval_id": asked["id"], "action": "approve"}])
        answer = await dure.runs.answer(OWNER, run_id)
    assert (answer.status, answer.response, effects) == ("completed", "보냈습니다.", ["kim"])


@pytest.mark.parametrize("version", FORMATS)
async def test_what_broke_off_is_in_doubt(opened, version: str) -> None:
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, stored(f"{version}-doubt"), effects)
    async with server:
        dure = await opened(server, teams=given)
        assert (await dure.runs.answer(OWNER, run_id)).status == "waiting"
        (asked,) = await dure.runs.approvals(OWNER, run_id)
        assert asked["kind"] == "in_doubt"
        decision = {"approval_id": asked["id"], "action": "answer", "message": "it is sent"}
        await dure.runs.decide(OWNER, run_id, [decision])
        answer = await dure.runs.answer(OWNER, run_id)
    assert (answer.status, answer.response, effects) == ("completed", "보냈습니다.", [])


async def test_a_record_of_a_newer_format_is_not_gone_on_with(opened) -> None:
    journal = stored(f"{FORMATS[-1]}-mended")
    journal["events"][0]["data"]["format"] = int(FORMATS[-1]) + 1
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, journal, effects)
    async with server:
        dure = await opened(server, teams=given)
        with pytest.raises(Interrupted):
            await dure.runs.answer(OWNER, run_id)
    assert effects == []


async def test_a_run_that_is_given_up_tells_what_it_did(opened) -> None:
    journal = stored(f"{FORMATS[-1]}-doubt")
    last = journal["events"][-1]
    for number in range(3):
        resumed = {
            "kind": "run_resumed",
            "data": {"why": "recovered", "decisions": []},
            "seq": last["seq"] + number + 1,
        }
        journal["events"].append({**last, **resumed})
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, journal, effects)
    async with server:
        dure = await opened(server, teams=given)
        with pytest.raises(Interrupted) as raised:
            await dure.runs.answer(OWNER, run_id)
        row = await dure.runs.get(OWNER, run_id)
    (call,) = raised.value.details["calls"]
    assert (call["name"], call["args"], call["status"]) == ("send_mail", {"to": "kim"}, "unknown")
    assert 'send_mail {"to":"kim"} (unknown)' in row["error"]["message"]
    assert effects == []


async def test_a_run_that_the_next_message_ends_tells_what_it_did(opened) -> None:
    """A command was killed, and no server runs."""
    journal = stored(f"{FORMATS[-1]}-doubt")
    journal["run"]["executor"] = "gone"
    journal["run"]["status"] = "running"
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, journal, effects)
    async with server:
        dure = await opened(server, teams=given, take_over=False)
        with suppress(DureError):
            await dure.chat("또", team="desk", session_id=journal["run"]["session_id"])
        row = await dure.runs.get(OWNER, run_id)
    assert (row["status"], row["error"]["code"]) == ("failed", "interrupted")
    assert 'send_mail {"to":"kim"} (unknown)' in row["error"]["message"]


async def diverged(opened, journal: dict[str, Any], asked: int = 0) -> Diverged:
    effects: list[str] = []
    server, run_id, given = await gone_on(opened, journal, effects)
    async with server:
        dure = await opened(server, teams=given)
        with pytest.raises(Diverged) as raised:
            await dure.runs.answer(OWNER, run_id)
        row = await dure.runs.get(OWNER, run_id)
        assert len(server.requests) == asked
    assert (row["status"], row["error"]["code"], effects) == ("failed", "diverged", [])
    assert row["events"][-1]["data"]["message"] == raised.value.message("ko")
    return raised.value


def called(journal: dict[str, Any], purpose: str) -> dict[str, Any]:
    data: dict[str, Any] = next(e["data"] for e in journal["events"] if e["data"].get("purpose") == purpose)
    return data


async def test_another_question_stops_the_run_and_what_was_done_is_told(opened) -> None:
    journal = stored(f"{FORMATS[-1]}-mended")
    called(journal, "mend")["asked"] = "0" * 16
    error = await diverged(opened, journal)
    assert error.details["at"] == "mend mend.a1"
    assert error.details["calls"] == [
        {"call_id": "w2-3f5f2d.c1", "name": "book", "args": {"room": "7"}, "status": "ok", "reached": False}
    ]
    assert "book" in error.message("ko")


async def test_another_purpose_stops_the_run(opened) -> None:
    journal = stored("1-mended")
    called(journal, "mend")["purpose"] = "compose"
    assert (await diverged(opened, journal)).details["at"] == "mend mend.a1"


async def test_another_call_stops_the_run(opened) -> None:
    journal = stored(f"{FORMATS[-1]}-mended")
    for event in journal["events"]:
        if event["kind"] == "tool_started":
            event["data"]["args"] = {"room": "8"}
    error = await diverged(opened, journal)
    assert error.details["at"] == "book w2-3f5f2d.c1"
    assert [c["args"] for c in error.details["calls"]] == [{"room": "8"}]


async def test_an_end_that_leaves_recorded_effects_out_is_none(opened) -> None:
    journal = stored(f"{FORMATS[-1]}-mended")
    work = [e for e in journal["events"] if e["data"].get("purpose") == "work"]
    # bob says at once that he is done.
    work[-1]["data"]["reply"] |= {"content": "예약했습니다.", "tool_calls": []}
    error = await diverged(opened, journal, asked=1)
    assert [c["reached"] for c in error.details["calls"]] == [False]


async def test_a_second_try_that_began_anew_goes_on_so(opened) -> None:
    """`3-retried` is of the version that did not yet go on from where the first try broke off: ann looks, her model
    refuses, she looks again, and waits to mail."""
    sent: list[str] = []

    @tool
    async def look(room: str) -> str:
        """Look whether a room is free."""
        raise AssertionError("it is looked at already")

    @tool(effect="external")
    async def send_mail(to: str) -> str:
        """Send a mail."""
        sent.append(to)
        return f"sent to {to}"

    ann = Agent(name="ann", description="Books", prompt="You are ann.", tools=[look, send_mail])
    team = Team(name="bureau", kind="planner", description="x", agents=[ann])
    async with ScriptedServer(say("보냈습니다.")) as server:
        dure = await opened(server, teams=[team], tool_dialect="native")
        run_id = await put(dure.database, stored("3-retried"))
        (asked,) = await dure.runs.approvals(OWNER, run_id)
        await dure.runs.decide(OWNER, run_id, [{"approval_id": asked["id"], "action": "approve"}])
        answer = await dure.runs.answer(OWNER, run_id)
    assert (answer.status, answer.response, sent) == ("completed", "보냈습니다.", ["kim"])
