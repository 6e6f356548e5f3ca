"""Team files: the same team from TOML and YAML; what is wrong is named by file, line and key."""

from pathlib import Path

import pytest

from dure import Dure
from dure.errors import TeamFileError
from dure.teams import all_teams
from dure.teams.files import load_team, load_teams

GOOD_TOML = """\
name = "help"
kind = "solo"
description = "도우미"

[[agents]]
name = "helper"
description = "Helps"
prompt = '''
Be kind.
'''
tools = ["calculate", "mcp:git"]
"""
GOOD_YAML = """\
name: help
kind: solo
description: 도우미
agents:
  - name: helper
    description: Helps
    prompt: |
      Be kind.
    tools: [calculate, "mcp:git"]
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    assert load_team(write(tmp_path, "a.toml", GOOD_TOML)) == load_team(write(tmp_path, "a.yaml", GOOD_YAML))


@pytest.mark.parametrize(
    ("name", "text", "line", "key"),
    [
        ("a.toml", GOOD_TOML.replace('kind = "solo"', 'kind = "duo"'), 2, "kind"),
        ("a.toml", GOOD_TOML.replace('name = "helper"', 'name = "도우미"'), 6, "agents[0].name"),
        ("a.toml", GOOD_TOML.replace('description = "Helps"\n', ""), 5, "agents[0].description"),
        ("a.toml", GOOD_TOML + 'colour = "red"\n', 12, "agents[0].colour"),
        ("a.toml", GOOD_TOML + "max_iterations = 0\n", 12, "agents[0].max_iterations"),
        ("a.toml", 'name = "help\n', 1, "-"),
        ("a.toml", "", 1, "name"),
        ("a.yaml", GOOD_YAML.replace("kind: solo", "kind: duo"), 2, "kind"),
        ("a.yaml", GOOD_YAML.replace("name: helper", "name: ../x"), 5, "agents[0].name"),
        ("a.yaml", GOOD_YAML.replace("[calculate", "[3, calculate"), 9, "agents[0].tools[0]"),
        ("a.yaml", "name: [\n", 2, "-"),
        ("a.yaml", "- 1\n", 1, "-"),
        ("a.yaml", "a: &a [*a]\n", 1, "-"),
        ("a.yaml", "name: help\na: " + "[" * 8000 + "]" * 8000, 2, "-"),
        ("a.toml", "a = " + "[" * 8000 + "]" * 8000, 1, "-"),
        ("a.yaml", "", 1, "-"),
        ("a.yaml", GOOD_YAML + "  - name: helper\n    description: again\n", 4, "agents"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, line: int, key: str) -> None:
    with pytest.raises(TeamFileError) as caught:
        load_team(write(tmp_path, name, text))
    details = caught.value.details
    assert details["file"].endswith(name)
    assert (details["line"], details["key"]) == (line, key)
    assert details["reason"]


@pytest.mark.parametrize(("key", "said"), [("exampels", "'examples'"), ("Tools", "'tools'"), ("zz", "no such key")])
def test_a_key_that_is_none_leads_to_the_one_that_may_be_meant(tmp_path: Path, key: str, said: str) -> None:
    with pytest.raises(TeamFileError, match=said) as caught:
        load_team(write(tmp_path, "a.toml", f"\ufeff{GOOD_TOML}{key} = []\n"))
    assert caught.value.message("ko") != caught.value.message("en")


@pytest.mark.parametrize("kind", ["supervisor", "planner", "router"])
def test_a_result_is_a_solo_teams(tmp_path: Path, kind: str) -> None:
    text = GOOD_TOML.replace('kind = "solo"', f'kind = "{kind}"\nresult = {{type = "object"}}')
    with pytest.raises(TeamFileError, match="a result belongs to a solo team"):
        load_team(write(tmp_path, "a.toml", text))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xff\xfe\x00name")
    with pytest.raises(TeamFileError):
        load_team(path)


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    with pytest.raises(TeamFileError):
        load_team(write(tmp_path, "a.yaml", "name: !!python/object/apply:os.system ['true']\n"))


def test_a_folder_of_teams_comes_before_the_built_in_ones(tmp_path: Path) -> None:
    write(tmp_path, "own.toml", GOOD_TOML.replace('"help"', '"assistant"'))
    write(tmp_path, "notes.txt", "not a team")
    teams = all_teams(tmp_path)
    assert teams["assistant"].description == "도우미"
    assert teams["workplace"].kind == "supervisor"


def test_two_files_with_one_name(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", GOOD_TOML)
    write(tmp_path, "b.yaml", GOOD_YAML)
    with pytest.raises(TeamFileError) as caught:
        load_teams(tmp_path)
    assert caught.value.details["file"].endswith("b.yaml")


def test_the_built_in_teams_are_sound() -> None:
    teams = Dure().teams
    assert [a.name for a in teams["workplace"].agents] == ["rag_agent", "external_agent", "internal_agent", "file"]
    assert teams["assistant"].kind == "solo"


def test_a_team_that_takes_the_place_of_another_takes_none_of_what_others_add_to_that(tmp_path: Path) -> None:
    base, packs, own = folders = [tmp_path / name for name in ("base", "packs", "own")]
    for each in folders:
        each.mkdir()
    agent = '[[agents]]\nname = "{0}"\ndescription = "d"\n'
    begin = 'name = "desk"\nkind = "supervisor"\ndescription = "d"\n'
    pipeline = '[[pipelines]]\nagents = ["first", "{0}"]\nexamples = ["둘 다"]\n'
    write(base, "desk.toml", begin + agent.format("first"))
    added = 'extends = "desk"\n' + pipeline.format("second") + agent.format("second")
    write(packs, "more.toml", added)
    (whole,) = load_teams(base, packs)
    assert [each.name for each in whole.agents] == ["first", "second"]
    write(own, "desk.toml", begin + agent.format("mine"))
    (mine,) = load_teams(base, packs, own)
    assert ([each.name for each in mine.agents], mine.pipelines) == (["mine"], [])
    write(own, "z.toml", 'extends = "desk"\n' + agent.format("third"))
    (mine,) = load_teams(base, packs, own)
    assert [each.name for each in mine.agents] == ["mine", "third"]
