"""What a statement claims of several sentences of a passage is quoted from all of them, of an item of a list in one."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage

AGREEMENT = passage(
    "Article 2 Contributions\nParty | Cash (EUR) | In kind\n"
    "Party: ONNURI | Cash (EUR): 180,000 | In kind: Research vessel Nuri-3, 40 ship days a year\n"
    "Party: HMC | Cash (EUR): 95,000 | In kind: Mass spectrometer, 600 sample runs a year\n"
    "Further sample runs cost EUR 85 each.",
    "agreement",
)
SAMPLES = passage(
    "Article 3 Samples and data\nSamples are shipped frozen at -20 °C or below. HMC returns results within 45 days "
    "after receipt of a shipment. Raw data are shared within 30 days after collection.",
    "agreement",
)
MINUTES = passage(
    "## 논의와 결정\n다. 드론 촬영은 외부 업체 하늘눈에 맡긴다. 금액은 1,450만원.\n"
    "라. 2차 학술대회는 11월 제주에서 연다. 예산 2,800만원, 담당 탁예린.\n"
    "마. 4월 회의에서 정한 회의장을 바꾼다. 2027년 2월 18일 여수에서 연다. 담당은 방가람으로 바꾼다.",
    "회의록 (2026년 4월 9일)",
)
CASH = (
    "| **Money** | ONNURI: EUR 180,000 in cash and 40 ship days a year; HMC: EUR {} in cash and 600 sample runs a year."
)


@pytest.mark.parametrize(
    ("said", "found", "quoted"),
    [
        (
            f"{CASH.format('95,000')} Further runs cost EUR 85 each [1]. |",
            AGREEMENT,
            ["Party: O", "Party: H", "Further "],
        ),
        (
            "| Data | Samples are shipped frozen at -20 °C or below; HMC returns results within 45 days after receipt. "
            "Raw data are shared within 30 days after collection [1]. |",
            SAMPLES,
            ["Samples ", "HMC retu", "Raw data"],
        ),
    ],
)
def test_a_sentence_before_the_marker_has_all_that_hold_it_together(
    said: str, found: Passage, quoted: list[str]
) -> None:
    _, citations, checks = cite(said, [found])
    assert ([each.quote[:8] for each in citations], checks) == (quoted, [])


def test_where_one_figure_stands_nowhere_it_is_missing() -> None:
    _, citations, checks = cite(f"{CASH.format('96,000')} Further runs cost EUR 85 each [1]. |", [AGREEMENT])
    assert [each.quote[:8] for each in citations] == ["Further "]
    assert [each["missing"] for each in checks or []] == [["96,000"]]


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("드론 촬영 금액은 1,450만원이었습니다 [1].", "다. 드론 촬영은 외부 업체 하늘눈에 맡긴다. 금액은 1,450만원."),
        (
            "- **9 April:** To be held in Jeju with a budget of KRW 28,000,000; Tak Yerin (탁예린) is responsible [1].",
            "라. 2차 학술대회는 11월 제주에서 연다. 예산 2,800만원, 담당 탁예린.",
        ),
        (
            "회의장은 4월 회의에서 정한 곳에서 바뀌었고 담당은 방가람입니다 [1].",
            "마. 4월 회의에서 정한 회의장을 바꾼다. 2027년 2월 18일 여수에서 연다. 담당은 방가람으로 바꾼다.",
        ),
        (
            "2027년 2월 18일 여수에서 열고 담당은 방가람입니다 [1].",
            "마. 4월 회의에서 정한 회의장을 바꾼다. 2027년 2월 18일 여수에서 연다. 담당은 방가람으로 바꾼다.",
        ),
        ("드론 촬영은 하늘눈에 맡깁니다 [1].", "다. 드론 촬영은 외부 업체 하늘눈에 맡긴다."),
    ],
)
def test_of_an_item_is_quoted_what_tells_what_it_is_of_too(said: str, quote: str) -> None:
    text, citations, _ = cite(said, [MINUTES])
    assert [each.quote for each in citations] == [quote]
    assert MINUTES.text[citations[0].start : citations[0].end] == quote
    assert text == said


SURVEY = passage(
    "4. 탄소 흡수량\n다섯 정점의 연간 탄소 흡수량은 평균 412 gC/m²로 추정했다. "
    "2025년 같은 방법으로 구한 값은 377 gC/m²였다. 추정의 불확실도는 ±14%이다.\n"
    "5. 해석\n원인은 한 해의 자료만으로 확정할 수 없다. 성게 밀도는 2.1마리에서 4.6마리로 늘었다.",
    "보고서",
)


@pytest.mark.parametrize(
    ("said", "found", "missing"),
    [
        ("연간 탄소 흡수량은 평균 412 gC/m²(2025년 377 gC/m², 불확실도 ±14%)로 추정했습니다 [1].", SURVEY, []),
        ("연간 탄소 흡수량은 평균 412 gC/m²(2025년 377 gC/m², 불확실도 ±27%)로 추정했습니다 [1].", SURVEY, [["27"]]),
        ("HMC's cash contribution (EUR 95,000) is smaller than that of ONNURI (EUR 180,000) [1].", AGREEMENT, []),
        ("HMC's cash (EUR 95,000) is smaller than that of ONNURI (EUR 160,000) [1].", AGREEMENT, [["160,000"]]),
        # Another row is of another thing.
        ("HMC pays EUR 180,000 in cash for 600 sample runs a year [1].", AGREEMENT, [["180,000"]]),
    ],
)
def test_what_stands_below_each_other_holds_a_sentence_together(
    said: str, found: Passage, missing: list[list[str]]
) -> None:
    _, citations, checks = cite(said, [found])
    assert [each["missing"] for each in checks or []] == missing
    assert missing or len(citations) > 1


CARDS = passage(
    "제14조(법인카드) 한 건에 50만원을 넘는 것은 법인카드로 사지 못한다. 학회 등록비는 150만원까지 할 수 있다. "
    "지체상금의 총액은 계약 금액의 10%를 한도로 한다.\n성분: 도전재 | 비율: 2.5 | 허용 오차: ±0.5%\n"
    "성분: 결착제 | 비율: 3.0 | 허용 오차: ±0.5%\n성분: 용매 | 비율: 9.0 | 허용 오차: ±1.0%",
    "규정",
)
LEASE = passage(
    "The rent is 900 euros. Guests may park for two hours in the yard. The yard is swept on Mondays.", "lease"
)


@pytest.mark.parametrize(
    ("said", "found", "quoted"),
    [
        ("학회 등록비는 150만원까지 됩니다 [1]. 120만원은 이 한도 안에 있습니다 [1].", CARDS, ["학회"]),
        ("결착제의 비율은 3.0입니다 [1]. 허용 오차는 ±0.5%입니다 [1].", CARDS, ["성분: 결착제"]),
        ("Guests may park for two hours [1]. So two hours in the yard are fine [1].", LEASE, ["Guests"]),
        # What names another thing, holds another figure or begins with an item goes on with nothing.
        ("결착제의 비율은 3.0입니다 [1]. 도전재의 허용 오차는 ±0.5%입니다 [1].", CARDS, ["성분: 결", "성분: 도"]),
        ("결착제의 비율은 3.0입니다 [1]. 허용 오차는 ±1.0%입니다 [1].", CARDS, ["성분: 결", "성분: 용"]),
        ("- 학회 등록비는 150만원까지 [1]\n- 지체상금의 한도 [1]", CARDS, ["학회", "지체"]),
        ("Guests may park for two hours [1]. The yard is swept on Mondays [1].", LEASE, ["Guests", "The yard"]),
    ],
)
def test_a_sentence_that_goes_on_with_what_was_said_quotes_it_again(
    said: str, found: Passage, quoted: list[str]
) -> None:
    its = [each.quote for each in cite(said, [found], "120만원").citations]
    assert len(its) == len(quoted), its
    assert all(map(str.startswith, its, quoted)), its


OLD = passage(
    "금액: 100만원 미만 | 승인자: 팀장\n금액: 100만원 이상 | 승인자: 소장\n회의는 두 달에 한 번 연다.", "규정"
)
NEW = passage("표 중 “100만원 미만”을 “200만원 미만”으로 한다.\n회의는 한 달에 한 번 연다.", "개정")


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("200만원 미만은 팀장이 승인합니다 [1][2].", ["금액: 100만원 미만", "표 중"]),
        ("회의는 두 달에 한 번에서 한 달에 한 번으로 바뀌었습니다 [2][1].", ["회의는 한", "회의는 두"]),
    ],
)
def test_of_passages_that_are_named_together_each_is_quoted(said: str, quoted: list[str]) -> None:
    _, citations, checks = cite(said, [OLD, NEW])
    assert checks == []
    assert all(map(str.startswith, [each.quote for each in citations], quoted)), citations
    assert len(citations) == len(quoted)


LEVELS = passage(
    "금액: 100만원 이상 | 승인자: 소장 | 처리 기한: 2일\n금액: 1,000만원 이상 | 승인자: 재무이사 | 처리 기한: 3일\n"
    "Room: Cedar | Seats: 12 | Key: front desk\nRoom: Birch | Seats: 30 | Key: caretaker\n견적은 2곳에서 받는다.",
    "규정",
)


@pytest.mark.parametrize(
    ("said", "wanting"),
    [
        ("- **승인자**: 소장 [1]\n- **견적**: 2곳에서 받음 [1]\n- **처리 기한**: 3일 [1]", [["3"]]),
        ("- We take Cedar [1]\n- Seats: 30 [1]", [["30"]]),
        ("- **승인자**: 소장 [1]\n- **처리 기한**: 2일 [1]", []),
        # Another row is named, or the same column told of it.
        ("- **승인자**: 소장 [1]\n- **처리 기한**: 재무이사는 3일 [1]", []),
        ("- 소장의 처리 기한: 2일 [1]\n- 1,000만원 이상의 처리 기한: 3일 [1]", []),
        ("- **승인자**: 소장 [1]\n\n- **처리 기한**: 3일 [1]", []),
    ],
)
def test_an_item_tells_of_the_row_that_one_above_named(said: str, wanting: list[list[str]]) -> None:
    assert [each["missing"] for each in cite(said, [LEVELS]).checks or []] == wanting


ROOMS = passage(
    "Room: R1 | Seats: 10 | Price (KRW): 30,000\nRoom: R2 | Seats: 12 | Price (KRW): 30,000\n"
    "Room: R3 | Seats: 14 | Price (KRW): 30,000\nRoom: R5 | Seats: 40 | Price (KRW): 80,000",
    "Rooms",
)
TABLE = "| 방 | 값 |\n| --- | --- |\n| {} [1] |"


@pytest.mark.parametrize(
    ("said", "rooms", "missing"),
    [
        ("Rooms R1, R2 and R3 cost 30,000 each, 90,000 in all [1].", "123", []),
        (TABLE.format("R1, R2, R3 | 30,000원씩 90,000원"), "123", []),
        ("R1, R2, R5는 모두 140,000원입니다 [1].", "125", []),
        ("Rooms R1, R2 and R3 cost 30,000 each, 95,000 in all [1].", "123", [["95,000"]]),
        (TABLE.format("R1, R2, R5 | 30,000원씩 90,000원"), "125", [["90,000"]]),
        (TABLE.format("R1, R2, R4 | 30,000원씩 60,000원"), "12", [["R4"]]),
    ],
)
def test_of_several_rows_that_are_named_each_is_quoted_and_their_sum_may_be_told(
    said: str, rooms: str, missing: list[list[str]]
) -> None:
    _, citations, checks = cite(said, [ROOMS])
    assert [each["missing"] for each in checks or []] == missing
    quoted = "\n".join(each.quote for each in citations)
    assert [each for each in "1235" if f"Room: R{each} " in quoted][: len(rooms)] == [*rooms]
