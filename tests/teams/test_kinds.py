"""Kinds of team that are not ours: known by name, checked, played, asked about, gone on with."""

from pathlib import Path

import pytest

from dure import Agent, Team, tool
from dure.errors import InvalidInput, TeamFileError
from dure.events import AgentFinished, AgentStarted
from dure.teams import KINDS, Kind, Outcome, RunContext, give
from dure.teams.files import load_team
from dure.testing import ScriptedServer, call, say

FILE = 'name = "own"\nkind = "{kind}"\ndescription = "-"\nagents = [{{name = "a", description = "-"}}]\n'


async def in_turn(team: Team, run: RunContext) -> Outcome:
    outcome = Outcome("stopped", "")
    for agent in team.agents:
        outcome = await give(run, agent, f"{run.message} {outcome.answer}".strip(), speaks=agent is team.agents[-1])
        if outcome.status != "completed":
            break
    return outcome


def of_two(team: Team) -> None:
    if len(team.agents) != 2:
        raise ValueError("a relay needs two agents")


@pytest.fixture(autouse=True)
def _relay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS._known, "relay", Kind(in_turn, check=of_two))


def relay(**first) -> Team:
    agents = [Agent(name="one", description="-", **first), Agent(name="two", description="-")]
    return Team(name="relay", kind="relay", description="-", agents=agents)


async def test_agents_are_reported_and_the_last_one_is_heard(opened):
    async with ScriptedServer(say("초안"), say("끝")) as server:
        dure = await opened(server, teams=[relay()])
        events = [event async for event in dure.stream("써줘", team="relay")]
        started = [(e.work_id, e.agent, e.task) for e in events if isinstance(e, AgentStarted)]
        ended = [(e.work_id, e.status) for e in events if isinstance(e, AgentFinished)]
        assert started == [("w1", "one", "써줘"), ("w2", "two", "써줘 초안")]
        assert ended == [("w1", "completed"), ("w2", "completed")]
        assert events[-1].response == "끝"


async def test_a_run_of_it_waits_and_goes_on(opened):
    sent = []

    @tool(effect="write")
    def send(text: str) -> str:
        """Sends a text."""
        sent.append(text)
        return "sent"

    async with ScriptedServer(call("send", text="hi"), say("보냈음"), say("끝")) as server:
        dure = await opened(server, teams=[relay(tools=[send])])
        waiting = await dure.chat("보내줘", team="relay")
        assert (waiting.status, sent) == ("waiting", [])
        run_id = waiting.metadata["run_id"]
        decision = {"approval_id": waiting.approvals[0]["id"], "action": "approve"}
        await dure.runs.decide("default", run_id, [decision])
        answer = await dure.runs.answer("default", run_id)
        assert (answer.response, sent, len(server.requests)) == ("끝", ["hi"], 3)


async def test_who_works_cannot_be_asked_where_nobody_is_chosen(opened):
    dure = await opened(teams=[relay()])
    with pytest.raises(InvalidInput, match="relay"):
        await dure.route("안녕", "relay")


@pytest.mark.parametrize(
    ("kind", "line", "key", "reason"),
    [("relay", 1, "-", "a relay needs two agents"), ("duo", 2, "kind", "solo, supervisor, planner, router, relay")],
)
def test_a_wrong_team_file_is_named(tmp_path: Path, kind, line, key, reason):
    file = tmp_path / "own.toml"
    file.write_text(FILE.format(kind=kind))
    with pytest.raises(TeamFileError) as caught:
        load_team(file)
    assert (caught.value.details["line"], caught.value.details["key"]) == (line, key)
    assert reason in caught.value.message("en")


async def test_a_team_of_a_kind_that_nobody_brings_is_refused(opened):
    team = Team(name="t", kind="duo", description="-", agents=[Agent(name="a", description="-")])
    with pytest.raises(InvalidInput, match="solo, supervisor"):
        await opened(teams=[team])
