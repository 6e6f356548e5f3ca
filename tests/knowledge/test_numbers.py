"""Numbers of an answer that stand in no source."""

import pytest

from dure.knowledge.claims import cited_in, missing, unsupported_numbers
from dure.knowledge.unsupported import without_unsupported
from dure.knowledge.worked import worked_out


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
        ("4분의 1 넘게 줄었다", ["it fell by more than a quarter"], []),
        ("사분의 일, 3분의 2", ["a quarter and two-thirds"], []),
        ("3분의 1", ["a quarter, half, the third of 3 and 1"], ["3분의 1"]),
        ("2분의 1", ["절반이 넘는다"], []),
        ("10분의 0", ["0분의 1"], []),
    ],
)
def test_unsupported_numbers(answer, quotes, wanted):
    assert unsupported_numbers(answer, quotes) == wanted


ROWS = ["RainGate | 60분: 5.87 | 강우: 6.92", "GateFlow | 60분: 6.27 | 강우: 8.14", "DH-240"]


@pytest.mark.parametrize(
    ("figure", "answer", "stands"),
    [
        ("0.40", "6.27보다 5.87이 0.40 낮다", True),
        ("0.4", "6.27보다 5.87이 0.4 낮다", True),
        ("0.41", "6.27보다 5.87이 0.41 낮다", False),
        ("15%", "8.14에서 6.92로 15% 줄었다", True),
        ("15.1", "8.14에서 6.92로 15.1% 줄었다", False),
        ("1.18", "8.14는 6.92의 1.18배다", True),
        ("85", "6.92는 8.14의 85%다", True),
        ("12.14", "5.87과 6.27을 더하면 12.14다", True),
        ("0.40", "0.40 낮다", False),
        ("0.40", "6.67보다 6.27이 0.40 낮다", False),
        ("60", "60분에 5.87과 6.27", False),
        ("DH-2", "DH-240에서 DH-2", False),
    ],
)
def test_a_figure_is_worked_out_of_two_that_are_said_and_quoted(figure, answer, stands):
    assert worked_out(figure, answer, ROWS) == stands


@pytest.mark.parametrize("unit", ["\n", " \n", "1,", "[1 ", "- ", "1 ", "\n1. "])
def test_long_answers_take_linear_time(assert_linear, unit):
    assert_linear(lambda answer: unsupported_numbers(answer, [answer]), lambda n: f"x{unit * n}x", 12_000)


def test_a_fraction_has_no_unit():
    assert missing("오차를 4분의 1 넘게 줄였다", "오차를 4분의 1 이상 줄였다") == []


@pytest.mark.parametrize(
    ("said", "source", "wanted"),
    [
        ("출자 배당은 4%를 넘지 못한다", "배당은 출자금의 100분의 4를 넘지 못한다", []),
        ("수수료는 100분의 3", "The fee is 3 percent", []),
        ("수수료는 100분의 4", "수수료의 3%를 4회 낸다", ["100분의 4"]),
        ("지체상금은 하루 0.1%", "지체 일수마다 계약 금액의 1000분의 1", []),
        ("지체상금은 하루 1%", "지체 일수마다 계약 금액의 1000분의 1을 1회 낸다", ["1%"]),
        ("제19조 1호에 따른다", "제19조제1호의 계약", []),
        ("제19조 2호에 따른다", "제19조제1호의 계약 2건", ["제19조 2호"]),
        ("이율은 15%", "제15조의 이율은 12%", ["15"]),
        ("이율은 5% (4.3조)", "Article 4.3 Interest is 5 percent a year.", []),
        ("매출은 4.3조 (5%)", "4.3 billion of 5 percent", ["4.3조"]),
    ],
)
def test_percentages_and_numbers_of_parts_in_two_writings(said, source, wanted):
    assert missing(said, source) == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("It has 93.2 on SQuAD v1.1.", []), ("It has 93.2 on SQuAD v1.2.", ["v1.2"]), ("v1 has 93.2", ["v1"])],
)
def test_the_number_of_a_version_is_a_name(said, wanted):
    assert missing(said, "On SQuAD v1.1 it reaches 93.2.") == wanted


SAID = """# Two

| Set | Gate | Rain |
|---|---|---|
| RMSE | Daegu **5.87**, Porto 5.35 km/h [1] | 5.87 km/h [2] |
| Memory | big (160GB) [1] | small |

It had 99 layers [1]. It is small. [2]
- Gate had 98 layers [1]. It learns.
- Rain has 6.39 and 5.87, thus 0.52 less [2].

The last 97 are wrong [2].

Rain has 5.87. [2] Gate has 5.87. [1]"""
KEPT = """# Two

| Set | Gate | Rain |
|---|---|---|
| RMSE | Daegu **–**, Porto 5.35 km/h [1] | 5.87 km/h [2] |
| Memory | big (–GB) [1] | small |

It is small. [2]
- It learns.
- Rain has 6.39 and 5.87, thus 0.52 less [2].

Rain has 5.87. [2]"""


def test_what_has_no_source_gives_way_and_nothing_else():
    passages = {1: "Daegu 6.48, Porto 5.35", 2: "RainGate 5.87, Gate 6.39"}
    kept, left = without_unsupported(SAID, lambda said: [passages[n] for n in cited_in(said)] or passages.values())
    assert kept == KEPT
    assert left == ["5.87", "160", "99", "98", "97"]


def test_of_a_sentence_that_stands_but_for_one_number_that_one_gives_way():
    kept, left = without_unsupported(
        "Its error is 38 days, against 83 for a model and 96 for the sites. 7 of 38 fail. 52 and 29 of 2,400 left [1].",
        lambda _: ["38 days, against 71 and 96 days; 52, 29, 2,400"],
    )
    assert (kept, left) == (
        "Its error is 38 days, against – for a model and 96 for the sites. 52 and 29 of 2,400 left [1].",
        ["83", "7"],
    )


def test_a_difference_of_many_numbers_is_chance():
    said = ", ".join(str(7 * n) for n in range(1, 21))
    assert without_unsupported(f"7.5 and {said}, thus 0.5", lambda _: [said + " 7.5"])[1] == ["0.5"]
    assert without_unsupported("7.5 and 7, thus 0.5", lambda _: [said + " 7.5"])[1] == []


@pytest.mark.parametrize("unit", ["1.5 ", "|1.5", "a. [1] ", "- 1. ", "[1 ", "4분의 1 "])
def test_what_gives_way_takes_linear_time(assert_linear, unit):
    assert_linear(lambda answer: without_unsupported(answer, lambda said: ["2"]), lambda n: f"x{unit * n}x", 6_000)


def test_the_numbers_of_markers():
    assert cited_in("a [1] b [3-5], c [7, 9] d【11】 [12](https://x)") == {1, 3, 4, 5, 7, 9, 11}
