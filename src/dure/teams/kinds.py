"""The kinds of team that come with Dure. Most commands let no team play, so how they play is loaded when the first one
does."""

from collections.abc import Callable

from dure.registry import late
from dure.teams.definition import Kind, Team, alone


def _one_agent(team: Team) -> None:
    alone(team)
    if len(team.agents) != 1:
        raise ValueError("a solo team has exactly one agent")


def _nobody_is_the_person(team: Team) -> None:
    alone(team)
    if any(a.name == "hitl" for a in team.agents):
        raise ValueError("'hitl' is the person: no agent can have that name")


def _can_route(team: Team) -> None:
    names = [a.name for a in team.agents]
    for agent in team.agents:
        if agent.fallback is not None and (agent.fallback not in names or agent.fallback == agent.name):
            raise ValueError(f"'{agent.name}': its fallback has to be another agent of the team")


def _routing(module: str, check: Callable[[Team], None], deciding: str = "") -> Kind:
    """A kind whose teams are routed by their examples, which are learnt ahead."""
    play, decide = late(f"dure.teams.{module}:play"), late(f"dure.teams.{deciding or module}:decide")
    return Kind(play, decide, check, late("dure.teams.who.learning:prepare"))


SOLO = Kind(late("dure.teams.solo:play"), late("dure.teams.solo:decide"), _one_agent)
SUPERVISOR = _routing("supervisor", alone)
PLANNER = _routing("planner", _nobody_is_the_person)
ROUTER = _routing("router", _can_route, "who.choosing")
