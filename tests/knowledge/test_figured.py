"""What is worked out of figures that are known: by equations, by shares, by the calendar."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite

CONTRACT = passage(
    "하도급계약서\n계약 금액은 2,480,000,000원, 1층 구간 금액은 8억 1천만원이다.\n"
    "1층의 완료 기한은 2026년 10월 23일이다.\n"
    "준공 기한을 지키지 못하면 지체 일수마다 계약 금액의 1000분의 1을 낸다. 다만 총액은 계약 금액의 10%를 넘지 않는다.",
    "contract",
)
RULES = passage(
    "안전 규정\n제9조 화재감시자는 30분 동안 남는다.\n혈압이 160을 넘으면 고소작업을 할 수 없다.\n"
    "1차 개정 (2026. 7. 6.)\n"
    "제9조 중 “30분 동안”을 “60분 동안”으로 한다.",
    "rules",
)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        # What came out goes on, and says of what it is.
        ("- 2,480,000,000원 × 1/1000 = 하루 2,480,000원, × 12일 = 29,760,000원", []),
        ("- 2,480,000,000원 × 1/1000 = 하루 2,480,000원, × 12일 = 29,750,000원", [["29,750,000"]]),
        # Days by the calendar are no parts that want a source.
        (
            "1층은 기한인 10월 23일보다 4일 늦은 10월 27일에 끝났습니다.\n- 810,000,000원 × 1/1000 × 4일 = 3,240,000원",
            [],
        ),
        (
            "1층은 기한인 10월 23일보다 4일 늦은 10월 27일에 끝났습니다.\n- 810,000,000원 × 1/1000 × 8일 = 6,480,000원",
            [["8", "6,480,000"]],
        ),
        # The share stands beside it, of what it is elsewhere.
        ("- 한도는 계약 금액의 10% [1], 곧 248,000,000원", []),
        ("- 한도는 계약 금액의 10% [1], 곧 249,000,000원", [["249,000,000"]]),
        ("- 계약 금액의 1000분의 2 [1]", [["1000분의 2"]]),
        # In a table in its own row: in another one it is of something else.
        ("| 항목 | 비율 | 원 |\n| --- | --- | --- |\n| 한도 [1] | 10% | 248,000,000 |", []),
        (
            "| 항목 | 원 |\n| --- | --- |\n| 한도, 총액의 10% [1] | 248,000,000 |\n| 선급금 [1] | 891,000,000 |",
            [["891,000,000"]],
        ),
    ],
)
def test_what_is_worked_out_needs_no_source_and_has_to_be_right(said: str, missing: list[list[str]]) -> None:
    asked = "1층은 10월 27일에 끝났어. 12일 늦으면?"
    checks = cite(said, [CONTRACT], asked).checks or []
    assert [each["missing"] for each in checks if each["missing"]] == missing


def test_what_stands_under_a_line_that_dates_it_is_of_that_line() -> None:
    said = "제9조의 시간은 1차 개정으로 30분에서 60분으로 바뀌었습니다 [1]."
    assert cite(said, [RULES]).checks == []
    assert [each["missing"] for each in cite(said.replace("1차", "3차"), [RULES]).checks or []] == [["3"]]


def test_when_something_is_a_figure_counts_no_days() -> None:
    assert cite("혈압이 165일 때: 160을 넘으므로 고소작업을 할 수 없습니다 [1].", [RULES], "혈압이 165면?").checks == []


@pytest.mark.parametrize(
    ("below", "missing"),
    [
        ("1차와 2차가 전체의 84.7%를 차지합니다.", []),
        ("1차와 2차가 전체의 85.7%를 차지합니다.", [["85.7"]]),
        ("차이는 4.7%p입니다.", []),
        ("차이는 5.7%p입니다.", [["5.7"]]),
    ],
)
def test_two_cells_of_a_column_may_be_added_below_it(below: str, missing: list[list[str]]) -> None:
    found = passage("1차: 44.7% | 2차: 40.0% | 3차: 15.3%", "shares")
    table = "| 공종 | 비중 |\n|---|---|\n| 1차 | 44.7% |\n| 2차 | 40.0% |\n| 3차 | 15.3% |\n\n"
    assert [each["missing"] for each in cite(table + below, [found]).checks or [] if each["missing"]] == missing


def test_a_long_difference_may_follow_what_it_is_of() -> None:
    found = passage("11월 23일에는 115명, 11월 19일에는 13명이 나왔다.", "days")
    said = "- 가장 많은 날: 11월 23일, 115명\n- 가장 적은 날: 11월 19일, 13명\n\n차이는 {}명입니다."
    assert cite(said.format(102), [found]).checks == []
    assert [each["missing"] for each in cite(said.format(112), [found]).checks or []] == [["112"]]


def test_across_languages_figures_lead_to_the_sentences_that_have_them() -> None:
    found = passage(
        "회의록\n타워크레인은 11월 30일까지 쓰고 해체한다. 임대료는 월 1,850만원이다. 비계는 12월 7일에 푼다.",
        "minutes",
    )
    said = "| Crane | Until November 30; rent KRW 18.5 million a month [1] |"
    _, citations, checks = cite(said, [found])
    assert (checks, "임대료는" in " ".join(each.quote for each in citations)) == ([], True)
    assert [each["missing"] for each in cite(said.replace("18.5", "19.5"), [found]).checks or []] == [["19.5 million"]]


WORKS = passage(
    "회의록\n1) 지상 2층 타설은 10월 19일에 한다. 물량 312㎥, 펌프카 2대.\n"
    "2) 지상 3층 타설은 11월 23일에 한다. 물량 286㎥.",
    "works",
)
MAIL = passage(
    "From: 한강레미콘 봉재희\nTo: 소해린\n\n펌프카 대기비 264만원은 저희가 부담하겠습니다.\n"
    "10월 27일에는 312㎥를 보냅니다.",
    "mail",
)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        # What one item of the passage that is named says, in two sentences, is looked for nowhere else.
        ("| 10월 19일 | 2층 타설 예정(312㎥) [1] |", ["1) 지상 2층"]),
        # Who wrote a mail is not what it says.
        ("한강레미콘은 대기비 264만원을 부담합니다 [2].", ["펌프카"]),
    ],
)
def test_what_is_quoted_says_what_is_told(said: str, quoted: list[str]) -> None:
    found = [WORKS, MAIL]
    _, citations, checks = cite(said, found)
    assert checks == []
    assert [each.quote[: len(start)] for each, start in zip(citations, quoted, strict=True)] == quoted


FEES = passage("주차료는 한 시간에 1,500원이고 하루 최대 18,000원이다. 월 정기권은 132,000원이다.", "주차 안내")
LENDING = passage("Late books cost EUR 0.40 a day. A lost card is EUR 12. Rooms cost EUR 35 an hour.", "Lending")
ELSEWHERE = [
    passage("물품: 의자 | 예산: 48000\n물품: 책상 | 예산: 96000\n물품: 등 | 예산: 21000", "예산"),
    passage("Item: lamps | Budget: 140 | Spent: 70\nItem: desks | Budget: 225 | Spent: 45", "Budget"),
]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("- 정기권: 132,000원 × 2대 = 264,000원 [1]", []),
        # The one side of an equation says nothing of the other, wherever that stands besides.
        ("- 하루 최대: 24,000원 × 2일 = 48,000원 [1]", [["24,000", "48,000"]]),
        ("- 하루 최대: 48,000원 × 2일 = 96,000원 [1]", [["48,000", "96,000"]]),
        ("- 정기권: 66,000원 × 2대 = 132,000원 [1]", [["66,000"]]),
        ("하루 최대 21,000원이고 2일이면 42,000원입니다 [1].", [["21,000", "42,000"]]),
        ("정기권은 66,000원이고 2대면 132,000원입니다 [1].", []),
        ("하루 최대 48,000원이고 2일이면 96,000원입니다 [1].", [["48,000", "96,000"]]),
        ("모두 60,000원입니다.\n\n- 하루 최대: 30,000원 × 2일 = 60,000원 [1]", [["60,000"], ["30,000", "60,000"]]),
        ("- Room: EUR 35 × 2 = EUR 70 [2]", []),
        ("- Room: EUR 45 × 2 = EUR 90 [2]", [["45", "90"]]),
        ("- Room: EUR 70 × 2 = EUR 140 [2]", [["70", "140"]]),
        ("A room for 2 hours is EUR 450, at EUR 225 an hour [2].", [["450", "225"]]),
    ],
)
def test_a_figure_is_made_of_what_its_own_document_has(said: str, missing: list[list[str]]) -> None:
    checks = cite(said, [FEES, LENDING, *ELSEWHERE], "2대, 2일이면? For 2?").checks or []
    assert [each["missing"] for each in checks if each["missing"]] == missing


SHIFTS = passage(
    "날짜: 3월 2일 | 담당: 고은별 | 구역: 북문\n날짜: 3월 9일 | 담당: 차노을 | 구역: 남문\n"
    "날짜: 3월 16일 | 담당: 마한솔 | 구역: 북문",
    "당번표",
)
LOANS = passage("Item: Camera | Borrower: Ines Roth | Days: 4\nItem: Tripod | Borrower: Paul Vance | Days: 9", "Loans")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("3월 9일 남문의 담당은 차노을입니다 [1].", []),
        ("3월 9일 남문의 담당은 마한솔입니다 [1].", [["마한솔"]]),
        # Both are named: it compares.
        ("3월 9일의 담당은 마한솔이 아니라 차노을입니다 [1].", []),
        ("3월 9일의 담당은 고은별이 아닙니다 [1].", []),
        ("The camera was lent to Ines Roth for 4 days [2].", []),
        ("The camera was lent to Paul Vance for 4 days [2].", [["Paul Vance"]]),
        ("- Tripod: Ines Roth, 9 days [2]", [["Ines Roth"]]),
    ],
)
def test_a_name_of_another_row_is_missing_in_the_row_that_is_quoted(said: str, missing: list[list[str]]) -> None:
    checks = cite(said, [SHIFTS, LOANS], "3월 9일의 담당은 고은별이야? And the camera?").checks or []
    assert [each["missing"] for each in checks if each["missing"]] == missing
