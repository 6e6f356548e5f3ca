"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from dure.errors import InvalidInput
from dure.models import Embedder
from dure.teams.definition import KINDS, Team, fault_of
from dure.teams.files import load_teams

DEFAULT_TEAM = "workplace"
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


async def prepare(teams: Iterable[Team], embedder: Embedder | None) -> None:
    """Do ahead of the first question what takes long."""
    for team in teams:
        if (ahead := KINDS[team.kind].prepare) is not None:
            await ahead(team, embedder)
