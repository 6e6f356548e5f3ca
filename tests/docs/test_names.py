"""What the documents name in passing is there: files, settings, modules, commands, options, keys of teams."""

import importlib
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import typer
from fixtures.reader.blocks import ROOT, pages, text_of
from typer.testing import CliRunner

from dure import Dure
from dure.agents import Agent
from dure.cli.main import app
from dure.knowledge.parse.kinds import KINDS as KINDS_OF_FILES
from dure.pack import chosen
from dure.settings import _OTHERS, Settings
from dure.teams import KINDS, Team

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(
    r"(?<![\w./-])(?:(?:src|tests|benchmarks|docs|examples|migrations)/[\w./-]*\w/?|\w+\.(?:py|js|css|toml))"
)
_NOT_OURS = {"dure.toml", "--jinja", "--token", "--enable-tokenizer-info-endpoint"}
"""Files of the user's, options of other programs."""
FILES_LISTED = ["README.md", "README.ko.md"] + [
    f"docs/{room}{name}.md" for room in ("", "ko/") for name in ("documents", "first-steps")
]
BENCHMARKS = [path for path in sorted(ROOT.glob("benchmarks/*.py")) if "_" not in path.stem]


def codes(page: str) -> list[str]:
    """Code within the prose of a page."""
    return re.findall(r"`([^`\n]+)`", _FENCED.sub("", text_of(page)))


@pytest.mark.parametrize("page", pages())
def test_files(page: str) -> None:
    places = {place for code in codes(page) for place in _PLACE.findall(code) if _PLACE.fullmatch(code.split()[-1])}
    tree = [ROOT, ROOT / "benchmarks", *(path for path in ROOT.glob("src/**/*") if path.is_dir())]
    assert {each for each in places - _NOT_OURS if not any((folder / each).exists() for folder in tree)} == set()


@pytest.mark.parametrize("page", pages())
def test_settings(page: str) -> None:
    known = {f"DURE_{name.upper()}" for name in Settings.model_fields} | _OTHERS
    assert set(re.findall(r"DURE_[A-Z_]+", text_of(page).replace("DURE_TEST_", ""))) <= known


@pytest.mark.parametrize("page", pages())
def test_modules(page: str) -> None:
    """`dure.room.name`, of a module or of a `Dure`; not the names of events."""
    text = re.sub(r"`CUSTOM` `dure\.\w+`", "", text_of(page))
    for name in re.findall(r"`(dure(?:\.\w+)+)`", text):
        if name not in _NOT_OURS:
            assert found(name.split(".")), name


def found(parts: list[str]) -> bool:
    for end in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        if end == 1 and len(parts) == 2:
            return hasattr(thing, parts[1]) or hasattr(Dure, parts[1]) or parts[1] == "dure"
        for part in parts[end:]:
            thing = getattr(thing, part, None)
        return thing is not None
    return False


@pytest.mark.parametrize("page", pages())
def test_commands(page: str) -> None:
    for code in codes(page):
        program, *words = code.split()
        if program == "dure":
            chain = [word for word in words if re.fullmatch("[a-z]+", word)]
            options = {word for word in words if word.startswith("--")}
            assert options <= set(re.findall(r"--[\w-]+", help_of(*chain))), code


@pytest.fixture(scope="module")
def options() -> set[str]:
    """Those of all commands, and of the benchmarks."""

    def of(command: Any) -> Iterator[str]:
        loaded = command.loaded() if hasattr(command, "loaded") else command
        yield from (name for parameter in loaded.params for name in parameter.opts)
        for each in getattr(loaded, "commands", {}).values():
            yield from of(each)

    commands = typer.main.get_group(app)
    commands.list_commands(typer.Context(commands))
    texts = (path.read_text("utf-8") for path in BENCHMARKS)
    return {*of(commands), *(name for text in texts for name in re.findall(r'"(--[\w-]+)"', text))}


@pytest.mark.parametrize("page", pages())
def test_options(page: str, options: set[str]) -> None:
    """Those that stand alone."""
    assert {code.split()[0] for code in codes(page) if code.startswith("--")} <= options | _NOT_OURS


def help_of(*chain: str) -> str:
    ended = CliRunner().invoke(app, [*chain, "--help"], env={"COLUMNS": "300"})
    assert ended.exit_code == 0, ended.output
    return ended.output


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
def test_every_benchmark_is_listed(page: str) -> None:
    listed = set(re.findall(r"`(\w+\.py)`", text_of(page)))
    assert listed == {path.name for path in BENCHMARKS} - {"screenshots.py"}


def test_keys_of_teams_and_agents() -> None:
    """Each is told, with the names that it can have."""
    teams, agents = text_of("docs/teams.md").partition("## Keys of a team")[2].partition("## Keys of an agent")[::2]
    methods = agents.partition("| `method` | how an agent with it works |")[2]
    assert rows(teams) == set(Team.model_fields)
    assert rows(agents.partition("## How a supervisor works")[0]) == set(Agent.model_fields)
    assert rows(methods.partition("## A kind")[0]) == {"loop", "general"} | {n for p in chosen(()) for n in p.methods}
    said = dict(re.findall(r"^\| `(kind|short)` \| (.*) \|$", text_of("docs/teams.md"), re.MULTILINE))
    assert set(re.findall(r"`(\w+)`:", said["kind"])) <= set(KINDS)
    assert set(re.findall(r"`(\w+)`", said["short"])) == {name for pack in chosen(()) for name in pack.short_ways}


def rows(text: str) -> set[str]:
    """Names in the first column of tables."""
    return set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))


def test_defaults_of_the_settings() -> None:
    """As the README tells them, where it tells a value."""
    cells = re.findall(r"^\| (`DURE_.*?) \| (.*?) \|", text_of("README.md"), re.MULTILINE)
    assert len(cells) > 15
    for names, told in cells:
        for name, value in zip(re.findall(r"`DURE_(\w+)`", names), re.findall(r"`(.*?)`", told), strict=False):
            assert str(Settings.model_fields[name.lower()].default).lower().removesuffix(".0") == value, name


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
async def test_teams(page: str, opened: Callable[..., Awaitable[Dure]]) -> None:
    teams = (await opened()).teams
    told = {
        name: set(re.findall(r"`(\w+)`", who))
        for name, who in re.findall(r"^\| `([a-z]+)` \| (.*?) \|", text_of(page), re.MULTILINE)
    }
    assert told.pop("assistant") == set()
    assert told == {name: {a.name for a in team.agents} for name, team in teams.items() if name != "assistant"}


@pytest.mark.parametrize("page", FILES_LISTED)
def test_kinds_of_files(page: str) -> None:
    labels = {each.label for each in KINDS_OF_FILES.values()} - {"TXT"}
    assert {label for label in labels if label not in text_of(page)} == set()
