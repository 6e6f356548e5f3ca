"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win."""

import asyncio
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from dure.agents import Outcome, RunContext
from dure.errors import InvalidInput, Text
from dure.events import Routed
from dure.teams.definition import Team
from dure.teams.files import load_teams

DEFAULT_TEAM = "workplace"
_kinds: dict[str, ModuleType] = {}


@cache
def _builtin() -> tuple[Team, ...]:
    return tuple(load_teams(Path(__file__).parent / "builtin"))


def all_teams(folder: Path | None = None, given: Iterable[Team] = ()) -> dict[str, Team]:
    """All teams by name. Raises TeamFileError for a wrong file in `folder`."""
    own = load_teams(folder) if folder else []
    return {team.name: team for team in (*_builtin(), *own, *given)}


async def play(team: Team, context: RunContext) -> Outcome:
    """Let a team answer the message of `context`. Model failures are an outcome, not an exception."""
    outcome: Outcome = await (await _kind(team)).play(team, context)
    return outcome


async def _kind(team: Team) -> ModuleType:
    """How teams of its kind work: `solo`, `supervisor`, `planner` or `router`. Loaded when first wanted, since most
    commands let no team play, and in a thread, since it takes a tenth of a second."""
    if team.kind not in _kinds:
        _kinds[team.kind] = await asyncio.to_thread(import_module, f"dure.teams.{team.kind}")
    return _kinds[team.kind]


async def route(team: Team, context: RunContext) -> Routed:
    """Who would work on the message of `context`, without letting anybody. Raises InvalidInput for a team that does
    not route, and the model's errors."""
    if team.kind == "solo":
        return Routed([team.agents[0].name], "rule")
    if team.kind in ("supervisor", "router"):
        routed: Routed = await (await _kind(team)).decide(team, context)
        return routed
    raise InvalidInput(
        reason=Text(
            f"team '{team.name}' makes a plan and does not route",
            ko=f"'{team.name}' 팀은 계획을 세우며, 담당을 고르지 않습니다",
        ),
        key="team",
    )
