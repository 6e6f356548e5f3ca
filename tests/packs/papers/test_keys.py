"""Titles, names and identifiers in the forms that are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.papers import keys


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("BERT: Pre-training of Deep", "Bert pretraining OF  deep"),
        ("ﬁne-tuning", "Fine Tuning"),
        ("Ｇｐｔ－３", "GPT-3"),
        ("한국어  BERT!", "한국어 bert"),
        ("Straße", "STRASSE"),
    ],
)
def test_titles_that_are_one(one: str, two: str) -> None:
    assert keys.title_key(one) == keys.title_key(two) != ""


@given(st.text())
def test_a_title_key_is_its_own_key_whatever_the_case(title: str) -> None:
    key = keys.title_key(title)
    assert keys.title_key(key) == key
    assert len(key) <= 300
    assert key.isalnum() or key == ""


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=60))
def test_spaces_and_signs_do_not_matter(title: str) -> None:
    assert keys.title_key(f" {title}!?") == keys.title_key(title)


@given(st.text())
def test_nothing_unusual_breaks_the_readers_of_ids(text: str) -> None:
    assert keys.arxiv_id(text) == "" or "." in text or "/" in text
    for found in (keys.doi(text), keys.acl_id(text), keys.reference_key(text), keys.person(text), keys.one_line(text)):
        assert "\n" not in found
    keys.ids_in(text)


@pytest.mark.parametrize(
    ("given", "id"),
    [
        ("1706.03762", "1706.03762"),
        ("arXiv:1706.03762v5", "1706.03762"),
        ("https://arxiv.org/abs/1706.03762v2", "1706.03762"),
        ("https://arxiv.org/pdf/cs/0112017v1.pdf", "cs/0112017"),
        ("math.GT/0309136", "math.gt/0309136"),
        ("10.48550/arXiv.1706.03762", "1706.03762"),
        ("1706.03762를 요약해줘", "1706.03762"),
        ("10.1145/3292500.3330701", ""),
        ("3.1415", ""),
        ("", ""),
    ],
)
def test_arxiv_ids(given: str, id: str) -> None:
    assert keys.arxiv_id(given) == id


def test_dois_and_acl_ids() -> None:
    assert keys.doi("https://doi.org/10.18653/V1/N19-1423.") == "10.18653/v1/n19-1423"
    assert keys.doi("10.48550/arXiv.1706.03762") == ""
    assert keys.acl_id("https://aclanthology.org/N19-1423.pdf") == "N19-1423"
    assert keys.acl_id("10.18653/v1/2020.acl-main.703") == "2020.acl-main.703"
    assert keys.acl_id("GPT-3 and P100-2") == ""


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Vaswani, Ashish", "Ashish Vaswani"),
        ("Sutton, Jr., R. S.", "R. S. Sutton, Jr."),
        ("  Łukasz   Kaiser ", "Łukasz Kaiser"),
        ("홍길동", "홍길동"),
        ("홍, 길동", "홍길동"),
        ("O’Connell, Róisín", "Róisín O'Connell"),
    ],
)
def test_names_in_reading_order(given: str, name: str) -> None:
    assert keys.person(given) == name


def test_names_without_accents_and_dots() -> None:
    assert keys.name_key("José A. Núñez-Pérez") == "jose a nunez perez"
    assert keys.name_key("홍길동") == "홍길동"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("Vaswani", ["vaswani"]),
        ("Vaswani et al.", ["vaswani"]),
        ("Vaswani, et al", ["vaswani"]),
        ("Vaswani et. al. (2017)", ["vaswani"]),
        ("A. Vaswani", ["a", "vaswani"]),
        ("Vaswani, A.", ["a", "vaswani"]),
        ("Vaswani and others", ["vaswani"]),
        ("Vaswani 등", ["vaswani"]),
        ("김민수 외 3명", ["김민수"]),
        ("김민수외 3인", ["김민수"]),
        ("김민수 외", ["김민수"]),
        ("김외수", ["김외수"]),
        ("Al Gore", ["al", "gore"]),
        ("O'Connell", ["o connell"]),
        ("O’Connell, Róisín", ["roisin", "o connell"]),
        ("et al.", ["et", "al"]),
        (" ", []),
    ],
)
def test_an_author_is_asked_for_in_many_ways(asked: str, words: list[str]) -> None:
    assert keys.person_asked(asked) == words
