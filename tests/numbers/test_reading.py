"""One number in any writing."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.numbers import in_words, numeral, scan

ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
ONES += "eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def korean(number: int) -> str:
    """`1억 2,000만 345`."""
    sections = [
        (number // size % 10**4, unit) for size, unit in [(10**12, "조"), (10**8, "억"), (10**4, "만"), (1, "")]
    ]
    return " ".join(f"{section:,}{unit}" for section, unit in sections if section)


def english(number: int) -> str:
    """`one million two hundred thousand and twenty-one`."""
    for size, unit in [(10**12, " trillion"), (10**9, " billion"), (10**6, " million"), (1000, " thousand")]:
        if number >= size:
            return f"{english(number // size)}{unit} {english(number % size)}".strip()
    if number >= 100:
        rest = english(number % 100)
        return f"{english(number // 100)} hundred" + (f" and {rest}" if rest else "")
    if number >= 20:
        return "-".join([TENS.split()[number // 10 - 2], *([ONES.split()[number % 10 - 1]] if number % 10 else [])])
    return ONES.split()[number - 1] if number else ""


def fullwidth(text: str) -> str:
    return text.translate({code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)})


@given(st.integers(1, 10**15 - 1))
def test_a_number_written_in_any_way_is_read_back(number: int) -> None:
    for written in (str(number), f"{number:,}", korean(number), in_words(number), english(number)):
        found = numeral(written)
        assert found is not None
        assert (found.value, found.end) == (number, len(written)), written


@given(st.integers(11, 10**15 - 1), st.sampled_from(["", "총 ", "3~", "(", "제한: "]))
def test_it_is_found_where_it_stands(number: int, before: str) -> None:
    ways = [f"{number:,}", fullwidth(f"{number:,}"), korean(number), in_words(number), english(number)]
    for written in ways:
        text = f"{before}{written}{' won' if written == ways[-1] else '원이다'}"
        *_, found = scan(text)
        assert (found.value, text[found.start : found.end]) == (number, written)


@given(st.decimals(0, 10**6, places=4), st.sampled_from([("만", 10**4), ("억", 10**8), (" million", 10**6), ("", 1)]))
def test_decimal_parts_are_exact(number: Decimal, unit: tuple[str, int]) -> None:
    found = numeral(f"{number:,}{unit[0]}")
    assert found is not None
    assert found.value == number * unit[1]


def test_digits_beyond_every_precision_are_kept() -> None:
    digits = "1234567890" * 9
    found = numeral(f"{digits}.{digits}억")
    assert found is not None
    assert found.value == Decimal(f"{digits}{digits[:8]}.{digits[8:]}")


def test_a_comma_separates_thousands_or_numbers() -> None:
    found = [numeral("1,200만", grouped=grouped) for grouped in (True, False)]
    assert [(each.value, each.end) for each in found if each] == [(12_000_000, 6), (1, 1)]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("십", 10),
        ("백일", 101),
        ("만", 10_000),
        ("이천이십육", 2026),
        ("삼십만오천", 305_000),
        ("일억이천만", 120_000_000),
    ],
)
def test_sino_korean(word: str, value: int) -> None:
    found = numeral(word)
    assert found is not None
    assert (found.value, found.end) == (value, len(word))


@pytest.mark.parametrize("word", ["일이", "십백", "만억만", "십십"])
def test_no_number_words(word: str) -> None:
    found = numeral(word)
    assert found is None or found.end < len(word)
