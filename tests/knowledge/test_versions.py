"""Versions of one document."""

import pytest

from dure.knowledge.versions import amended, in_force, is_later, parts, present, replaced, titled, to_come, version_of
from dure.sources import Passage

OLD, NEW = "여비규정_2025-07-01_전부개정", "여비규정_일부개정_2026-02-01"


@pytest.mark.parametrize(
    ("title", "name", "date"),
    [
        (OLD, "여비규정", (2025, 7, 1)),
        (NEW, "여비규정", (2026, 2, 1)),
        ("Supply Agreement, Amendment 2024", "supplyagreement", (2024,)),
        ("IT 헬프데스크 안내", "it헬프데스크안내", ()),
        ("재택근무지침_v2.0_2026-03-01", "재택근무지침", (2026, 3, 1)),
    ],
)
def test_a_title_tells_the_document_and_its_date(title, name, date):
    assert version_of(title) == (name, date)


def test_a_later_one_is_of_the_same_document():
    assert is_later(NEW, OLD)
    assert not is_later(OLD, NEW)
    assert not is_later("휴가규정_2026-05-01", OLD)
    # Where the other has no date, what amends it is the later one, if it is decided.
    assert is_later(NEW, "여비규정")
    assert is_later("은하마루아파트 관리규약 제5차 개정", "은하마루아파트 관리규약")
    assert is_later("관리규약_제5차_개정", "은하마루아파트_관리규약")
    assert not is_later("관리규약_개정안", "관리규약")
    assert not is_later("여비규정_2026-02-01", "여비규정")
    assert not is_later("여비규정", NEW)


def test_what_amends_a_part_may_call_the_document_by_the_end_of_its_name():
    base = "도서관_이용규정_2025-01-01"
    assert is_later("이용규정_일부개정_2026-04-01", base)
    # Neither another version as a whole, nor what only ends alike.
    assert not is_later("이용규정_전부개정_2026-04-01", base)
    assert not is_later("이용규정_2026-04-01", base)
    assert not is_later("규정_일부개정_2026-04-01", base)


def test_rows_that_a_later_table_of_the_same_part_has_are_replaced():
    def rows(title, context, text):
        return Passage(title, title, None, 0, len(text), text, context=context)

    units = [
        rows("도서관_이용규정_2025-01-01", "제4장 › 별표 1 대출 한도", "구분: 가족 | 책(권): 15"),
        rows("이용규정_일부개정_2026-04-01", "별표 1을 다음과 같이 한다.", "구분: 가족 | 책(권): 20"),
        # Of another part, another thing, other columns.
        rows("도서관_이용규정_2025-01-01", "별표 2", "구분: 가족 | 책(권): 3"),
        rows("도서관_이용규정_2025-01-01", "별표 1", "구분: 단체 | 책(권): 30"),
        rows("도서관_이용규정_2025-01-01", "별표 1", "구분: 가족 | 자격: 2명"),
    ]
    assert replaced(units) == {0}


def test_parts_are_named_alike_however_they_are_written():
    assert parts("제 9 조와 제8조의2, 별표 1") == {"제9조", "제8조의2", "별표1"}
    assert parts("Article 4 and clause 2") == {"article4"}


def unit(title, text, context=""):
    return Passage(title, title, 1, 0, len(text), text, context=context)


RULE = unit(OLD, "출장자는 복귀일부터 10일 이내에 정산한다.", "제9조(정산)")
CHANGE = unit(NEW, "다. 제9조 가운데 “10일 이내”를 “7일 이내”로 한다.")


def test_what_a_later_version_changes_is_found_by_its_part_and_figure():
    others = [unit(NEW, "나. 제8조 제2항 가운데 “210원”을 “235원”으로 한다."), CHANGE]
    assert amended(RULE, others) == (CHANGE, "출장자는 복귀일부터 7일 이내에 정산한다.")


def test_what_was_replaced_as_a_whole_is_not_in_force():
    before, other = unit("여비규정_2024-03-01", "10일 안에 정산한다."), unit("휴가규정_2024-03-01", "이틀을 쉰다.")
    assert in_force([before, RULE, other]) == [RULE, other]
    # A later one that changes parts leaves the rest as it is; of reports none replaces another.
    assert in_force([before, CHANGE]) == [before, CHANGE]
    reports = [unit("품질보고서_2025", "불량은 3건이다."), unit("품질보고서_2026", "불량은 2건이다.")]
    assert in_force(reports) == reports


def test_of_a_day_before_a_version_the_one_before_is_in_force():
    before = unit("여비규정_2024-03-01", "14일 안에 정산한다.")
    change = unit(NEW, f"{CHANGE.text}\n2026년 1월 31일 이전에 출발한 출장은 종전 규정에 따른다.")
    found = [change, RULE, before]
    assert to_come(found, (2026, 1, 29)) == {NEW}
    # For what it does not count yet is still told.
    still = "2026년 1월 31일 이전에 출발한 출장은 종전 규정에 따른다."
    assert [each.text for each in in_force(found, (2026, 1, 29))] == [still, RULE.text]
    assert [each.text for each in in_force(found, (2025, 5, 31))] == [still, before.text]
    assert in_force(found, (2026, 2, 1)) == in_force(found) == [change, RULE]
    # What has no version of before is all there is.
    assert in_force([RULE], (2024, 1, 1)) == [RULE]


def test_of_a_row_what_was_so_is_left_out():
    row = unit(NEW, "조항: 제9조 정산 기한 | 종전: 10일 이내 | 개정: 7일 이내")
    assert amended(RULE, [CHANGE, row]) == (row, "조항: 제9조 정산 기한 | 개정: 7일 이내")


def test_a_cell_with_a_new_figure_stays_whatever_else_it_repeats():
    old = unit(OLD, "자가용은 1km당 210원을 준다.", "제8조(교통비)")
    row = unit(NEW, "조항: 제8조 제2항 | 종전 (2025년 7월 1일): 1km당 210원 | 개정 (2026년 2월 1일): 1km당 235원")
    assert amended(old, [row]) == (row, "조항: 제8조 제2항 | 개정 (2026년 2월 1일): 1km당 235원")


def test_what_has_no_other_figure_changes_nothing():
    old = unit(OLD, "식비(1일): 65달러 | 직급: 부장", "별표 2")
    assert amended(old, [unit(NEW, "별표 2는 2025년 7월 1일 시행 규정대로 65달러를 그대로 적용한다.")]) is None


@pytest.mark.parametrize(
    "other",
    [
        unit(NEW, "제9조 가운데 “20일”을 “30일”로 한다."),
        unit(NEW, "제10조 가운데 “10일 이내”를 “7일 이내”로 한다."),
        unit("휴가규정_2026-05-01", CHANGE.text),
        unit("여비규정_2024-03-01", CHANGE.text),
        unit(NEW, "제9조 가운데 “10회”를 “12회”로 한다."),
    ],
    ids=["figure", "part", "document", "earlier", "unit"],
)
def test_anything_else_changes_nothing(other):
    assert amended(RULE, [other]) is None


def test_an_amendment_that_says_which_words_give_way_is_read_into_the_rule():
    title = "도서관_이용규정_2025-01-01"
    old = unit(title, "② 도착 알림을 받은 날부터 4일 안에 찾아가지 않으면 14일간 돌려보낸다.", "제9조(상호대차)")
    text = '제9조제1항 중 "1인 3권"을 "1인 5권"으로 하고, 같은 조 제2항 중 "4일"을 "3일"로 한다.'
    change = unit("이용규정_일부개정_2026-04-01", text)
    assert amended(old, [change]) == (change, old.text.replace(" 4일", " 3일"))
    notice = unit("변경 통지 제3호: 도서관_이용규정", text)
    assert amended(old, [notice]) == (notice, old.text.replace(" 4일", " 3일"))
    # What only tells of the rules changes nothing.
    assert (
        amended(old, [unit("도서관_이용규정 안내", "제9조에 따라 4일이 지나면 14일이 아니라 15일이 걸립니다.")]) is None
    )
    # What it says besides, such as for whom, is told with it.
    rule = unit("Lending_Rules_2025-01-01", "It is sent back after 4 days.", "Article 9 Loans between libraries")
    other = unit("Lending_Rules_amended_2026-04-01", "Article 9: “3 days” is substituted for “4 days” for maps.")
    assert amended(rule, [other]) == (other, other.text)


@pytest.mark.parametrize(
    ("title", "file", "whole"),
    [
        ("거래기본계약서", "한빛정밀_거래기본계약_2026.docx", "한빛정밀 거래기본계약서 2026"),
        ("여비규정", "여비규정_일부개정_2026-02-01.docx", "여비규정 일부개정 2026-02-01"),
        ("여비규정(2026. 2. 1. 시행)", "여비규정_2026-02-01.pdf", "여비규정(2026. 2. 1. 시행)"),
        ("Supply Agreement", "Hanbit Supply_Agreement v2.pdf", "Hanbit Supply Agreement v2"),
        ("Attention Is All You Need", "1706.03762v7.pdf", "Attention Is All You Need 1706.03762v7"),
        ("재택근무 운영 지침", "재택근무지침.md", "재택근무 운영 지침"),
        ("여비규정_2026", "여비규정_2026.txt", "여비규정_2026"),
        ("☆", "★.txt", "☆"),
    ],
)
def test_a_title_tells_what_the_name_of_its_file_tells_besides(title: str, file: str, whole: str) -> None:
    assert titled(title, file) == whole
    assert titled(whole, file) == whole


@pytest.mark.parametrize(
    ("row", "now"),
    [
        ("Part: Article 4 fee | Before: 30 euros | As amended: 45 euros", "Part: Article 4 fee | As amended: 45 euros"),
        # What is of another kind, or has no figure, is not what was so.
        ("항목: 숙박 | 개정: 95,000원 | 비고: 1박", "항목: 숙박 | 개정: 95,000원 | 비고: 1박"),
        ("항목: 승인 | 종전: 팀장 | 개정: 본부장", "항목: 승인 | 종전: 팀장 | 개정: 본부장"),
        ("1월: 10명 | 2월: 12명", "1월: 10명 | 2월: 12명"),
    ],
)
def test_of_a_row_what_is_so_now(row, now):
    assert present(row) == now
