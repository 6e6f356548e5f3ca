"""What a run found, and what its answer may name of it."""

from datetime import date, timedelta

import pytest

from dure.agents.found import Sources
from dure.sources import Passage

SAVED = "합계를 구해 `합계.csv` 파일로 저장했습니다."


def test_a_file_that_nobody_made_is_told() -> None:
    sources = Sources()
    said = f"{SAVED}\n\n| 지역 | 합계 |\n|---|---|\n| 서울 | 4 |\n\n출처: 매출.xlsx"
    assert [each["missing"] for each in sources.unknown_files(said, ["매출.xlsx의 합계를 저장해줘"])] == [["합계.csv"]]
    sources.told.append("합계.csv 파일을 만들었습니다.")
    assert sources.unknown_files(said, ["매출.xlsx의 합계를 저장해줘"]) == []


def test_files_of_documents_and_of_code_are_no_claims() -> None:
    sources = Sources([Passage("d", "단가 조정", 1, 0, 12, "첨부: 단가표.xlsx", context="메일")])
    said = "첨부는 단가표.xlsx입니다. 주소는 https://example.com/a.html입니다.\n```\nopen('x.csv')\n```"
    assert sources.unknown_files(said, []) == []


def test_todays_date_needs_no_source() -> None:
    rule = "직원은 주 3일까지 재택근무를 할 수 있다."
    sources, now = Sources([Passage("d", "지침", None, 0, len(rule), rule)]), date.today()
    korean, english = f"{now.month}월 {now.day}일", f"{now:%B} {now.day}"
    for written in (f"{now}", f"{now.year}년 {korean}", korean, f"{english}, {now.year}", english):
        assert sources.cited(f"현재({written}) 기준으로 주 3일까지 재택근무를 할 수 있습니다 [1].", "").checks == []
    other = now - timedelta(days=400)
    assert sources.cited(f"{other}부터 직원은 주 3일까지 재택근무를 할 수 있습니다 [1].", "").checks


def test_a_particle_behind_a_name_hides_no_file():
    said = "코드는 매출.py에 있고 결과는 result.csv로도 저장했습니다."
    [check] = Sources(told=["파일 매출.py"]).unknown_files(said, [])
    assert check["missing"] == ["result.csv"]


@pytest.mark.parametrize(("given", "held"), [("lists", True), ("said", True), ("told", False)])
def test_what_counts_nothing_lets_no_count_of_a_table_pass(given: str, held: bool) -> None:
    text = "branch | stock\nbranch: Ham | stock: 19\nbranch: Ulm | stock: 72"
    sources = Sources([Passage("d", "stock_2026", 1, 0, len(text), text)])
    sources.results[1] = ["| branches |\n|---|\n| 2 |\n\n(1 row)"]
    getattr(sources, given).append("stock_2026(branch, stock): in words what stock is in which branch, 2 rows")
    checks = (
        sources.cited("There are **7** branches with stock. They were counted in stock_2026 [1].", "?").checks or []
    )
    assert any("7" in each["missing"] for each in checks) == held
