"""The face of a pack: a feature as one vertical room, with everything of it.

    PACK = Pack(name="timesheet", summary=Text("Hours worked", ko="일한 시간"), tools="timesheet.tools:open_timesheet")

A distribution names its pack by an entry point of the group `dure.packs`, ours like anybody's:

    [project.entry-points."dure.packs"]
    timesheet = "timesheet:PACK"

What a pack brings is named by place (`module:attribute`) and imported when it is used, so that a pack costs nothing
until somebody needs it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dure.errors import DureError, SettingsError, Text, phrase
from dure.registry import load

if TYPE_CHECKING:
    from dure.knowledge.base import Knowledge
    from dure.settings import Settings
    from dure.storage import Database
    from dure.texts import Texts
    from dure.toolsets import Toolset

GROUP = "dure.packs"
_REGISTRIES = {
    "dialects": "dure.dialects:DIALECTS",
    "engines": "dure.runs.engine:ENGINES",
    "kinds": "dure.teams:KINDS",
    "methods": "dure.teams.stages:METHODS",
    "subjects": "dure.teams.stages:SUBJECTS",
    "short_ways": "dure.agents.short:SHORT_WAYS",
    "ways": "dure.agents.ways:WAYS",
}
"""What of a pack's parts is made known where."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `dure`: `place` of a function or of a typer app with commands of its own."""

    place: str
    help: Text
    texts: "Texts | None" = None
    """Help of its parameters and of commands within it, by their words (`timesheet add project`) or a parameter's name
    alone; what stands in neither is said by typer, or as Dure's own commands say it (`owner`, `as_json`)."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a pack's toolset is made of. What has to be closed is said to `closing`; it is closed in reverse order."""

    settings: "Settings"
    database: "Database"
    knowledge: "Knowledge"
    packs: "Mapping[str, Toolset]"
    """Toolsets of the packs opened before this one, among them those that it needs."""
    opened: AsyncExitStack

    def closing(self, close: Callable[[], Awaitable[None]]) -> None:
        self.opened.push_async_callback(close)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pack:
    """What a feature adds. Everything but the name is optional."""

    name: str
    summary: Text
    needs: Sequence[str] = ()
    """Other packs, without which this one cannot be on."""
    tools: str = ""
    """Place of `function(parts: Parts) -> Toolset`. Programs find what it gave as `dure.packs[name]`."""
    teams: Path | None = None
    """A folder of team files; one that `extends` another team adds agents to it."""
    tables: str = ""
    """Place of the `Chain` of its tables' migrations, which is kept apart from the core's."""
    routes: str = ""
    """Place of a FastAPI `APIRouter`."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    texts: Path | None = None
    """A folder with `ko.toml` and `en.toml`."""
    doctor: str = ""
    """Place of `async function(dure, owner) -> list[Finding]`."""
    erase: str = ""
    """Place of `async function(dure, owner)`: deletes what it keeps of an owner elsewhere than in its tables."""
    dialects: Mapping[str, str] = field(default_factory=dict)
    """How tools are offered to models: name to place of a `Dialect`."""
    engines: Mapping[str, str] = field(default_factory=dict)
    """How a process works on its runs: name to place of a function that makes an `Engine`."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Kinds of team: name to place of a `Kind`."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Ways for agents of router teams: name to place of a `Method`."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """What router teams are about: name to place of a `Subject`."""
    ways: Mapping[str, str] = field(default_factory=dict)
    """How runs work with their model: name to place of a `Way`."""
    short_ways: Mapping[str, str] = field(default_factory=dict)
    """How agents work with a small model: name to place of a `ShortWay`."""


def beside(file: str, folder: str) -> Path:
    """A folder beside a pack's own `__file__`."""
    return Path(file).parent / folder


def loaded(pack: str, place: str, *given: Any) -> Any:
    """What stands at a place of the pack of that name, or what a function there makes of what is `given`. Raises
    SettingsError, which names the pack, where it cannot be loaded or made."""
    try:
        found = load(place)
        return found(*given) if given else found
    except DureError:
        raise
    except Exception as error:
        reason = phrase("pack.broken", name=pack, place=place, error=f"{type(error).__name__}: {error}")
        raise SettingsError(key="DURE_PACKS", reason=reason) from error


def _places() -> Mapping[str, str]:
    # Not for the packs' child processes: it takes them as long as all the rest.
    from importlib.metadata import entry_points

    return {each.name: each.value for each in entry_points(group=GROUP)}


@cache
def installed(without: frozenset[str] = frozenset()) -> Mapping[str, Pack]:
    """All packs of this environment by name, but those whose entry points are named in `without`: these are not loaded.
    Raises SettingsError for one that cannot be loaded."""
    found = (loaded(name, place) for name, place in _places().items() if name not in without)
    return {pack.name: pack for pack in sorted(found, key=lambda pack: pack.name)}


def chosen(names: Sequence[str]) -> list[Pack]:
    """The packs that are on, each after those that it needs.

    names: as `DURE_PACKS` has them: names of packs; with a `-` before each, all but these; none: all. Raises
    SettingsError for an unknown name, for a pack that needs another which is off, and for one that cannot be loaded.
    """
    without = frozenset(name[1:] for name in names if name.startswith("-"))
    known = installed(without)
    there = sorted({*known, *(name for name in without - known.keys() if name in _places())})
    for name in names:
        if name.removeprefix("-") not in there:
            raise SettingsError(key="DURE_PACKS", reason=phrase("pack.unknown", name=name, known=", ".join(there)))
    wanted = [name for name in names if not name.startswith("-")] or list(known)
    on = [name for name in wanted if name not in without]
    for name in on:
        for needed in known[name].needs:
            if needed not in on:
                raise SettingsError(key="DURE_PACKS", reason=phrase("pack.needs", name=name, needed=needed))
    return [known[name] for name in TopologicalSorter({name: known[name].needs for name in on}).static_order()]


def register(packs: Sequence[Pack]) -> None:
    """Make known by name what the packs bring for teams and settings to choose from."""
    for field_name, place in _REGISTRIES.items():
        for pack in packs:
            for name, value in getattr(pack, field_name).items():
                load(place).add(name, value)
