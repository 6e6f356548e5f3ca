"""The folder of one's own teams, written to: one file a team, checked with all others before it counts."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from dure.errors import InvalidInput, TeamFileError, phrase
from dure.teams.definition import Team
from dure.teams.files import load_team


class TeamFiles:
    """load: all teams with those of a folder; None: without."""

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
        if not dry:
            self.folder.mkdir(parents=True, exist_ok=True)
            fresh = self.folder / f"{path.name}.new"
            fresh.write_text(text, "utf-8")
            fresh.replace(self.folder / path.name)
            if not text:
                (self.folder / path.name).unlink()
        return found
