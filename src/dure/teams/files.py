"""Team files: TOML or YAML with the keys of `Team`. What is wrong is named by file, line and key."""

import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dure.errors import TeamFileError
from dure.teams.definition import Team

SUFFIXES = (".toml", ".yaml", ".yml")
Place = tuple[str | int, ...]


def load_team(path: Path) -> Team:
    """The team in `path`. Raises TeamFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _wrong(path, 1, "-", f"not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise _wrong(path, 1, "-", error.strerror or "cannot be read") from None
    data, lines = _toml(path, text) if path.suffix == ".toml" else _yaml(path, text)
    try:
        return Team.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # Agents hold names of tools or tool objects; a file can only name them.
        place = tuple(p for p in first["loc"] if p not in ("str", "is-instance[Tool]"))
        reason = first["msg"].removeprefix("Value error, ")
        raise _wrong(path, _line(lines, place), _key(place), reason) from None


def load_teams(folder: Path) -> list[Team]:
    """All team files of a folder. Raises TeamFileError for the first that is wrong, or for a name used twice."""
    if not folder.is_dir():
        raise _wrong(folder, 1, "DURE_TEAMS_DIR", "no such folder")
    teams: dict[str, Team] = {}
    for path in sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES):
        team = load_team(path)
        if team.name in teams:
            raise _wrong(path, 1, "name", f"another file has a team '{team.name}' already")
        teams[team.name] = team
    return list(teams.values())


def _wrong(path: Path, line: int, key: str, reason: str) -> TeamFileError:
    return TeamFileError(file=str(path), line=line, key=key, reason=reason)


def _key(place: Place) -> str:
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place).lstrip(".") or "-"


def _line(lines: dict[Place, int], place: Place) -> int:
    """The line of a key, or of what it would stand in."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _yaml(path: Path, text: str) -> tuple[Any, dict[Place, int]]:
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _wrong(path, mark.line + 1 if mark else 1, "-", error.problem or "not YAML") from None
    except yaml.YAMLError as error:
        raise _wrong(path, 1, "-", f"not YAML: {error}") from None
    lines: dict[Place, int] = {}
    waiting: list[tuple[Place, Any]] = [((), root)] if root is not None else []
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                lines[(*place, key.value)] = key.start_mark.line + 1
                waiting.append(((*place, key.value), value))
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                lines[(*place, index)] = item.start_mark.line + 1
                waiting.append(((*place, index), item))
    return data, lines


def _toml(path: Path, text: str) -> tuple[Any, dict[Place, int]]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise _wrong(path, int(found[1]) if found else text.count("\n") + 1, "-", reason) from None
    # tomllib keeps no places: tables and keys at the start of a line are enough to find them again.
    lines: dict[Place, int] = {}
    table: Place = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?", line)
        if header and header[1] == "[[":
            index = counts[header[2]] = counts.get(header[2], -1) + 1
            table = (header[2], index)
            lines[table] = number
        elif header:
            table = tuple(header[2].split("."))
            lines[table] = number
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            lines.setdefault((*table, key[1]), number)
    return data, lines
