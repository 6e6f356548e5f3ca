"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from dure.agents import RunContext
from dure.errors import InvalidInput, Text
from dure.events import Routed
from dure.models import Embedder
from dure.teams.definition import KINDS, Team, fault_of
from dure.teams.files import load_teams
from dure.texts import TEXTS

DEFAULT_TEAM = "workplace"
_NO_ROUTE = TEXTS.one("teams_registry.no_route")
_OURS = Path(__file__).parent / "builtin"


def all_teams(folder: Path | None = None, given: Iterable[Team] = (), packs: Sequence[Path] = ()) -> dict[str, Team]:
    """All teams by name: ours, those of the packs' folders, those of the user's, those given in Python; later ones
    win. Raises TeamFileError for a wrong file, InvalidInput for a wrong team."""
    teams = {team.name: team for team in load_teams(_OURS, *packs, *([folder] if folder else []))}
    for team in given:
        if (fault := fault_of(team)) is not None:
            raise InvalidInput(reason=f"team '{team.name}': {fault[1]}", key="teams")
        teams[team.name] = team
    return teams


async def route(team: Team, context: RunContext) -> Routed:
    """Who would work on the message of `context`, without letting anybody. Raises InvalidInput for a team that does
    not route, and the model's errors."""
    decide = KINDS[team.kind].decide
    if decide is None:
        raise InvalidInput(reason=Text(**_NO_ROUTE.filled(team=team.name, kind=team.kind)), key="team")
    return await decide(team, context)


async def prepare(teams: Iterable[Team], embedder: Embedder | None) -> None:
    """Do ahead of the first question what takes long."""
    for team in teams:
        if (ahead := KINDS[team.kind].prepare) is not None:
            await ahead(team, embedder)
