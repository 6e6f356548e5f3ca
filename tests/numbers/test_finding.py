"""Numbers in any writing."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.numbers import numbers, scan


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
        ("between 40k and 60K won", 60_000),
        ("40k원", 40_000),
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
        ("10kg", 10_000),
        ("Vitamin K", 1000),
        ("2026-05", -5),
        ("someone", 1),
        ("십오일", 10),
        ("열이 나다", 10),
    ],
)
def test_what_is_none_or_another(text: str, number: int) -> None:
    assert Decimal(number) not in numbers(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5천만 원", {"5천만": 50_000_000}),
        ("1억 천만", {"1억 천만": 110_000_000}),
        ("직원 1만 1천억 원", {"1만": 10_000, "1천억": 100_000_000_000}),
        ("3만~5천 원", {"3만": 30_000, "5천": 5000}),
        ("2~3만 명", {"2": 2, "3만": 30_000}),
        ("5만 2000원", {"5만 2000": 52_000}),
        ("3 만 5 천 원", {"3 만 5 천": 35_000}),
        ("100만에 달한다", {"100만": 1_000_000}),
        ("3만이 넘고 3천이상", {"3만": 30_000, "3천": 3000}),
        ("코로나19 백신은 4 경우에", {"19": 19, "4": 4}),
        ("3경기 2조각 3만큼", {"3": 3, "2": 2}),
        ("제13조는 13조 원", {"13": 13, "13조": 13_000_000_000_000}),
        ("제십삼조", {"십삼": 13}),
        ("하지만 2년, 만 19세, 여백 3", {"2": 2, "19": 19, "3": 3}),
        ("만 5천 원, 하지만 6천 명", {"만 5천": 15_000, "6천": 6000}),
        ("공개 모델의 조정, 이 시간, 일부, 사회", {}),
        ("두 단계와 네 글자", {"두": 2, "네": 4}),
        ("두레는 세밀한 한국의 네트워크", {}),
        ("2026.05.31 (2026. 5. 31.)", {"2026": 2026, "05": 5, "31": 31, "5": 5}),
        ("1,2,3", {"1": 1, "2": 2, "3": 3}),
        ("-5도, 3-5, A-4, −.5", {"-5": -5, "3": 3, "5": 5, "4": 4, "−.5": "-0.5"}),
        ("two and three", {"two": 2, "three": 3}),
        ("two hundred and five thousand", {"two hundred and five thousand": 205_000}),
        ("1 million and 2 million", {"1 million": 10**6, "2 million": 2 * 10**6}),
        ("one two three", {"one": 1, "two": 2, "three": 3}),
        ("hundred_thousand, someone, threes", {}),
        ("첫째, the second", {"첫": 1, "second": 2}),
    ],
)
def test_numbers_and_where_they_stand(text: str, found: dict[str, int | str]) -> None:
    assert {text[each.start : each.end]: each.value for each in scan(text)} == {
        written: Decimal(value) for written, value in found.items()
    }


def test_sections_and_other_readings_are_told_apart() -> None:
    (number,) = scan("1억 2,000만 원")
    assert (number.value, number.parts) == (Decimal(120_000_000), (Decimal(100_000_000), Decimal(20_000_000)))
    assert [each.others for each in scan("이십일, 십삼조, 삼천이 넘는다")] == [(20,), (13,), (3000,)]


@given(st.text() | st.text(alphabet="0123456789,.-− 영일이삼십백천만억조경원한두열 andtwohundredmillion", max_size=60))
def test_whatever_the_text_numbers_stand_in_it_in_order(text: str) -> None:
    at = 0
    for each in scan(text):
        assert at <= each.start < each.end <= len(text)
        at = each.end


@pytest.mark.parametrize(
    "unit",
    [
        *[
            "일이삼사",
            "1,",
            "1,111",
            "1.",
            "열 ",
            "one ",
            "십",
            "1",
            " ",
            "천 ",
            "1천",
            "1만 ",
            "만1",
            "삼 ",
            "twenty ",
        ],
        *["hundred and ", "-", "- 1", "이일 ", "1억 천"],
    ],
)
def test_long_texts_take_linear_time(assert_linear: Callable[..., None], unit: str) -> None:
    assert_linear(lambda text: list(scan(text)), lambda n: unit * n, 10_000)


def test_hundredths_and_thousandths_are_percentages():
    found = [*scan("매출의 100분의 15를, 늦으면 1000분의 2.5를 낸다.")]
    assert [(each.value, each.others, each.percent) for each in found] == [
        (Decimal(15), (Decimal("0.15"),), True),
        (Decimal("0.25"), (Decimal("0.0025"),), True),
    ]
