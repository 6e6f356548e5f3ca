"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win. And a
team as data that is kept with its runs, so that they go on under the definition they began with."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dure.errors import InvalidInput, UnknownTeam, phrase
from dure.messages import canonical
from dure.models import Embedder
from dure.teams.definition import KINDS, Team, fault_of
from dure.teams.files import load_teams
from dure.toolsets import listed

DEFAULT_TEAM = "workplace"
_OURS = Path(__file__).parent / "builtin"


def all_teams(folder: Path | None = None, given: Iterable[Team] = (), packs: Sequence[Path] = ()) -> dict[str, Team]:
    """All teams by name: ours, those of the packs' folders, those of the user's, those given in Python; later ones
    win. Raises TeamFileError for a wrong file, InvalidInput for a wrong team and for two given ones of one name."""
    teams = {team.name: team for team in load_teams(_OURS, *packs, *([folder] if folder else []))}
    own: dict[str, Team] = {}
    for team in given:
        if team.name in own:
            raise InvalidInput(reason=phrase("teams_registry.twice", team=team.name), key="teams")
        if (fault := fault_of(team)) is not None:
            raise InvalidInput(reason=f"team '{team.name}': {fault[1]}", key="teams")
        own[team.name] = team
    return teams | own


def team_named(teams: Mapping[str, Team], name: str) -> Team:
    """Raises UnknownTeam."""
    if name not in teams:
        raise UnknownTeam(team=name[:80], known=", ".join(teams))
    return teams[name]


async def prepare(teams: Iterable[Team], embedder: Embedder | None) -> None:
    """Do ahead of the first question what takes long."""
    for team in teams:
        if (ahead := KINDS[team.kind].prepare) is not None:
            await ahead(team, embedder)


def data_of(team: Team) -> tuple[str, dict[str, Any]]:
    """The hash of a team, and the team as JSON-like values; tools that were given as objects by their names."""
    data = team.model_dump(mode="json", exclude_defaults=True, exclude={"agents": {"__all__": {"tools"}}})
    for kept, agent in zip(data["agents"], team.agents, strict=True):
        kept["tools"] = [name for t in agent.tools for name in ([t] if isinstance(t, str) else listed(t))]
    return hashlib.sha256(canonical(data)).hexdigest(), data


def team_of(data: dict[str, Any], present: Team | None) -> Team:
    """The team of such values. Tools that were given as objects are those of the agents of `present`, the team of that
    name. Raises ValueError for what is no team."""
    own = {agent.name: agent.own for agent in present.agents} if present else {}
    agents = [{**a, "tools": [own.get(a["name"], {}).get(t, t) for t in a["tools"]]} for a in data["agents"]]
    return Team.model_validate({**data, "agents": agents})
