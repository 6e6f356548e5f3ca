"""PDF files."""

from functools import partial

import pytest

from dure.knowledge.parse import Unreadable, join, kinds
from dure.knowledge.parse.pdf import unwrap

parse = partial(kinds.parse, "pdf")


def test_pages_keep_their_numbers(files):
    parsed = parse(files.pdf([["첫째 쪽의 글이다."], ["Second page."], ["셋째 쪽의 글이다."]]))
    assert [(page.number, page.text) for page in parsed.pages] == [
        (1, "첫째 쪽의 글이다."),
        (2, "Second page."),
        (3, "셋째 쪽의 글이다."),
    ]


def test_an_empty_page_does_not_shift_the_numbers(files):
    whole = join(parse(files.pdf([["첫째 쪽이다."], [], ["셋째 쪽이다."]])))
    assert [number for number, _ in whole.pages] == [1, 3]
    assert whole.text[whole.pages[1][1] :] == "셋째 쪽이다."


def test_lines_broken_by_the_page_are_joined(files):
    first = "연차휴가는 한 해 동안 팔십 퍼센트 이상 출근한 직원에게 열다섯 날을 주는 것을 원칙으로"
    parsed = parse(files.pdf([[first, "한다. 다만 예외가 있다.", "제2조 신청"]]))
    assert parsed.pages[0].text == f"{first} 한다. 다만 예외가 있다.\n제2조 신청"


def test_list_items_stay_apart():
    full = "가나다라마바사아자차카타파하 가나다라마바사아자차카타파하 가나다라"
    assert unwrap(f"{full}\n- 둘째\n① 셋째") == f"{full}\n- 둘째\n① 셋째"


def test_running_heads_are_left_out(files):
    pages = [["한빛여울 인사규정", f"{i} / 4", f"제{i}조 내용이 여기에 있다.", "끝줄"] for i in range(1, 5)]
    texts = [page.text for page in parse(files.pdf(pages)).pages]
    assert "한빛여울 인사규정" in texts[0]
    assert texts[1:] == [f"제{i}조 내용이 여기에 있다." for i in range(2, 5)]


def test_encrypted(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.pdf([["비밀"]], encrypted=True))
    assert caught.value.problem == "encrypted"
    assert "암호" in caught.value.message("ko")
    assert "password" in caught.value.message("en")


def test_broken(files):
    with pytest.raises(Unreadable, match="damaged"):
        parse(b"%PDF-1.7\nnothing of a PDF follows")


def test_pages_without_text_are_a_scan(files):
    with pytest.raises(Unreadable) as caught:
        join(parse(files.pdf([[], []])))
    assert caught.value.problem == "no_text"


COLUMN = [
    "Tenants and employees sign contracts that they do",
    "not read. Consumer organisations would like to tel‐",
    "ling them which of their obligations are unusual.",
    "2.1 Contracts",
    "Members of three consumer organisations in three",
    "countries donated contracts, and had names hidden",
    "in them. We use all of them.",
]


def test_lines_of_a_column_are_joined_beside_wider_ones():
    wide = "Table 1: a caption that runs over both columns of the page and is as wide as the page itself. " * 2
    text = unwrap("\n".join([wide.strip(), *COLUMN * 3]))
    assert "sign contracts that they do not read. Consumer organisations would like to telling them" in text
    assert "\n2.1 Contracts\n" in text


def test_rows_of_figures_stay_apart():
    rows = ["Contracts of tenancy, all countries 7,520 9.4", "Contracts of employment, everywhere 1,940 9.5"]
    text = unwrap("\n".join([*COLUMN, "Kinds of contracts in the three Lands", *rows, *COLUMN]))
    assert "\n".join(["", *rows, ""]) in text
