"""Which teams there are: the built-in ones, those of the user's folder, those given in Python; later ones win. And a
team as data that is kept with its runs, so that they go on under the definition they began with."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dure.errors import InvalidInput, TeamFileError, UnknownTeam, phrase
from dure.messages import canonical
from dure.models import Embedder
from dure.storage.files import write_whole
from dure.teams.definition import KINDS, Team, fault_of
from dure.teams.files import load_team, load_teams
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
    """The team of such values, with `present`'s tools that were given as objects. Raises ValueError for none."""
    own = {agent.name: agent.own for agent in present.agents} if present else {}
    agents = [{**a, "tools": [own.get(a["name"], {}).get(t, t) for t in a["tools"]]} for a in data["agents"]]
    return Team.model_validate({**data, "agents": agents})


class TeamFiles:
    """The folder of one's own teams, written to: one file a team, checked with all others before it counts. load: all
    teams with those of a folder; None: without."""

    def __init__(self, folder: Path, load: Callable[[Path | None], dict[str, Team]]) -> None:
        self.folder = folder
        self.load = load

    def text(self, name: str) -> str:
        """The team's file; "" where it has none here."""
        path = self.folder / f"{name}.toml"
        return path.read_text("utf-8") if path.is_file() else ""

    def put(self, name: str, text: str, *, dry: bool) -> dict[str, Team]:
        """All teams with `text`, TOML, as the file of the team `name`, without that file where it is ""; `dry`: nothing
        is written. `name` is a team's, and so safe in a path. Raises TeamFileError, InvalidInput."""
        with tempfile.TemporaryDirectory() as copied:
            tried = Path(copied, "teams")
            shutil.copytree(self.folder, tried) if self.folder.is_dir() else tried.mkdir()
            path = tried / f"{name}.toml"
            try:
                path.write_text(text, "utf-8") if text else path.unlink(missing_ok=True)
                found = self.load(tried)
                # One that was given in Python stands whatever a file says.
                if text and (load_team(path).name != name or found[name] is self.load(None).get(name)):
                    raise InvalidInput(reason=phrase("teams_written.name", team=name), key="name")
            except TeamFileError as error:
                raise TeamFileError(**error.details | {"file": Path(error.details["file"]).name}) from None
        if not dry and text:
            write_whole(self.folder / path.name, text.encode())
        elif not dry:
            (self.folder / path.name).unlink(missing_ok=True)
        return found
