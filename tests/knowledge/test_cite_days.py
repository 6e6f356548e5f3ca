"""The day of what a passage tells, which stands over it."""

import numpy as np
import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage

MINUTES = passage(
    "# 환경공학과 제5차 학과회의록\n\n- 일시: 2026년 6월 3일(수) 16:00\n- 장소: 공학관 301호\n\n"
    "## 안건 1. 견학\n견학은 10월 23일 충주 정수장으로 한다.\n\n"
    "## 안건 2. 장비\n원심분리기를 교체하기로 한다. 예상 금액은 950만원으로 한다.",
    "회의록",
)
AMENDMENT = passage(
    "# 관리규약 제5차 개정\n\n의결 2026. 6. 18. / 시행 2026. 8. 1.\n\n1. 제22조를 다음과 같이 한다.\n\n"
    "## 제22조 (공사)\n다만 소음이 없는 도배 작업은 토요일 10시부터 15시까지 할 수 있다.",
    "개정",
)
MAIL = passage(
    "Subject: Re: Control panel\nFrom: Marek Tallis\nDate: Mon, 28 Sep 2026 10:42:00 +0900\nDear Haram,\n\n"
    "We can lower the price of the panel to KRW 14,200,000.\n\nOn Thu, 24 Sep 2026 09:15, Marek Tallis wrote:\n"
    "> We recommend a new control panel for KRW 16,300,000.",
    "mail",
)
DAYS = passage("단수 안내\n- 10월 6일: 101동 저수조 청소\n- 10월 7일: 103동 저수조 청소", "단수")
RULES = passage("안전 규칙\n대학원생의 교육은 12시간으로 한다.\n보고는 6월 3일까지 한다.", "규칙")


@pytest.mark.parametrize(
    ("said", "found", "quoted", "missing"),
    [
        ("6월 3일에 원심분리기를 교체하기로 했습니다 [1].", MINUTES, ["원심분리기를", "- 일시:"], []),
        ("2026년 6월 회의에서 예상 금액은 950만원으로 정했습니다 [1].", MINUTES, ["예상 금액은", "- 일시:"], []),
        ("6월 3일 회의에서 견학은 10월 23일 충주로 정했습니다 [1].", MINUTES, ["견학은 10월", "- 일시:"], []),
        ("6월 4일에 원심분리기를 교체하기로 했습니다 [1].", MINUTES, None, ["6월 4일"]),
        ("2025년 6월 3일에 원심분리기를 교체하기로 했습니다 [1].", MINUTES, None, ["2025년 6월 3일"]),
        # The line gives its day, and no figure besides.
        ("6월 3일에 원심분리기 301대를 교체하기로 했습니다 [1].", MINUTES, None, ["301"]),
        ("6월 3일에 예상 금액은 960만원으로 정했습니다 [1].", MINUTES, None, ["960만"]),
        ("8월 1일부터 도배 작업은 토요일 10시부터 15시까지 합니다 [1].", AMENDMENT, ["다만 소음이", "의결 2026."], []),
        ("8월 2일부터 도배 작업은 토요일 10시부터 15시까지 합니다 [1].", AMENDMENT, None, ["8월 2일"]),
        # A line that dates what follows is its heading, and needs no quote.
        ("On 28 September they lowered the price of the panel to KRW 14,200,000 [1].", MAIL, ["We can"], []),
        # What is quoted is of the day that leads to it.
        ("On 24 September they recommended a new panel for KRW 16,300,000 [1].", MAIL, ["> We recom"], []),
        ("On 28 September they recommended a new panel for KRW 16,300,000 [1].", MAIL, None, ["28 September"]),
        # What has a day of its own is of that one, and what stands below gives none.
        ("10월 6일에 103동 저수조를 청소합니다 [1].", DAYS, None, ["10월 6일"]),
        ("6월 3일부터 대학원생의 교육은 12시간입니다 [1].", RULES, None, ["6월 3일"]),
    ],
)
def test_a_day_may_stand_over_what_is_told_of_it(
    said: str, found: Passage, quoted: list[str] | None, missing: list[str]
) -> None:
    _, citations, checks = cite(said, [found])
    assert [each for check in checks or [] for each in check["missing"]] == missing
    if quoted:
        quotes = sorted(each.quote for each in citations)
        assert [each[: len(start)] for each, start in zip(quotes, sorted(quoted), strict=True)] == sorted(quoted)


def test_the_day_of_a_document_is_that_of_its_later_passages_too() -> None:
    head, rest = MINUTES.text[:60], "안건 4. 관람석은 200석으로 늘리기로 한다."
    first, second = passage(head, "회의록"), Passage("회의록", "회의록", None, 500, 500 + len(rest), rest)
    said = "6월 3일 회의에서 관람석은 200석으로 늘리기로 했습니다 [1]."
    assert cite(said, [second, first]).checks == []
    assert [each["missing"] for each in cite(said, [second]).checks or []] == [["6월 3일"]]


def test_a_number_of_months_is_not_made_of_the_months_and_days_of_dates() -> None:
    notice = passage(
        "개정 통지 (3판)\n문서번호 QM-01-C3 / 의결 2026. 3. 20. / 시행 2026. 4. 1. / 작성 여민재\n"
        "1. 5.2를 다음과 같이 바꾼다.\n"
        '2. 6.3의 표에서 토크 렌치의 교정 주기 "6개월"을 "3개월"로 한다.',
        "개정",
    )
    said = "토크 렌치는 2026년 4월 1일부터 {}개월마다 교정합니다 [1]."
    _, citations, found = cite(said.format(3), [notice])
    assert (sorted(each.quote[:4] for each in citations), found) == (["2. 6", "문서번호"], [])
    assert cite(said.format(4), [notice]).checks


NOTICE = passage(
    "Change notice 4 to the pool rules\nSigned 2 March 2026 by the board. Effective 9 April 2026 unless told below.\n"
    '1. Rule 3: "20 minutes" is replaced by "45 minutes".\n2. Rule 8: "5 lanes" is replaced by "7 lanes".\n'
    "Courses that began before 9 April 2026 go on as they were.",
    "notice",
)
POOL = passage(
    "수영장 규칙 변경\n2026년 4월 9일부터 다음과 같이 한다.\n1. 자유 수영은 45분으로 한다.\n"
    "2. 탈의실은 월요일과 목요일에 청소한다.\n4월 9일 전에 신청한 강습은 종전과 같다.",
    "변경",
)


@pytest.mark.parametrize(
    ("said", "found", "quoted", "missing"),
    [
        ("A swim takes 45 minutes since 9 April 2026 [1].", NOTICE, ["Effective", "1. Rule 3"], []),
        ("A swim takes 50 minutes since 9 April 2026 [1].", NOTICE, None, ["50"]),
        ("A swim takes 45 minutes since 8 April 2026 [1].", NOTICE, ["1. Rule 3"], ["8 April 2026"]),
        ("자유 수영은 2026년 4월 9일부터 45분입니다 [1].", POOL, ["1. 자유", "2026년"], []),
        ("2026년 4월 9일부터 탈의실은 월요일과 목요일에 청소합니다 [1].", POOL, ["2. 탈의실", "2026년"], []),
        ("4월 9일 전에 신청한 강습은 종전과 같습니다 [1].", POOL, ["4월 9일 전"], []),
    ],
)
def test_a_line_above_a_list_dates_its_items_and_is_quoted_beside_them(
    said: str, found: Passage, quoted: list[str] | None, missing: list[str]
) -> None:
    _, citations, checks = cite(said, [found])
    assert [each for check in checks or [] for each in check["missing"]] == missing
    if quoted:
        quotes = sorted(each.quote for each in citations)
        assert [each[: len(start)] for each, start in zip(quotes, sorted(quoted), strict=True)] == sorted(quoted)


def test_across_languages_meaning_is_compared_without_the_day_that_stands_above() -> None:
    hours = passage(
        "Change notice 5\nIn force since 9 April 2026.\n1. Parcels leave on Mondays and Fridays.\n"
        '2. Rule 6: "4 days" is replaced by "2 days".\n3. Rule 7: "8 days" is replaced by "4 days".',
        "notice",
    )

    def encode(texts: list[str]) -> np.ndarray:
        """The day, parcels, all else."""
        rows = [(3.0 * ("9" in text), 2.0 * ("소포" in text or "Parcels" in text), 1.0) for text in texts]
        return np.array([np.array(row) / np.linalg.norm(row) for row in rows])

    _, citations, checks = cite("2026년 4월 9일부터 소포는 월요일과 금요일에 나갑니다 [1].", [hours], encode=encode)
    assert (sorted(each.quote[:5] for each in citations), checks) == (["1. Pa", "In fo"], [])
    # What lacks least of the figures goes before what means as much.
    _, citations, checks = cite("7.1의 8일이 4일로 바뀌었습니다 [1].", [hours], encode=encode)
    assert ([each.quote[:5] for each in citations], [each["missing"] for each in checks or []]) == (
        ["3. Ru"],
        [["7.1"]],
    )
