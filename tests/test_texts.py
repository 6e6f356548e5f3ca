"""The catalogues: every text in both languages, with the same values to fill in, and each of use."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dure
from dure.pack import installed
from dure.texts import TEXTS, Catalogue
from dure.texts.korean import PARTICLE, filled, josa_after

SOURCE = Path(dure.__file__).parent
CATALOGUES = [TEXTS, *(Catalogue(pack.texts) for pack in installed().values() if pack.texts)]


def flat(table: dict[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """(table, key) of each text."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{place}{name}.")
        else:
            yield place.removesuffix("."), name


def names(text: str) -> set[str]:
    """What is filled in."""
    return {field for _, field, _, _ in string.Formatter().parse(text) if field} if "{" in text else set()


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda each: each.folder.parent.name)
def test_both_languages_say_the_same(catalogue: Catalogue) -> None:
    places = set(flat(catalogue._all["en"]))
    assert places == set(flat(catalogue._all["ko"]))
    for table, key in places:
        korean, english = (catalogue.table(language, table)[key] for language in ("ko", "en"))
        assert all(text.strip() for text in (english, korean)), (table, key)
        assert names(korean) <= names(english), (table, key)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda each: each.folder.parent.name)
def test_every_table_is_used(catalogue: Catalogue) -> None:
    used = set()
    for path in catalogue.folder.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    for table, key in flat(catalogue._all["en"]):
        # A sentence of an error stands under its code.
        assert table in used or (table == "errors" and key in used) or f"{table}.{key}" in used, (table, key)


def test_a_text_is_found_by_place_and_language() -> None:
    text = TEXTS["toolsets_execute.text"]
    assert text["hint"]["en"].format(near="search") == " Did you mean 'search'?"
    assert set(text["hint"]) == {"ko", "en"}
    assert "nothing" not in text
    with pytest.raises(KeyError):
        text["nothing"]


@pytest.mark.parametrize(
    ("word", "josa", "expected"),
    [
        *[("하늘", "은(는)", "은"), ("바다", "은(는)", "는"), ("하늘", "(으)로", "로"), ("법", "(으)로", "으로")],
        *[("바다", "(으)로", "로"), ("바다", "과(와)", "와"), ("하늘", "을(를)", "을"), ("3", "이(가)", "이")],
        *[("2", "이(가)", "가"), ("1", "(으)로", "로"), ("Acme", "이(가)", "이(가)"), ("", "이(가)", "이(가)")],
        *[("3,000원(금 삼천원정)", "(으)로", "으로"), ("(주)", "을(를)", "을(를)")],
    ],
)
def test_particles_follow_the_sound(word, josa, expected):
    assert josa_after(word, josa) == expected


def test_a_text_of_a_catalogue_is_formatted_with_its_particles():
    asked = TEXTS["agents_approvals"]["may"]
    assert asked["ko"].format(agent="저장 담당", tool="표", what="일을").startswith("저장 담당이 '표'")
    assert asked["en"].format(agent="A", tool="b", what="c") == asked.filled(agent="A", tool="b", what="c")["en"]


@pytest.mark.parametrize(
    ("text", "count", "said"),
    [
        ("({n:,} row(s), {n})", 1, "(1 row, 1)"),
        ("({n:,} row(s), {n})", 1001, "(1,001 rows, 1001)"),
        ("{n} short row(s)", 0, "0 short rows"),
        ("{n} row(s)", 1.1, "1.1 row(s)"),
        ("the row(s) {n}", 1, "the row(s) 1"),
    ],
)
def test_a_noun_follows_its_number(text: str, count: float, said: str) -> None:
    assert filled(text, {"n": count}) == said


def test_texts_that_no_catalogue_holds_need_no_particle_of_a_value():
    """Of the page, whose script fills them in, and of commands."""
    places = [SOURCE / "web/static/i18n/ko.json", *SOURCE.rglob("cli/**/*.py"), *SOURCE.rglob("commands.py")]
    behind = re.compile(rf"}}['’`*]?{PARTICLE}")
    assert [(each.name, found) for each in places for found in behind.findall(each.read_text("utf-8"))] == []


def test_a_particle_follows_the_value_that_stands_before_it():
    said = TEXTS["agents_approvals"]["may"].filled(agent="저장 담당", tool="표", what={"ko": "일을", "en": "work"})
    assert said["ko"].startswith("저장 담당이 '표'")
    text = "'{name}'은(는) **{other}**을(를), 이(가) {n}(으)로 {{}} {name}이(가)"
    assert filled(text, {"name": "바다", "other": "하늘", "n": 7}) == "'바다'는 **하늘**을, 이(가) 7로 {} 바다가"
    assert filled("{a}을(를) {b}", {"a": "{b}", "b": "땅은(는)"}) == "{b}을(를) 땅은(는)", "values stay as they are"
