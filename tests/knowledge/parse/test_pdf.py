"""PDF files."""

from functools import partial
from pathlib import Path

import pytest

from dure.knowledge.parse import Unreadable, join, kinds
from dure.knowledge.parse.pdf import unwrap
from dure.knowledge.parse.pdf_pieces import Letter, with_notes
from dure.knowledge.parse.pdf_words import Words
from dure.knowledge.sentences import sentences

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
    assert unwrap(f"{full}\n- 둘째\n① 셋째", Words([])) == f"{full}\n- 둘째\n① 셋째"


def test_running_heads_are_left_out(files):
    pages = [["한빛여울 인사규정", f"{i} / 4", f"제{i}조 내용이 여기에 있다.", "끝줄"] for i in range(1, 5)]
    texts = [page.text for page in parse(files.pdf(pages)).pages]
    assert "한빛여울 인사규정" in texts[0]
    assert texts[1:] == [f"제{i}조 내용이 여기에 있다." for i in range(2, 5)]


@pytest.mark.parametrize("number", ["{}", "- {} -", "{} / 2"])
@pytest.mark.parametrize("first", [1, 211])
def test_page_numbers_are_left_out_of_short_documents_too(files, number, first):
    line = "이 문장은 쪽의 끝에서 끝나지 않고 다음 쪽으로 이어지는 긴 문장이며 그래서"
    pages = [[number.format(first), "1. 서론", line], [number.format(first + 1), "하나로 읽힌다. 수는 다음이다.", "30"]]
    whole = join(parse(files.pdf(pages)))
    assert whole.text == f"1. 서론\n{line} 하나로 읽힌다. 수는 다음이다.\n30"
    assert [n for n, _ in whole.pages] == [1, 2]


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
    text = unwrap("\n".join([wide.strip(), *COLUMN * 3]), Words([]))
    assert "sign contracts that they do not read. Consumer organisations would like to telling them" in text
    assert "\n2.1 Contracts\n" in text


def test_rows_of_figures_stay_apart():
    rows = ["Contracts of tenancy, all countries 7,520 9.4", "Contracts of employment, everywhere 1,940 9.5"]
    text = unwrap("\n".join([*COLUMN, "Kinds of contracts in the three Lands", *rows, *COLUMN]), Words([]))
    assert "\n".join(["", *rows, ""]) in text


def test_hangul_broken_within_a_word_is_whole_again():
    known = Words(["오래 쓰지 않을 때는 배수 호스를 뺀다 끝\n그 때에는 제품을 끈다"])
    first = "기다리지 말고 오래 쓸 일이 없으면 전원을 끈 다음 때"
    assert unwrap(f"{first}\n에는 연락한다.", known) == f"{first}에는 연락한다."
    assert unwrap(f"{first}\n마다 연락한다.", known) == f"{first} 마다 연락한다."
    first = "기다리지 말고 오래 쓸 일이 없으면 전원을 끈 다음 호스"
    assert unwrap(f"{first}\n제품을 뺀다.", known) == f"{first} 제품을 뺀다."


@pytest.mark.parametrize(
    ("first", "after", "broken"),
    [
        ("장작가마를 땔 때마다 달라지는 정도를 알 수 없", "다. 또한", True),
        ("장작가", "마는 한 번에", True),
        ("낮춘 곳에서 늘었으", "나 크게 늘지 않았다", True),
        ("장작가마로 구운 사발", "다섯 점", False),
        ("받아야", "한다.", False),
        ("장작가마의", "사발은", False),
    ],
)
def test_a_word_goes_on_where_its_end_ends_other_words_of_the_document(first, after, broken):
    lines = [
        "그것은 장작가마에서 오래 구웠으나 높이 쌓았다. 그래서 받아야 한다. 사발 다섯 점을 본다.",
        "이제 장작가마의 사발은 희다. 그러나 보아야 한다. 다시 맑았으나 모두 작다. 끝",
    ]
    assert Words(lines).broken(first, after) is broken


def test_a_word_that_the_end_of_a_page_broke_is_whole_on_the_first(files):
    first = "냉각 속도를 함께 넣은 회귀에서 가마 종류의 효과는 사라졌고 속도가 변동을 설명하"
    pages = [["그들은 냉각 속도를 사용하였다고 한다.", first], ["였다. 바닥은 촘촘하였다."]]
    whole = join(parse(files.pdf(pages)))
    assert whole.text.endswith(f"{first}였다.\n\n바닥은 촘촘하였다.")
    assert [number for number, _ in whole.pages] == [1, 2]


def test_the_end_of_a_word_is_no_item_of_a_list():
    first = "보증 기간은 설치한 날부터 이십사 개월이며 압축기는 삼십육 개월이"
    assert unwrap(f"{first}\n다. 설치일을 모르면 스물일곱 개월로 한다.", Words([])).startswith(f"{first} 다. 설치일")
    assert unwrap(f"가. 하나\n나. {first}\n다. 둘", Words([])).split("\n")[2] == "다. 둘"


def test_the_raised_mark_of_a_note_behind_a_sentence_is_no_digit_of_it():
    data = Path(__file__).parents[3] / "benchmarks" / "data" / "reading"
    text = join(parse((data / "hh-flu-cohort.pdf").read_bytes())).text
    said = [text[start:end] for start, end in sentences(text)]
    assert "co-primary cases and excluded.¹" in next(each for each in said if "co-primary" in each)
    text = join(parse((data / "calia2022-morphdense.pdf").read_bytes())).text
    said = [text[start:end] for start, end in sentences(text)]
    assert [each for each in said if "wording of the passage.¹" in each and each.endswith("¹")]
    assert [each for each in said if each.endswith("XBi takes 11 ms.²")]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("each year^1^|, less 0.6 percent", "each year¹, less 0.6 percent"),
        ("모두 9,120건이다.^2)^| 판결은", "모두 9,120건이다.²) 판결은"),
        ("배수민^1^|, 정하늘^2", "배수민¹, 정하늘²"),
        ("area in m^2", "area in m²"),
        ("10 ^3", "10 3"),
        ("one column|^2 Note", "one column\n2 Note"),
    ],
)
def test_a_raised_mark_is_no_digit_of_what_it_stands_behind_and_ends_no_line(written, read):
    letters, at, raised, line = [], 0.0, False, 0
    for n, text in enumerate(written):
        if text == "^":
            raised = not raised
        elif text == "|":
            # PDFium ends lines behind raised letters, wherever the next one stands.
            letters.append(Letter("\n", at, at, 5, 5))
            at, line = (at, line) if written[n - 1] == "^" else (0.0, line + 20)
        else:
            letters.append(Letter(text, at, at + 4, line - 1.0 if raised else line, line + (6 if raised else 10)))
            at += 4
    assert "".join(letter.text for letter in with_notes(letters)) == read
