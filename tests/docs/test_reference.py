"""The reference of docs/python.md is that of the code: what is called, with which arguments, and what comes back."""

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
from fixtures.reader.blocks import text_of

from dure import Answer, Dure, events
from dure.knowledge.base import Knowledge
from dure.runs import How, Runs
from dure.runs.active import ActiveRun
from dure.runs.sessions import Sessions

TEXT = text_of("docs/python.md").partition("## Reference")[2]
PARTS: dict[str, type] = {"dure": Dure, "dure.runs": Runs, "dure.runs.sessions": Sessions, "dure.knowledge": Knowledge}
CALLS = re.findall(r"^\| `([\w.]+)\.(\w+)\((.*?)\)` \|", TEXT, re.MULTILINE)


def section(name: str) -> str:
    return TEXT.partition(f"### {name}\n")[2].partition("\n### ")[0]


def first_cells(text: str) -> list[str]:
    return [name for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)]


def arguments(called: Callable[..., Any]) -> list[str]:
    """As the page writes them: those that may be left out with `=`."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    _, *taken = inspect.signature(called).parameters.values()
    return [f"{stars.get(p.kind, '')}{p.name}{'' if p.default is p.empty else '='}" for p in taken]


@pytest.mark.parametrize(("part", "name", "told"), CALLS, ids=[f"{part}.{name}" for part, name, _ in CALLS])
def test_calls_have_their_arguments(part: str, name: str, told: str) -> None:
    assert told == ", ".join(arguments(getattr(PARTS[part], name)))


def test_all_of_a_dure_is_told() -> None:
    public = {name for name, each in vars(Dure).items() if not name.startswith("_")}
    named = {name for part, name, _ in CALLS if part == "dure"}
    assert named | {name for name in re.findall(r"`dure\.(\w+)`", TEXT) if name in vars(Dure)} == public
    assert {part for part, _, _ in CALLS} == {*PARTS}


def test_what_a_question_takes() -> None:
    assert set(first_cells(section("What a question takes"))) == {*How.__annotations__, "owner"}


def test_what_an_answer_has() -> None:
    fields, _, metadata = section("An answer").partition("| key | |")
    shown = {name for name, each in vars(Answer).items() if isinstance(each, property)}
    wanted = {each.name for each in dataclasses.fields(Answer)} | shown
    assert set(re.findall(r"`(\w+)`", fields)) == wanted
    made = set(re.findall(r'"(\w+)"', inspect.getsource(ActiveRun._finished))) - {"name"}
    assert set(first_cells(metadata)) == made | {"reason", "checks"}


def test_events_have_their_fields() -> None:
    rows = re.findall(r"^\| `(\w+)` \(`(\w+)`\) \| (.*) \|$", section("Events"), re.MULTILINE)
    told = {(name, kind): re.findall(r"`(\w+)`", fields) for name, kind, fields in rows}
    known = {kind: each for kind, each in events._KINDS.items() if kind}
    assert told == {(e.__name__, kind): [f.name for f in dataclasses.fields(e)] for kind, e in known.items()}
