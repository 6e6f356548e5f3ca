"""Passages."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.knowledge.parse import Unreadable, join, kinds
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.sentences import sentences
from dure.knowledge.split import LIMIT, split
from dure.sources import SUB

SENTENCE = "연차휴가는 한 해 동안 팔십 퍼센트 이상 출근한 직원에게 열다섯 날을 준다. "


def test_whole_sentences_within_the_limit():
    whole = join(Parsed([Page(None, SENTENCE * 40)]))
    passages = split(whole)
    ends = {end for _, end in sentences(whole.text)}
    assert len(passages) > 2
    assert all(300 < len(p.text) <= LIMIT for p in passages[:-1])
    assert {p.end for p in passages} <= ends


def test_passages_end_behind_short_lines():
    items = [f" {c}. {SENTENCE}기한은 {n}월이다. (담당 김민수)" for n, c in enumerate("가나다라마바사아자차카타", 1)]
    terms = [f"{n}.1 The tenant pays by the 5th of each month. {'It is owed in full. ' * n}" for n in range(1, 11)]
    for lines in (items, terms):
        whole = join(Parsed([Page(None, "\n".join(lines))]))
        passages = split(whole)
        assert len(passages) > 1
        assert all(whole.text[p.end : p.end + 1] in ("\n", "") for p in passages)
        assert all(120 < len(p.text) <= LIMIT for p in passages)


def test_a_long_line_is_cut_between_its_sentences():
    whole = join(Parsed([Page(None, f"짧은 줄이다.\n{SENTENCE * 16}")]))
    first, *_ = split(whole)
    assert first.text.startswith("짧은 줄이다.\n연차휴가는")
    assert len(first.text) > 500


def test_pages_are_known_and_kept_apart():
    whole = join(Parsed([Page(1, "첫째 쪽이다."), Page(4, "넷째 쪽이다.")]))
    assert [(p.page, p.text) for p in split(whole)] == [(1, "첫째 쪽이다."), (4, "넷째 쪽이다.")]


def test_a_sentence_over_a_page_break_stays_whole():
    first = "이 문장은 쪽의 끝에서 끝나지 않고 다음 쪽으로 이어지는 긴 문장이며 그래서"
    whole = join(Parsed([Page(1, f"앞 문장이다. {first}"), Page(2, "하나로 읽힌다. 다음이다.")], flows=True))
    assert [(p.page, p.text) for p in split(whole)] == [
        (1, f"앞 문장이다. {first} 하나로 읽힌다."),
        (2, "다음이다."),
    ]


def test_headings_begin_passages():
    section = "## 절\n\n" + SENTENCE * 4 + "\n\n"
    passages = split(join(Parsed([Page(None, section * 3)])))
    assert [p.text.startswith("## 절") for p in passages] == [True] * 3


def test_numbered_headings_begin_passages_and_items_do_not():
    section = "{} Duties of the keeper\n{} It holds for all who keep the garden, by day and by night.\n"
    text = "".join(section.format(f"{n}.", f"{n}.1") + SENTENCE * 2 + "\n" for n in range(1, 4))
    assert [p.text[:9] for p in split(join(Parsed([Page(None, text)])))] == ["1. Duties", "2. Duties", "3. Duties"]
    items = "\n".join(f"{n}. The garden and what grows in it" for n in range(1, 9))
    assert len(split(join(Parsed([Page(None, items)])))) == 1


def test_a_heading_and_the_names_of_columns_stay_with_what_is_below_them():
    rows = "\n".join(
        f"Kind: tree {n} | Height: {n}5 m | Planted: in the spring of the year 19{n}0" for n in range(1, 6)
    )
    text = f"{SENTENCE * 13}\nKind | Height | Planted\n{rows}"
    for each in (text, text.replace("Kind | Height", "### Trees\nKind | Height")):
        passages = split(join(Parsed([Page(None, each)])))
        assert [p.text.startswith(("Kind |", "### Trees\nKind |")) for p in passages].count(True) == 1


def test_the_rest_of_a_part_is_no_beginning_of_the_next():
    text = f"## 하나\n{SENTENCE * 14}다만 여름에는 그러하지 아니하다.\n## 둘\n{SENTENCE}"
    *_, one, two = split(join(Parsed([Page(None, text)])))
    assert one.text.startswith("연차휴가는")
    assert one.text.endswith("다만 여름에는 그러하지 아니하다.")
    assert two.text.startswith("## 둘")


def test_rows_of_a_table_stand_under_its_caption():
    rows = "\n".join(f"직급: {n}급 | 항목: 숙박 | 한도: {n}5,000" for n in range(40))
    text = f"제18조(문의) 인사팀이 답한다.\n별표 1 국내 여비\n단위: 원\n직급 | 항목 | 한도\n{rows}"
    first, *others = split(join(Parsed([Page(None, text)])))
    assert first.text == "제18조(문의) 인사팀이 답한다."
    assert others[0].text.startswith("별표 1 국내 여비\n단위: 원\n직급 | 항목 | 한도\n직급: 0급")
    assert len(others) > 1
    assert {each.context for each in others} == {"별표 1 국내 여비"}


@pytest.mark.parametrize("sheet", ["별표 2 배의 크기", "[별지 3] 배의 길이", "Annex C. Ships", "Schedule 1: Ships"])
def test_a_sheet_behind_a_text_stands_under_none_of_its_parts(sheet):
    rows = "\n".join(f"Ship: number {n} | Length: {n}9 metres" for n in range(9))
    text = f"제1조(시행일)\n{SENTENCE * 8}\n{{}}\nShip | Length\n{rows}"
    for caption, above in ((sheet, ""), ("Ships of 3 days", "제1조(시행일) › ")):
        assert split(join(Parsed([Page(None, text.format(caption))])))[-1].context == above + caption


def test_rows_of_a_table_stand_under_its_units_in_every_passage():
    rows = "\n".join(f"본부: 영업 {n}팀 | 인건비: {n}50000 | 운영비: 31000" for n in range(40))
    text = f"부서별 예산(안)\n(단위: 천 원)\n본부 | 인건비 | 운영비\n{rows}"
    first, *others = split(join(Parsed([Page(None, text)])))
    assert first.text.startswith("부서별 예산(안)\n(단위: 천 원)\n본부 |")
    assert {each.context for each in others} == {"부서별 예산(안) › (단위: 천 원)"}


def test_the_caption_of_a_numbered_table_reaches_to_the_end_of_its_rows():
    rows = "\n".join(f"종: 개구리 {n} | 울음: {n}5,000" for n in range(40))
    note = "1 연못 하나가 말라 나머지의 평균을 썼다."
    text = f"4. 결과\n{note}\n표 2. 하룻밤 울음.\n종 | 울음\n{rows}\n{SENTENCE * 20}"
    passages = split(join(Parsed([Page(None, text)])))
    under = {words: {p.context for p in passages if p.text.startswith(words)} for words in ("종: ", "연차휴가는")}
    assert under == {"종: ": {"4. 결과 › 표 2. 하룻밤 울음."}, "연차휴가는": {"4. 결과"}}


def test_a_heading_is_no_passage_without_the_table_below_it():
    text = f"{SENTENCE * 9}\n## 연못의 크기\n표 2. 하룻밤 울음.\n종 | 울음\n종: 개구리 | 울음: 15"
    assert split(join(Parsed([Page(None, text)])))[-1].text.startswith("## 연못의 크기\n표 2. 하룻밤 울음.\n종")


def test_no_scraps():
    whole = join(Parsed([Page(None, SENTENCE * 14 + "짧은 끝이다.")]))
    assert min(len(p.text) for p in split(whole)) >= 100


def test_an_endless_sentence_is_cut_at_a_blank():
    whole = join(Parsed([Page(None, "낱말 " * 1000)]))
    passages = split(whole)
    assert all(len(p.text) <= LIMIT and p.text.startswith("낱말") and p.text.endswith("낱말") for p in passages)


def test_no_blank_at_all():
    whole = join(Parsed([Page(None, "가" * 2000)]))
    assert "".join(p.text for p in split(whole)) == whole.text


TEXTS = st.text(st.sampled_from("가다요나abcA . \n\n!?,|#1-제조"), max_size=400)


@given(st.lists(TEXTS, min_size=1, max_size=5), st.integers(1, 8), st.booleans())
def test_every_span_is_right(texts, times, flows):
    """`text == document[start:end]`, in order, without overlap; nothing but blanks is left out; the page is right."""
    try:
        whole = join(Parsed([Page(i + 1, text * times) for i, text in enumerate(texts)], flows=flows))
    except Unreadable:
        return
    passages = split(whole)
    assert all(whole.text[p.start : p.end] == p.text for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    assert "".join("".join(p.text.split()) for p in passages) == "".join(whole.text.split())
    for p in passages:
        assert p.page == [number for number, start in whole.pages if start <= p.start][-1]
        assert len(p.text) <= 2 * LIMIT


def test_passages_of_office_files_and_pages_stand_under_their_headings(files):
    def written(document):
        document.add_heading("여비 규정", 1)
        document.add_heading("숙박비", 2)
        document.add_paragraph("하루 9만 원까지 쓴다. " * 90)
        document.add_heading("교통비", 2)
        document.add_paragraph("실비로 한다. " * 150)

    page = "<h1>여비 규정</h1><h2>숙박비</h2><p>{}</p><h2>교통비</h2><p>{}</p>"
    page = page.format("하루 9만 원까지 쓴다. " * 90, "실비로 한다. " * 150)
    for kind, data in {"docx": files.docx(written), "html": page.encode()}.items():
        found = split(join(kinds.parse(kind, data)))
        for words, part in {"하루 9만": "숙박비", "실비": "교통비"}.items():
            under = {each.context.split(SUB)[-1] for each in found if each.text.startswith(words)}
            assert under == {part}, kind
            assert {each.context.split(SUB)[0] for each in found if words in each.text} == {"여비 규정"}, kind
