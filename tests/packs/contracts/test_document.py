import datetime

import pytest

from dure.packs.contracts.document import assemble
from dure.packs.contracts.draft import draft
from dure.packs.contracts.template import NAMES, templates
from dure.packs.contracts.values import read_value
from tests.packs.contracts.conftest import tables, tree


def text_of(contract):
    """Every word of it, one block a line, without markup."""
    shown = tree(contract.markdown).find_all(["h1", "h2", "p", "li", "th", "td"])
    return "\n".join(each.get_text().strip() for each in shown)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_whole_contracts(name, language, fields):
    done = draft(templates()[name], language, fields(name, language))
    assert (done.missing, done.wrong) == ([], {})
    contract = done.contract
    text = text_of(contract)
    assert "{" not in text
    assert "(으)" not in text
    assert "을(를)" not in text
    first = contract.headings[0]
    assert first.startswith("제1조 (" if language == "ko" else "Article 1. ")
    assert contract.notice.startswith(
        "이 문서는 초안이며 법률 자문이 아닙니다" if language == "ko" else "This document is a draft and no"
    )
    hangul = any("가" <= each <= "힣" for each in "".join(contract.headings))
    assert hangul == (language == "ko")


def test_clauses_stand_where_their_conditions_hold(fields):
    def text(**changed):
        return text_of(draft(templates()["service"], "ko", fields("service", **changed)).contract)

    assert "하자보수" not in text()
    assert "6개월 동안 을의 책임 있는 사유로 생긴 하자" in text(warranty="6개월")
    assert "대금을 다음과 같이 나누어 지급한다" in text()
    assert "제7조의 검수가 끝난 뒤 대금 전액을 지급한다" in text(payments=None)
    assert "공동 소유로 하며" in text(ip="공동")
    assert "대금이 모두 지급된 때에 갑에게 이전된다" in text(ip="갑")
    assert "연 6%의 지연이자" in text(late_rate="6%")


def test_the_wage_of_a_probation_stands_as_it_was_said(fields):
    def text(language, **changed):
        given = fields("employment", language, probation="3개월", **changed)
        return text_of(draft(templates()["employment"], language, given).contract)

    assert "임금과 근로조건은 이 계약에서 정한 것과 같다" in text("ko")
    reduced = text("ko", probation_wage="90%")
    assert "수습 기간의 임금은 이 계약에서 정한 임금의 90%로 하고" in reduced
    assert "임금과 근로조건은 이 계약에서 정한 것과 같다" not in reduced
    assert "Wages during it are 90% of those of this contract" in text("en", probation_wage=90)


def test_numbers_of_articles_follow_what_stands(fields):
    without = draft(templates()["service"], "en", fields("service", "en")).contract
    with_one = draft(templates()["service"], "en", fields("service", "en", warranty="1 year")).contract
    for contract in (without, with_one):
        numbers = [each.split(".")[0] for each in contract.headings]
        assert numbers == [f"Article {at}" for at in range(1, len(numbers) + 1)]
    assert len(with_one.headings) == len(without.headings) + 1


def test_parties_signatures_and_sums_are_tables(fields):
    contract = draft(templates()["nda"], "ko", fields("nda")).contract
    parties, signatures = tables(contract.markdown)
    assert parties == [
        ("당사자", "갑", "을"),
        ("명칭·성명", "주식회사 에이컴퍼니", "비컴퍼니"),
        ("대표자", "김하늘", ""),
        ("주소", "서울시 중구 을지로 1", ""),
        ("등록번호", "", "124-81-00998"),
    ]
    assert signatures[1] == ("갑", "주식회사 에이컴퍼니 (김하늘)", "", "")
    contract = draft(templates()["service"], "ko", fields("service")).contract
    _, table, _ = tables(contract.markdown)
    assert table[0] == ("항목", "금액", "지급 시기")
    assert table[-1] == ("합계", "30,000,000원", "")


def test_a_value_that_looks_like_a_placeholder_is_not_filled_again():
    template = templates()["nda"]
    values = {
        name: read_value(each, each.default, "en")[0]
        for name, each in template.fields.items()
        if isinstance(each.default, int | str)
    }
    values |= {"purpose": "{term} {@law} {purpose} {0.__class__} %s ${x}", "law": "{court}", "court": "Seoul"}
    values |= {"effective_date": datetime.date(2026, 3, 1), "term": values["survival"]}
    for name, party in (("party_a", "{party_b}"), ("party_b", "Bolt")):
        values[name] = read_value(template.fields[name], "x y", "en")[0].__class__(party)
    text = text_of(assemble(template, "en", values))
    assert "to be protected: {term} {@law} {purpose} {0.__class__} %s ${x}\n" in text
    assert "governed by {court}. Disputes" in text
    assert "\n{party_b}\n" in text
