"""Team files: TOML or YAML with the keys of `Team`. What is wrong is named by file, line and key."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from dure.agents import Agent
from dure.errors import TeamFileError, Text, no_key
from dure.teams.definition import Pipeline, Place, Team, fault_of
from dure.tooling import InvalidTool

_NAMED = Text("the name of a tool is wanted", ko="도구의 이름을 적어야 합니다")
SUFFIXES = (".toml", ".yaml", ".yml")
M = TypeVar("M", bound=BaseModel)


class Extension(BaseModel):
    """What a file that `extends` another team adds to it."""

    model_config = ConfigDict(extra="forbid")

    extends: str
    agents: list[Agent] = []
    pipelines: list[Pipeline] = []
    examples: list[str] = []
    direct: list[str] = []


def load_team(path: Path) -> Team:
    """The team in `path`. Raises TeamFileError."""
    return _Read(path).team()


def load_teams(*folders: Path) -> list[Team]:
    """The teams in the files of all folders: of two of one name in different folders the later one; a file that
    `extends` a team adds to the one before it. Raises TeamFileError for the first that is wrong."""
    found: dict[str, _Read] = {}
    for folder in folders:
        if not folder.is_dir():
            raise _wrong(folder, 1, "DURE_TEAMS_DIR", "no such folder")
        here: set[str] = set()
        parts: list[_Read] = []
        for path in sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES):
            read = _Read(path)
            if "extends" in read.data:
                parts.append(read)
                continue
            name = str(read.data.get("name"))
            if name in here:
                raise _wrong(path, 1, "name", f"another file has a team '{name}' already")
            here.add(name)
            found[name] = read
        for part in parts:
            added = part.checked(Extension)
            if added.extends not in found:
                raise part.wrong(("extends",), f"there is no team '{added.extends}'; there are {', '.join(found)}")
            found[added.extends].add(added)
    # A team of ours without agents: those that it would have are of packs that are off.
    return [read.team() for read in found.values() if "agents" in read.data or read.path.parent not in folders[:1]]


class _Read:
    """A team file, as it stands and as others extend it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise _wrong(path, 1, "-", f"not UTF-8 text ({error.reason})") from None
        except OSError as error:
            raise _wrong(path, 1, "-", error.strerror or "cannot be read") from None
        data, self._lines = _toml(path, text) if path.suffix == ".toml" else _yaml(path, text)
        if not isinstance(data, dict):
            raise _wrong(path, 1, "-", "no keys of a team")
        self.data: dict[str, Any] = {**data}

    def add(self, extension: Extension) -> None:
        for key in ("agents", "pipelines", "examples", "direct"):
            if more := getattr(extension, key):
                self.data[key] = [*self.data.get(key, []), *more]

    def team(self) -> Team:
        team = self.checked(Team)
        fault = fault_of(team)
        if fault is not None:
            raise self.wrong(*fault)
        return team

    def checked(self, model: type[M]) -> M:
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            known = {*model.model_fields, *Agent.model_fields, *Pipeline.model_fields}
            unknown = no_key(first["loc"][-1], known) if first["type"] == "extra_forbidden" else ""
            raise self.wrong(first["loc"], unknown or first["msg"].removeprefix("Value error, ")) from None
        except InvalidTool:
            # Agents may hold tools; a file can only name them.
            agents = [(n, each) for n, each in enumerate(self.data["agents"]) if isinstance(each, dict)]
            given = ((n, k, t) for n, each in agents for k, t in enumerate(each.get("tools", [])))
            n, k = next((n, k) for n, k, each in given if not isinstance(each, str))
            raise self.wrong(("agents", n, "tools", k), _NAMED) from None

    def wrong(self, place: Place, reason: str) -> TeamFileError:
        """At the line of a key, or of what it would stand in."""
        key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place).lstrip(".") or "-"
        while place and place not in self._lines:
            place = place[:-1]
        return _wrong(self.path, self._lines.get(place, 1), key, reason)


def _wrong(path: Path, line: int, key: str, reason: str) -> TeamFileError:
    return TeamFileError(file=str(path), line=line, key=key, reason=reason)


def _yaml(path: Path, text: str) -> tuple[Any, dict[Place, int]]:
    import yaml

    from dure.yamls import BadYaml, read

    try:
        data, root = read(text)
    except BadYaml as error:
        raise _wrong(path, error.line, "-", str(error)) from None
    lines: dict[Place, int] = {}
    waiting: list[tuple[Place, Any]] = [((), root)]
    while waiting:
        place, node = waiting.pop()
        named = [(key.value, key, value) for key, value in node.value] if isinstance(node, yaml.MappingNode) else []
        listed = [(n, item, item) for n, item in enumerate(node.value)] if isinstance(node, yaml.SequenceNode) else []
        for key, begins, value in named + listed:
            lines[*place, key] = begins.start_mark.line + 1
            waiting.append(((*place, key), value))
    return data, lines


@lru_cache(maxsize=32)
def _toml(path: Path, text: str) -> tuple[Any, dict[Place, int]]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise _wrong(path, int(found[1]) if found else text.count("\n") + 1, "-", reason) from None
    except RecursionError:
        raise _wrong(path, 1, "-", "nested too deeply") from None
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
