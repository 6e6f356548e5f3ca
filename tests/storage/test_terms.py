"""Terms of a text, and how often one stands there."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dure.storage.terms import codes, counter, is_bigram, is_korean, normal, stem, terms

TEXTS = st.text(alphabet="가나다 a1s eyiYS一二ー.éx", max_size=60)


@given(TEXTS)
@example("Studies of a study; buses, glasses and the bus")
@example("a" * 60 + "s 한 한국 2026x")
def test_a_term_is_counted_where_cutting_the_text_finds_it(text: str) -> None:
    found, plain = Counter(terms(text)), normal(text)
    for term in [*found, "s", "y", "as", "가", "一", "1", "가나", "study", "ies"]:
        if not is_bigram(term):
            assert counter(term)(plain) == found[term]
        elif found[term]:
            assert counter(term)(plain) > 0


def test_a_pair_of_syllables_is_counted_in_any_word() -> None:
    assert counter("휴가")(normal("연차휴가와 휴가, 휴 가")) == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("연차휴가는 15일", ["연차", "차휴", "휴가", "가는", "15", "일"]),
        ("Policies, buses and glasses", ["policy", "buse", "and", "glass"]),
        ("ＡＢＣ１２", ["abc", "12"]),
        ("漢字 x", ["漢字", "x"]),
        ("A4용지", ["a", "4", "용지"]),
        ("a" * 99, ["a" * 40]),
        ("-- ! \x00", []),
    ],
)
def test_terms(text, wanted):
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("text", "korean"),
    [("연차휴가", True), ("OpenAI의 GPT-4를 쓴다", True), ("It is called 두레 in Korea.", False), ("15", False)],
)
def test_language_of_a_passage(text, korean):
    assert is_korean(text) is korean


def test_a_short_word_is_no_plural() -> None:
    assert stem("gas") == "gas"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HG-7,KX60‑2450을 PPA-2025-007_Corvane.pdf", ["hg-7", "kx60‐2450", "ppa-2025-007"]),
        ("제10조제3항, 7월에는 1,400만원과 3.5%", ["10조", "3항", "7월", "1,400", "3.5"]),
        ("A4용지와 well-known e.g. 2026 건", ["a4"]),
    ],
)
def test_what_is_joined_is_a_code(text, found):
    assert codes(text) == found


@pytest.mark.parametrize(
    ("code", "text", "times"),
    [
        ("hg-7", "HG-7은 HG7, HG 7, (hg‑7)이다. HG-71, AHG-7, 7 HG", 4),
        ("10조", "제10조의2, 제 10 조, 제110조", 2),
        ("3.5", "35, 13.5, 3.5%", 1),
    ],
)
def test_a_code_is_counted_where_its_parts_stand_together(code, text, times):
    assert counter(code)(normal(text)) == times
