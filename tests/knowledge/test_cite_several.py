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
