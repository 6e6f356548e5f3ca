"""What gives way in an amendment is no longer so, and numbers in words are figures."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite

RULES = passage("제9조(반납) ① 빌린 책은 14일 안에 돌려준다. ② 늦으면 하루에 100원을 낸다.", "도서관규정")
CHANGES = passage(
    "제9조제1항 중 “14일”을 “10일”로 한다. 같은 조 제2항 중 “100원”을 “200원”으로 한다.\n"
    "제3조 중 “한 권”을 “두 권”으로 한다.",
    "개정",
)
LOANS = passage("한 집에서 세 사람이 열두 권까지 빌린다. A family borrows for three people.", "안내")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("빌린 책은 10일 안에 돌려줍니다 [1][2].", []),
        ("빌린 책은 14일 안에 돌려줍니다 [1][2].", [["14"]]),
        ("늦으면 하루에 100원을 냅니다 [1][2].", [["100"]]),
        ("반납 기한은 개정으로 14일입니다 [2].", [["14"]]),
        # What is not cited with its change, and what is told beside it.
        ("빌린 책은 14일 안에 돌려줍니다 [1].", []),
        ("빌린 책은 14일이 아니라 10일 안에 돌려줍니다 [1][2].", []),
        ("올해까지는 14일 안에 돌려줍니다 [1][2]. 내년부터 10일 안입니다 [2].", []),
    ],
)
def test_what_gives_way_is_held_by_nothing_unless_the_answer_tells_for_what(said: str, missing: list[str]) -> None:
    assert [each["missing"] for each in cite(said, [RULES, CHANGES]).checks or []] == missing


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("한 집에서 세 사람이 빌립니다 [1].", []),
        ("한 집에서 두 사람이 빌립니다 [1].", [["두 사람이"]]),
        ("A family borrows for two people [1].", [["two people"]]),
        # Of things that are not counted there, and times.
        ("한 집에서 두 가지 책을 빌립니다 [1].", []),
        ("한 집에서 두 해 동안 빌립니다 [1].", []),
    ],
)
def test_a_number_in_words_is_another_where_the_source_counts_as_many_others(said: str, missing: list[str]) -> None:
    assert [each["missing"] for each in cite(said, [LOANS]).checks or []] == missing


FEES = passage(
    "제4조 중 “20일”을 “15일”로 한다.\n제7조 중 “10%”를 “100분의 15”로 한다.\n제9조 중 “하나”를 “둘”로 한다.", "변경"
)
START = passage("제1조(시행일) 이 규정은 2027년 3월 15일부터 시행한다.", "변경")


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("2027년 3월 15일부터 **15%**로 바뀝니다 [1][2].", ["제7조 중", "제1조(시행일)"]),
        ("2027년 3월 15일부터 **15일**로 바뀝니다 [1][2].", ["제4조 중", "제1조(시행일)"]),
    ],
)
def test_a_line_with_a_figure_in_its_unit_goes_before_one_with_the_bare_number(said: str, quotes: list[str]) -> None:
    _, citations, found = cite(said, [FEES, START])
    assert found == []
    assert [each.quote[: len(quote)] for each, quote in zip(citations, quotes, strict=True)] == quotes


def test_a_line_with_a_figure_goes_before_one_without_where_an_amount_is_worked_out() -> None:
    changes = passage(
        "제2조 중 “3천만원”을 “5천만원”으로 한다.\n제4조 중 “12%”를 “100분의 20”으로 한다.\n"
        "제9조를 다음과 같이 한다. 수수료의 안내문은 3년 동안 둔다.",
        "개정",
    )
    said = "수수료는 대금의 20%이므로 [1] 대금 1억원에 대해 20,000,000원입니다."
    _, citations, found = cite(said, [changes], "대금 1억원")
    assert ([each.quote[:5] for each in citations], found) == (["제4조 중"], [])
