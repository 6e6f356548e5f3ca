"""docs/experiments.md is true: its cases are cases, its settings are settings, its commands are commands."""

import re
import shlex
import tomllib
from pathlib import Path

import typer.main

from dure.cli.main import app
from dure.evaluation import read_cases
from dure.settings import Settings

TEXT = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text("utf-8")


def test_the_cases_are_cases(tmp_path: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "set.jsonl").write_text(block, encoding="utf-8")
    assert len(read_cases(tmp_path / "set.jsonl")) == 4


def test_the_settings_are_settings() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    settings = Settings(**tomllib.loads(block))
    assert settings.prices["gpt-5*"] == (1.25, 10.0)
    (value,) = re.findall(r"DURE_PRICES='(.*?)'", TEXT)
    assert Settings(prices=value).prices["gpt-5*"] == (1.25, 10.0)


def test_the_commands_are_commands() -> None:
    lines = [
        line.split("#")[0] for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()
    ]
    commands = [shlex.split(re.sub(r"[\[\]]", "", line)) for line in lines if line.startswith("dure ")]
    assert len(commands) > 6
    for words in commands:
        command = typer.main.get_command(app)
        rest = words[1:]
        while rest and hasattr(command, "commands"):
            command = command.commands[rest.pop(0)]
        known = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in rest if word.startswith("-")} <= known, words
