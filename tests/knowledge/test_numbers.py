"""Numbers of an answer that stand in no source."""

import pytest

from dure.knowledge import unsupported_numbers


@pytest.mark.parametrize(
    ("answer", "quotes", "wanted"),
    [
        ("연차는 15일입니다.", ["15일의 연차휴가를 준다."], []),
        ("연차는 16일입니다.", ["15일의 연차휴가를 준다."], ["16"]),
        ("20만 원입니다.", ["200,000원을 준다."], []),
        ("1억 2,000만 원", ["120,000,000원"], []),
        ("3만5천원", ["35,000원"], []),
        ("이틀, 즉 2일", ["이틀 동안"], []),
        ("3 days", ["three days"], []),
        ("제13조에 따라 13조 원", ["제13조"], [["13조", "원"][0]]),
        ("9:30부터", ["오전 09시 30분"], []),
        ("1. 첫째\n2. 둘째 [3][12]", ["첫째"], []),
        ("99%와 99%", [], ["99"]),
        ("수가 없다", [], []),
    ],
)
def test_unsupported_numbers(answer, quotes, wanted):
    assert unsupported_numbers(answer, quotes) == wanted


@pytest.mark.parametrize("unit", ["\n", " \n", "1,", "[1 ", "- ", "1 ", "\n1. "])
def test_long_answers_take_linear_time(linear, unit):
    linear(lambda answer: unsupported_numbers(answer, [answer]), lambda n: f"x{unit * n}x", 3000)
