"""Pages joined to one text."""

import pytest

from dure.knowledge.parse import Unreadable, join
from dure.knowledge.parse import parsed as module
from dure.knowledge.parse.parsed import Page, Parsed, clean, headings_in


def test_pages_start_where_the_map_says():
    whole = join(Parsed([Page(1, " 하나 "), Page(2, ""), Page(3, "셋")]))
    assert whole.text == "하나\n\n셋"
    assert [(number, whole.text[start]) for number, start in whole.pages] == [(1, "하"), (3, "셋")]


def test_no_blanks_at_lines_ends_and_one_empty_line_at_most():
    assert clean("  가 \t\r\n\xa0\n \n\n  나\u200b \n\n다\n ") == "가\n\n  나\n\n다"


def test_long_blanks_take_linear_time(assert_linear):
    for unit in (" ", "\n", " \n", "\t\n\n", "\n x"):
        assert_linear(clean, lambda n, unit=unit: f"a{unit * n}b", 200_000)


def test_a_sentence_runs_on_over_a_page_break():
    first = "이 문장은 쪽의 끝에서 끝나지 않고 다음 쪽으로 이어지는 긴 문장이며 그래서"
    assert join(Parsed([Page(1, first), Page(2, "하나로 읽힌다.")], flows=True)).text == f"{first} 하나로 읽힌다."
    assert "\n\n" in join(Parsed([Page(1, first + "."), Page(2, "새 문장이다.")], flows=True)).text
    assert "\n\n" in join(Parsed([Page(1, first), Page(2, "다음 슬라이드")])).text


def test_nothing_to_read():
    with pytest.raises(Unreadable) as caught:
        join(Parsed([Page(1, " -- \n"), Page(2, "")]))
    assert caught.value.problem == "no_text"


def test_too_long(monkeypatch):
    monkeypatch.setattr(module, "MAX_CHARS", 10)
    with pytest.raises(Unreadable) as caught:
        join(Parsed([Page(None, "글" * 11)]))
    assert "11" in caught.value.message("ko")


def test_headings_of_markdown_of_rules_and_with_numbers():
    text = "# 규정\n제2장 휴가\n제7조(연차휴가) ① 회사는 준다.\n1. 개요\n2.1 범위\n3. 신청서를 낸다.\n## ##\n"
    headings = [(level, words) for level, _, words in join(Parsed([Page(None, text)])).headings]
    assert headings == [(1, "규정"), (2, "제2장 휴가"), (5, "제7조(연차휴가)"), (1, "1. 개요"), (2, "2.1 범위")]


def test_an_accent_that_stands_before_its_letter_is_on_it():
    assert clean("Dvo\u02c7r\u00e1k, na\u00a8\u0131ve, M\u02dcunoz") == "Dvořák, naïve, Mũnoz"
    assert clean("20 ˚C, 5˚X, ˆ2, ¨") == "20 ˚C, 5˚X, ˆ2, ¨"


@pytest.mark.parametrize(
    "words",
    [
        "부칙",
        "부 칙 <제12호>",
        "Chapter 7. Safety",
        "Clause 12 Fees",
        "Article 10 Term",
    ],
)
def test_chapters_of_english_rules_and_the_rules_behind_others_are_headings(words):
    assert [each for _, _, each in headings_in(f"{words}\n한다.")] == [words]


def test_what_names_a_part_within_a_sentence_is_no_heading():
    text = "부칙 제2조에 따른 계약의 요금\n부칙은 다음과 같다"
    assert headings_in(f"{text}\nChapter 7 applies here\nArticle 5 is void.\nPart of it") == []


def test_the_rules_behind_others_stand_beside_their_chapters():
    text = "제1장 총칙\n제1조(목적) 정한다.\n부칙\n제1조(시행일) 시행한다."
    assert [level for level, *_ in headings_in(text)] == [2, 5, 2, 5]


def test_a_note_below_a_table_and_the_last_item_of_a_list_are_no_caption_of_the_next_table():
    for note in ("공동으로 내면 반으로 줄인다.", "5. Goods on loan.", "2. 금고에 넣고 두 사람이 센다."):
        text = f"갑 | 을\n갑: 1 | 을: 2\n{note}\n보관 기간\n병 | 정\n병: 3 | 정: 4"
        assert [words for *_, words in join(Parsed([Page(None, text)])).headings] == ["보관 기간"]
    lead = "요금은 다음과 같다.\n(단위: 천 원)\n병 | 정\n병: 3 | 정: 4"
    assert [words for *_, words in join(Parsed([Page(None, lead)])).headings] == [
        "요금은 다음과 같다.",
        "(단위: 천 원)",
    ]


def test_rows_of_a_table_do_not_run_on_over_a_page_break():
    row = "자료: 계약서와 그에 딸린 서류 | 기간: 10년 | 곳: 계약팀의 서고"
    for pages in ((row, "자료: 심의록 | 기간: 5년"), ("이 문장은 쪽의 끝에서 끝나지 않고 다음 쪽으로 간다고", row)):
        assert "\n\n" in join(Parsed([Page(n, each) for n, each in enumerate(pages, 1)], flows=True)).text
