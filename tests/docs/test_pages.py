"""Every block of the documents does what it says, whole as it stands there: commands in a shell, programs, files of
settings and teams as they are read, replies beside real ones. Pages in Korean have the blocks of the English ones."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fixtures.reader.blocks import ROOT, Block, blocks, pages
from fixtures.reader.programs import Machine
from fixtures.reader.shell import Shell

from dure.cli.main import COMMANDS
from dure.packs.evaluation.cases import read_cases
from dure.settings import load_settings
from dure.teams.files import Extension, load_team
from dure.toolsets.mcp.config import read_config

PAGES = [page for page in pages() if ".ko." not in page and "/ko/" not in page and blocks(page)]
SHOWN = {"text", "nginx"}
"""What is no file and no command of ours: what a program printed, another program's settings."""


@pytest.mark.parametrize("page", PAGES)
async def test_its_blocks_do_what_they_say(page: str, shell: Shell, machine: Machine) -> None:
    replies, printed = [], ""
    for block in blocks(page):
        try:
            match block.language:
                case "sh":
                    printed = await shell.run(block.text)
                case "python":
                    await machine.run_python(block, shell)
                case "sql":
                    await machine.run_sql(block)
                case "toml" | "yaml":
                    check_file(block, shell.folder)
                case "json" if (value := read_json(block, shell.folder)) is not None:
                    replies.append((block, value))
                case "text" if block.follows:
                    check_printed(block, printed)
                case language:
                    assert language in SHOWN | {"json"}, "nobody knows how this is tried out"
        except BaseException as error:
            error.add_note(f"in the block of {block}:\n{block.text}")
            raise
    for block, sample in replies:
        assert any(fits(sample, reply) for reply in machine.replies), f"{block} is like no reply of the page's commands"
    for refusal in machine.refusals:
        assert any(fits(sample, refusal) for _, sample in replies), refusal


def check_file(block: Block, folder: Path) -> None:
    """A team's file, a part of one, a project's file, or settings. Raises what its reader raises."""
    file = folder / f"block.{block.language}"
    file.write_text(block.text, encoding="utf-8")
    data = tomllib.loads(block.text) if block.language == "toml" else {"agents": ()}
    if "extends" in data:
        Extension.model_validate(data)
    elif "agents" in data:
        assert load_team(file).agents
    elif "project" in data:
        whole = tomllib.loads((ROOT / "examples/pack-timesheet/pyproject.toml").read_text("utf-8"))
        assert data["project"].items() <= whole["project"].items()
    else:
        load_settings(**data)


def read_json(block: Block, folder: Path) -> Any:
    """A reply to be compared; None for a file that was read as it will be: MCP servers, an
    editor's agents, an evaluation's questions."""
    file = folder / "questions.jsonl"
    if block.text.startswith('{"question"'):
        file.write_text(block.text, encoding="utf-8")
        assert len(read_cases(file)) == len(block.text.splitlines())
        return None
    value = json.loads(block.text)
    if "mcpServers" in value:
        assert [each.error for each in read_config(value)] == [None] * len(value["mcpServers"])
        return None
    if "agent_servers" in value:
        for each in value["agent_servers"].values():
            assert set(each) == {"command", "args", "env"}
            assert (Path(each["command"]).name, each["args"]) == ("dure", ["acp"])
            assert "acp" in COMMANDS
        return None
    return value


def check_printed(block: Block, printed: str) -> None:
    """Every line is one that the commands before it printed, but for its numbers and what it leaves out (`…`)."""
    for line in block.text.splitlines():
        # What is said word for word, between numbers and gaps.
        parts = (re.escape(part) for part in re.split(r"(?:\d[\d.,]*|…)+", line))
        assert re.search(f"^{'.*'.join(parts)}$", printed, re.MULTILINE), f"{line!r} is not printed:\n{printed}"


def fits(sample: Any, real: Any) -> bool:
    """Whether every field of the sample is one of the real reply's, in depth; lists by their first entries."""
    if isinstance(sample, dict) and isinstance(real, dict):
        return sample.keys() <= real.keys() and all(fits(value, real[key]) for key, value in sample.items())
    if isinstance(sample, list) and isinstance(real, list):
        return not sample or not real or fits(sample[0], real[0])
    return real is None or sample is None or type(sample) is type(real)
