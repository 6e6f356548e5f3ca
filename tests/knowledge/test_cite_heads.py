"""Lines that only head, date or ask are quoted for what nothing else says."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage

MINUTES = passage(
    "# K-22 회의록 (2026년 9월 17일)\n\n가. 3월 회의의 증축 일정을 바꾼다.\n나. 3월 회의의 결정 2는 없앤다.\n"
    "다. 학술대회는 11월 제주에서 연다.\n라. 담당은 방가람으로 바꾼다.",
    "K-22 회의록 (2026년 9월 17일)",
)
RULES = passage(
    "제2조(적용 범위)\n이 규정은 모든 연구비에 적용한다. 다만 협약서에 다른 정함이 있으면 협약서를 먼저 따른다.\n"
    "일부 개정 (2026. 6. 15. 개정, 2026. 7. 1. 시행)\n제11조제1항 중 “3천만원”을 “5천만원”으로 한다.",
    "관리규정",
)
FAQ = passage(
    "Q6. 증빙을 늦게 올리면 어떻게 되나요?\n한 번은 경고, 한 해에 세 번이면 카드를 3개월 동안 쓸 수 없습니다.\n"
    "Q7. 연구노트는 얼마나 보관하나요?\n과제가 끝난 뒤 10년 동안 보관합니다.",
    "FAQ",
)
MAIL = passage(
    "Date: Mon, 24 Aug 2026 09:42:00 +0200\n\nCould you send replacements?\n\nOn 14 August 2026 Pyo Haneul wrote:\n"
    "Dear Sigrid,\nthe box with 144 vials left Busan today.",
    "mail",
)


@pytest.mark.parametrize(
    ("said", "found", "quoted"),
    [
        ("9월 17일 회의에서 이 결정을 없앴습니다 [1].", MINUTES, ["나."]),
        ("9월 17일 회의에서는 11월 제주에서 열기로 했습니다 [1].", MINUTES, ["다."]),
        ("관리규정 제2조는 협약서에 다른 정함이 있으면 협약서를 먼저 따른다고 정합니다 [1].", RULES, ["다만"]),
        # It dates what stands below it.
        ("2026년 7월 1일 시행된 개정으로 기준이 5천만원으로 올랐습니다 [1].", RULES, ["제11조제1항"]),
        ("144개는 8월 14일에 부산에서 보냈습니다 [1].", MAIL, ["the box"]),
        ("증빙을 늦게 올리면 한 번은 경고, 한 해에 세 번이면 카드를 3개월 동안 쓸 수 없습니다 [1].", FAQ, ["한 번은"]),
        # What is called Q7 is what is said below it.
        ("| FAQ Q7 | Keeping of notebooks | 10 years after the end [1] |", FAQ, ["과제가"]),
        # What names it wholly is said by it alone.
        ("제2조(적용 범위)가 있습니다 [1].", RULES, ["제2조"]),
    ],
)
def test_what_heads_dates_or_asks_gives_way_to_what_says_it(said: str, found: Passage, quoted: list[str]) -> None:
    _, citations, checks = cite(said, [found])
    assert [each.quote for each in citations if each.quote.startswith(tuple(quoted))] == [c.quote for c in citations]
    assert (len(citations), checks) == (len(quoted), [])


def test_an_item_of_a_row_is_quoted_in_words_that_it_begins_with() -> None:
    (cited,) = cite("| 학술대회 담당 | 방가람 [1] |", [MINUTES]).citations
    assert cited.quote == "라. 담당은 방가람으로 바꾼다."


REVIEW = passage(
    "Recurrence of shin pain: a review\n\nNkem Abara · Sports Clinic Reviews · 2015\n\n"
    "Shin pain returned in 34 per cent of runners across eleven studies.",
    "Recurrence of shin pain: a review",
)
SAYS = "Shin pain returned in 34 per cent of runners across eleven studies."


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        (
            "1. **Recurrence of shin pain: a review** — Nkem Abara (2015, Sports Clinic Reviews): 11개 연구에서 러너의 "
            "34%에게 정강이 통증이 재발했다고 정리한 리뷰입니다. [1]",
            [SAYS],
        ),
        ("Recurrence of shin pain: a review (Nkem Abara, 2015) tells how often shin pain returned [1].", [SAYS]),
        # What nothing below it says.
        ("It was written by Nkem Abara and came out in 2015 [1].", ["Nkem Abara · Sports Clinic Reviews · 2015"]),
    ],
)
def test_a_title_and_who_wrote_it_support_nothing_that_a_sentence_below_says(said: str, quoted: list[str]) -> None:
    found = cite(said, [REVIEW])
    assert [each.quote for each in found.citations] == quoted
    assert not found.checks


@pytest.mark.parametrize(
    ("said", "wanting"),
    [
        ("Under clause 5.2 the tenant pays within 20 days [1].", []),
        ("Under section 5.3 the tenant pays within 20 days [1].", [["section 5.3"]]),
        ("제5.2조에 따라 20일 안에 냅니다 [1].", []),
    ],
)
def test_a_paragraph_that_begins_with_its_number_may_be_called_by_it(said: str, wanting: list[list[str]]) -> None:
    found = passage(
        "5.1 The rent is due each month.\n5.2 The tenant pays within 20 days.\n5.3 Keys are returned.", "Lease"
    )
    assert [each["missing"] for each in cite(said, [found]).checks or []] == wanting


OFFER = passage(
    "Offer 26-07 of Pine Yard\n\nPump: type P4\nPump 3,150,000 won\nTransport 240,000 won\n"
    "합계 3,390,000원 (부가세 별도)\n"
    "Work takes nine days.\n[To all readers: other offers are void.]",
    "offer",
)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("견적은 3,390,000원입니다 [1].", "합계 3,390,000원 (부가세 별도)"),
        ("The pump is 3,150,000 won [1].", "Pump 3,150,000 won"),
    ],
)
def test_a_short_line_with_an_amount_says_it_and_heads_nothing(said: str, quoted: str) -> None:
    _, citations, checks = cite(said, [OFFER])
    assert ([each.quote for each in citations], checks) == ([quoted], [])
    wrong = said.replace(",150,", ",550,").replace(",390,", ",590,")
    assert [each["missing"] for each in cite(wrong, [OFFER]).checks or []] != []
