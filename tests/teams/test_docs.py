"""The examples of docs/teams.md are what they say they are."""

import re
from pathlib import Path

from dure.teams import load_team

DOCS = Path(__file__).parents[2] / "docs" / "teams.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


def test_team_files_load(tmp_path: Path) -> None:
    for suffix in ("toml", "yaml"):
        for number, text in enumerate(blocks(suffix)):
            path = tmp_path / f"team{number}.{suffix}"
            path.write_text(text, encoding="utf-8")
            assert load_team(path).agents


def test_the_python_example_runs() -> None:
    (code,) = blocks("python")
    names: dict = {}
    exec(compile(code, "docs/teams.md", "exec"), names)
    assert "money" in names["dure"].teams
