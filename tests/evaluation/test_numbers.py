"""Numbers in any writing."""

from decimal import Decimal

import pytest

from dure.evaluation.numbers import numbers, sino


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("연차는 15일입니다.", 15),
        ("연차는 십오일입니다.", 15),
        ("연차는 십오 일이다", 15),
        ("연차는 열다섯 날입니다. 열다섯 개", 15),
        ("15개", 15),
        ("１５일", 15),
        ("총 1,234,567원", 1234567),
        ("3.14", "3.14"),
        ("-5도", -5),
        ("영하 −5도", -5),
        ("1억 2,000만 원", 120_000_000),
        ("1억 2천만 원", 120_000_000),
        ("20만원", 200_000),
        ("이천만원", 20_000_000),
        ("일억 이천만 원", 20_000_000),
        ("이천이십육년", 2026),
        ("삼 년", 3),
        ("스물한 살", 21),
        ("스무 명", 20),
        ("두 가지", 2),
        ("하나입니다. 하나", 1),
        ("사흘 동안", 3),
        ("보름", 15),
        ("fifteen days", 15),
        ("Twenty-one people", 21),
        ("two hundred and five", 205),
        ("three thousand", 3000),
        ("1.5 million users", 1_500_000),
        ("twice a year", 2),
        ("2017년과 2018년", 2018),
        ("10, 20", 20),
        ("2026-05-31", 31),
        ("백이십 쪽", 120),
        ("만 원", 10_000),
    ],
)
def test_a_number_is_read(text: str, number: int | str) -> None:
    assert Decimal(number) in numbers(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("150일", 15),
        ("1,500", 15),
        ("15.5", 15),
        ("이 규정은 일반적으로 사용됩니다.", 2),
        ("네, 그렇습니다.", 4),
        ("한국의 두레", 1),
        ("세상의 모든 것", 3),
        ("A-4", -4),
        ("2026-05", -5),
        ("someone", 1),
        ("십오일", 10),
        ("열이 나다", 10),
    ],
)
def test_what_is_none_or_another(text: str, number: int) -> None:
    assert Decimal(number) not in numbers(text)


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
    assert sino(word) == value


@pytest.mark.parametrize("word", ["일이", "십백", "만억만", "십십"])
def test_no_number_words(word: str) -> None:
    assert sino(word) is None


def test_long_texts_take_linear_time() -> None:
    for text in ("일이삼사" * 20_000, "1," * 50_000, "열 " * 50_000, "one " * 30_000, "십" * 50_000):
        numbers(text)
