"""Of a table's rows the one that a statement names is quoted, not one that has its figures by chance."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage

LOANS = passage(
    "물품: 현미경 | 대여 기간: 7일 | 보증금: 30,000원 | 승인: 실장\n"
    "물품: 드론 카메라 | 대여 기간: 3일 | 보증금: 80,000원 | 승인: 실장\n"
    "물품: 삼각대 | 대여 기간: 10일 | 보증금: 5,000원 | 승인: 필요 없음\n"
    "물품: 녹음기 | 대여 기간: 14일 | 보증금: 30,000원 | 승인: 실장",
    "대여 규정",
)
VANS = passage(
    "Van: Heron | Seats: 9 | Range: 310 km | Depot: north\nVan: Stork | Seats: 7 | Range: 260 km | Depot: south\n"
    "Van: Crane truck | Seats: 3 | Range: 420 km | Depot: north",
    "fleet",
)


@pytest.mark.parametrize(
    ("said", "found", "quoted", "missing"),
    [
        ("삼각대의 대여 기간은 10일입니다 [1].", LOANS, ["물품: 삼각대"], []),
        ("삼각대의 대여 기간은 14일입니다 [1].", LOANS, ["물품: 삼각대"], [["14"]]),
        ("The Heron has 7 seats [1].", VANS, ["Van: Heron"], [["7"]]),
        ("The Heron does not have 7 seats, only the Stork does [1].", VANS, ["Van: Stork"], []),
        # The other row is named by a part of its name.
        ("The Heron drives 310 km, the truck 420 km [1].", VANS, ["Van: Heron", "Van: Crane"], []),
    ],
)
def test_the_row_that_a_statement_names_has_its_figures_or_they_are_missing(said, found, quoted, missing):
    _, citations, checks = cite(said, [found])
    assert [each["missing"] for each in checks or []] == missing
    assert all(any(each.quote.startswith(quote) for each in citations) for quote in quoted)


def test_a_cell_that_several_rows_have_names_none_for_the_items_below():
    said = "- 실장이 승인했다 [1]\n- 보증금 80,000원을 내고 3일 동안 빌린다 [1]"
    _, citations, checks = cite(said, [LOANS])
    assert (checks, citations[-1].quote[:9]) == ([], "물품: 드론 카메라"[:9])
    # By no chance one row has several figures, by chance one.
    said = "- 현미경을 빌린다 [1]\n- 보증금 80,000원, 3일 [1]"
    assert cite(said, [LOANS]).checks == []
    said = "- 현미경을 빌린다 [1]\n- 보증금: 80,000원 [1]"
    assert [each["missing"] for each in cite(said, [LOANS]).checks or []] == [["80,000"]]


def test_a_figure_of_one_cell_is_no_number_in_the_name_of_another():
    rules = [
        passage("대금은 해마다 10%까지 올릴 수 있다.", "초안"),
        passage("3. 인상: 해마다 5%를 넘지 못한다.", "기준"),
    ]
    row = "| {} 인상 | 해마다 10%까지 [1] | 해마다 3%를 넘지 못함 [2] |"
    for name in ("제3조", "대금"):
        found = cite(f"| 조항 | 초안 | 기준 |\n| --- | --- | --- |\n{row.format(name)}", rules).checks
        assert "3" in [each for check in found or [] for each in check["missing"]]


def test_an_amended_percentage_is_quoted_where_it_stands_not_at_the_article_of_that_number():
    text = "제15조제2항 중 “한 사람”을 “두 사람”으로 한다.\n제26조제1항 중 “100분의 10”을 “100분의 15”로 한다."
    _, citations, checks = cite("내년부터는 적립금을 15% 이상 쌓아야 합니다 [1].", [passage(text, "일부개정")])
    assert (checks, citations[0].quote[:5]) == ([], "제26조제")


VISITS = passage(
    "Visit: V3 | Window (days): ±3 | Blood (mL): 12\nVisit: V7 | Window (days): ±7 | Blood (mL): 20\n"
    "Visit: V9 | Window (days): ±5 | Blood (mL): 32",
    "Schedule",
)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("V9의 범위는 ±5일입니다 [1].", []),
        ("V9의 범위는 ±7일입니다 [1].", [["7"]]),
        ("V9의 채혈량은 12 mL입니다 [1].", [["12"]]),
        ("The window of V9 is ±3 days [1].", [["3"]]),
    ],
)
def test_a_code_names_a_row_also_where_it_was_asked_for(said: str, missing: list[list[str]]) -> None:
    _, citations, found = cite(said, [VISITS], "V9의 범위와 채혈량은?")
    assert [each["missing"] for each in found or []] == missing
    assert [each.quote.partition(" |")[0] for each in citations] == ["Visit: V9"]


REPORTS = passage(
    "일: 기계 고장(생산 중단) | 기한: 2시간 | 서식: K-4\n일: 기계 고장(나머지) | 기한: 9시간 | 서식: K-4\n"
    "일: 재고 차이 | 기한: 9시간 | 서식: K-7",
    "보고 기한",
)
FEES = passage("Fee: Entry (children) | EUR: 4\nFee: Entry (all others) | EUR: 9\nFee: Tour | EUR: 12", "fees")


@pytest.mark.parametrize(
    ("said", "found", "missing"),
    [
        ("생산이 중단되는 고장은 9시간 안에 알립니다(K-4) [1].", REPORTS, [["9"]]),
        ("생산이 중단되는 고장은 2시간 안에 알립니다(K-4) [1].", REPORTS, []),
        ("기계 고장은 생산이 중단되면 2시간, 나머지는 9시간 안에 알립니다 [1].", REPORTS, []),
        ("기계 고장은 나머지가 9시간입니다 [1].", REPORTS, []),
        ("Children pay EUR 9 for the entry [1].", FEES, [["9"]]),
        ("Children pay EUR 4 for the entry [1].", FEES, []),
        ("The entry is EUR 4 for children and EUR 9 else [1].", FEES, []),
    ],
)
def test_of_rows_of_the_same_the_one_with_more_of_the_words_has_the_figures(
    said: str, found: Passage, missing: list[list[str]]
) -> None:
    assert [each["missing"] for each in cite(said, [found]).checks or []] == missing


ZONES = passage(
    "구역 | 직원 | 방문자 | 협력 업체\n구역: 공작실 | 직원: ○ | 방문자: - | 협력 업체: ○*\n"
    "구역: 기록 보관소 | 직원: ○ | 방문자: - | 협력 업체: -\n구역: 로비 | 직원: ○ | 방문자: ○ | 협력 업체: ○",
    "출입 기준",
)
CHECKS = passage(
    "Device | Monthly test | Yearly test\nDevice: Pump | Monthly test: yes | Yearly test: no\n"
    "Device: Boiler | Monthly test: no | Yearly test: yes\nDevice: Lift | Monthly test: yes | Yearly test: yes",
    "tests",
)
GRID = "| 구역 | 직원 | 방문자 |\n| --- | --- | --- |\n| 로비 | ○ | ○ [1] |\n| 기록 보관소 | ○ | {} [1] |"


@pytest.mark.parametrize(
    ("said", "found", "asked", "missing"),
    [
        ("방문자는 기록 보관소에 들어갑니다 [1].", ZONES, "", [["기록 보관소"]]),
        ("방문자가 들어가는 곳은 다음과 같습니다.\n\n- 로비 [1]\n- 공작실 [1]", ZONES, "", [["공작실"]]),
        ("방문자가 들어가는 곳은 다음과 같습니다 [1].\n\n- 로비\n- 공작실", ZONES, "", [["공작실"]]),
        ("들어가는 곳은 다음과 같습니다.\n\n- 로비 [1]\n- 공작실 [1]", ZONES, "방문자는 어디까지?", [["공작실"]]),
        ("## 협력 업체\n\n### 출입\n\n- 공작실 [1]\n- 기록 보관소 [1]", ZONES, "", [["기록 보관소"]]),
        (GRID.format("○"), ZONES, "", [["기록 보관소"]]),
        ("The boiler has a monthly test [1].", CHECKS, "", [["Boiler"]]),
        # What is so, what is denied, and what is told of another column.
        ("방문자는 로비에 들어갑니다 [1].", ZONES, "", []),
        ("방문자는 기록 보관소에 들어가지 못합니다 [1].", ZONES, "", []),
        ("직원은 기록 보관소에, 방문자는 로비에 들어갑니다 [1].", ZONES, "", []),
        ("**방문자**\n\n- 로비 [1]\n\n**직원**\n\n- 기록 보관소 [1]", ZONES, "", []),
        ("## 방문자\n\n- 로비 [1]\n\n## 그 밖\n\n- 기록 보관소 [1]", ZONES, "", []),
        ("방문자의 출입입니다.\n\n- 로비 [1]\n- 기록 보관소: 들어가지 못함 [1]", ZONES, "", []),
        (GRID.format("-"), ZONES, "", []),
        ("The pump has a monthly test, the boiler a yearly test [1].", CHECKS, "", []),
    ],
)
def test_a_sign_of_no_in_the_column_that_is_named_proves_nothing(
    said: str, found: Passage, asked: str, missing: list[list[str]]
) -> None:
    checks = cite(said, [found], asked).checks or []
    assert [each["missing"] for each in checks if each["missing"]] == missing
