"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from dure.agents import Outcome, RunContext
from dure.errors import InvalidInput
from dure.events import Routed
from dure.teams import planner, router, solo, supervisor
from dure.teams.definition import Team
from dure.teams.files import load_teams

DEFAULT_TEAM = "workplace"
_KINDS = {"solo": solo.play, "supervisor": supervisor.play, "planner": planner.play, "router": router.play}


@cache
def _builtin() -> tuple[Team, ...]:
    return tuple(load_teams(Path(__file__).parent / "builtin"))


def all_teams(folder: Path | None = None, given: Iterable[Team] = ()) -> dict[str, Team]:
    """All teams by name. Raises TeamFileError for a wrong file in `folder`."""
    own = load_teams(folder) if folder else []
    return {team.name: team for team in (*_builtin(), *own, *given)}


async def play(team: Team, context: RunContext) -> Outcome:
    """Let a team answer the message of `context`. Model failures are an outcome, not an exception."""
    return await _KINDS[team.kind](team, context)


async def route(team: Team, context: RunContext) -> Routed:
    """Who would work on the message of `context`, without letting anybody. Raises InvalidInput for a team that does
    not route, and the model's errors."""
    if team.kind == "solo":
        return Routed([team.agents[0].name], "rule")
    if team.kind == "supervisor":
        return await supervisor.decide(team, context)
    if team.kind == "router":
        return await router.decide(team, context)
    raise InvalidInput(reason=f"team '{team.name}' makes a plan and does not route", key="team")
