"""Numbers of an answer that stand in no source."""

import pytest

from dure.knowledge.claims import unsupported_numbers


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
        ("5천만 원", ["50,000,000원"], []),
        ("1억 2천만 원", ["120,000,000원"], []),
        ("3,000만원", ["금 삼천만원정"], []),
        ("2,000만 원", ["1억 2,000만 원"], ["2,000만"]),
        ("35,000원", ["3만~5천 원"], ["35,000"]),
        ("2026년 5월 31일", ["2026.05.31"], []),
        ("15일과 12", ["열다섯 날, 1,2번"], ["12"]),
        ("100만에 달한다", ["100만 명"], []),
        ("만 19세", ["만 19세 이상"], []),
        ("1가지, 3개, 2건", ["한국, 세상, 두레"], ["1", "3", "2"]),
        ("1위와 3단계", ["the first", "세 단계"], []),
        ("-5%", ["5% 감소했다"], []),
        ("１５일", ["15일"], []),
    ],
)
def test_unsupported_numbers(answer, quotes, wanted):
    assert unsupported_numbers(answer, quotes) == wanted


@pytest.mark.parametrize("unit", ["\n", " \n", "1,", "[1 ", "- ", "1 ", "\n1. "])
def test_long_answers_take_linear_time(assert_linear, unit):
    assert_linear(lambda answer: unsupported_numbers(answer, [answer]), lambda n: f"x{unit * n}x", 12_000)
