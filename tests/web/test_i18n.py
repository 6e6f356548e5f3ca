"""Every word of the page's own stands in both languages, and nowhere else."""

import json
import re
from pathlib import Path

import pytest

from dure.errors import OverBudget
from dure.events import Routed, RunResumed

STATIC = Path(__file__).parents[2] / "src/dure/web/static"
SCRIPTS = [path for path in sorted((STATIC / "js").rglob("*.js")) if path.name not in ("preact.js", "temml.js")]
WORDS = {name: json.loads((STATIC / f"i18n/{name}.json").read_text()) for name in ("ko", "en")}
HANGUL = re.compile("[가-힣]")
# `t("a.b")`, and keys that are handed on as text.
KEYS = re.compile(r'"([a-z]+(?:\.[a-z_]+)+)"|\bt(?:Or)?\("([a-z]+)"')
MADE = re.compile(r"`([a-z]+(?:\.[a-z]+)*)\.\$\{")
# Elements with their classes, have the shape of keys.
_NO_KEYS = re.compile(
    r"^(a|article|aside|blockquote|button|details|dialog|div|dl|dure|figure|footer|h1|header|img|input|label|li|main)\."
    r"|^(ol|p|section|small|span|textarea|ul)\.|^form\.(form|search)$|^nav\.side$"
)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def used() -> tuple[set[str], set[str]]:
    """The keys that scripts name, and the beginnings of those that they make."""
    found, made = set(), {"level.", "format."}
    for path in SCRIPTS:
        text = path.read_text()
        found |= {a or b for a, b in KEYS.findall(text) if not _NO_KEYS.search(a or b)}
        made |= {f"{each}." for each in MADE.findall(text)}
    return found, made


def test_both_languages_have_the_same_words() -> None:
    assert WORDS["ko"].keys() == WORDS["en"].keys()
    for key, text in WORDS["ko"].items():
        assert text.strip(), key
        assert WORDS["en"][key].strip(), key
        names = [sorted(re.findall(r"\{(\w+)\}", words[key])) for words in WORDS.values()]
        assert names[0] == names[1], key


def test_korean_is_korean_and_english_is_not() -> None:
    assert [k for k, text in WORDS["en"].items() if HANGUL.search(text) and k != "language.other"] == []
    same = [k for k in WORDS["ko"] if not HANGUL.search(WORDS["ko"][k]) and WORDS["ko"][k] == WORDS["en"][k]]
    assert same == ["format.json"]


def test_every_word_that_is_used_is_there_and_no_other() -> None:
    found, made = used()
    assert found - WORDS["ko"].keys() == set()
    assert [k for k in WORDS["ko"] if k not in found and not k.startswith(tuple(made))] == []


def test_why_a_run_stopped_has_words() -> None:
    """The codes stand in the sources of agents and teams, where the turn of an agent or a supervisor ends; a run over
    its budget stops with the error's."""
    sources = [path.read_text() for room in ("agents", "teams") for path in (STATIC.parents[1] / room).rglob("*.py")]
    lines = [line.partition("_stop(state, update, ")[2] for text in sources for line in text.splitlines()]
    supervisor = (STATIC.parents[1] / "teams/supervisor.py").read_text()
    lines += re.findall(r'(?:_stop\(crew, |return |else )("\w+")\)?$', supervisor, re.MULTILINE)
    codes = {f"reason.{code}" for line in lines for code in re.findall(r'"(\w+)"', line)}
    codes |= {
        f"reason.{code}" for text in sources for code in re.findall(r'Outcome\("stopped", \w+, "(\w+)"[,)]', text)
    }
    codes.add(f"reason.{OverBudget.code}")
    assert {key for key in WORDS["ko"] if key.startswith("reason.")} == codes


def test_what_a_model_is_asked_for_has_words() -> None:
    """The purposes stand in the sources, first in what asks a model or behind `purpose`."""
    asks = re.compile(
        r'(?:ask|fill_in|mended)\(\s*(?:(?:run|turn), )?"(\w+)"|\bpurpose: str = "(\w+)"|\bpurpose="(\w+)"'
    )
    found = [each for path in STATIC.parents[1].rglob("*.py") for each in asks.findall(path.read_text())]
    purposes = {f"purpose.{name}" for each in found for name in each if name}
    assert {key for key in WORDS["ko"] if key.startswith("purpose.")} == purposes


async def test_tools_and_what_they_are_given_have_names(opened) -> None:
    dure = await opened(None, model_base_url="http://127.0.0.1:9/v1")
    assert "add_term" in dure.tools
    for name, each in dure.tools.items():
        wanted = [f"tool.{name}", *(f"field.{field}" for field in each.parameters.get("properties", {}))]
        assert [key for key in wanted if key not in WORDS["ko"]] == []


def test_how_somebody_was_chosen_has_words() -> None:
    """The codes stand in the document of `Routed`, in sentences ("then"), and in what makes the choice."""
    assert Routed.__doc__ is not None
    chosen = "\n".join(path.read_text() for path in (STATIC.parents[1] / "teams/who").glob("*.py"))
    keys = {key.removeprefix("routed.") for key in WORDS["ko"] if key.startswith("routed.")}
    listed = Routed.__doc__.partition("`how`:")[2].partition("`request`")[0]
    assert keys == {code for code in re.findall(r"`(\w+)`", listed) if f'"{code}"' in chosen}


def test_going_on_has_words_for_every_reason() -> None:
    """Why a run goes on: the codes stand in the document of `RunResumed`."""
    assert RunResumed.__doc__ is not None
    codes = {f"resumed.{code}" for code in re.findall(r"\((\w+)\)", RunResumed.__doc__) if code != "why"}
    assert {key for key in WORDS["ko"] if key.startswith("resumed.")} == codes


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_views_hold_no_words(path: Path) -> None:
    """No Hangul and no English sentence stands in a script outside its comments."""
    code = re.sub(r"^\s*(//|\*|/\*\*).*$", "", path.read_text(), flags=re.MULTILINE)
    code = re.sub(r"^import .*$|^\} from .*$", "", code, flags=re.MULTILINE)
    for found in _STRING.finditer(code):
        text = re.sub(r"\$\{[^}]*\}", "", found[1] or found[2] or "")
        assert not HANGUL.search(text), text
        # A capital letter and a second word make a sentence; names of headers and keys have no spaces.
        assert not re.match(r"[A-Z][a-z]+ [a-z]", text), text
