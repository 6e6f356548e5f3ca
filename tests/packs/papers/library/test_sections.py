"""Sections of full texts."""

from hypothesis import given
from hypothesis import strategies as st

from dure.packs.papers.library.inside import sections

TEXT = """A Title of Sorts
Ada Lovelace
Abstract
We do things.
1 Introduction
It began long ago. In 1999 there were 3 Apples.
1. First item of a list, which ends here.
2 Related Work
Nothing.
2.1 Older Work
Even less.
3. Our Method for Everything
x = 5
5 Apples on the Table
4 Experiments
Good.
References
[1] A. Nobody. 1999."""


def test_headings_cut_the_text() -> None:
    found = sections(TEXT, [(1, 0), (2, TEXT.index("3. Our"))], "d", "A Title of Sorts")
    assert [s.title for s in found] == [
        "A Title of Sorts",
        "Abstract",
        "1 Introduction",
        "2 Related Work",
        "2.1 Older Work",
        "3. Our Method for Everything",
        "4 Experiments",
        "References",
    ]
    assert [s.page for s in found] == [1, 1, 1, 1, 1, 2, 2, 2]
    assert all(TEXT[s.start : s.end] == s.text for s in found)


def test_korean_papers_have_sections_too() -> None:
    text = "제목\n초록\n요약한다.\n1. 서론\n시작한다.\n2. 제안 방법\n이렇게 한다.\n3. 결론\n끝."
    assert [s.title for s in sections(text, [(1, 0)], "d", "제목")] == [
        "제목",
        "초록",
        "1. 서론",
        "2. 제안 방법",
        "3. 결론",
    ]


def test_headings_without_numbers_may_have_words_beside_the_names_of_parts() -> None:
    lines = ["Abstract", "We sow.", "Our Approach", "Seeds differ.", "Results and Discussion", "They grew by the"]
    lines += ["Model Accuracy", "and more. Nothing else.", "Broader Impact Statement", "No.", "제안 방법", "씨앗을 본"]
    lines += ["비교 모형", "보다 낫다.", "우리 방법은 새롭다", "끝.", "Method   Error", "B   2"]
    found = sections("\n".join(lines), [(1, 0)], "d", "T")
    told = ["Abstract", "Our Approach", "Results and Discussion", "Broader Impact Statement", "제안 방법"]
    assert [s.title for s in found] == told


def test_without_headings_pages_are_sections() -> None:
    found = sections("one page\n\nanother page", [(1, 0), (2, 10)], "d", "T")
    assert [(s.title, s.text, s.page) for s in found] == [("p.1", "one page", 1), ("p.2", "another page", 2)]
    assert [s.title for s in sections("no pages", [], "d", "T")] == ["T"]
    assert sections("", [], "d", "T") == []


@given(st.text(alphabet="1 .\nAbstractInoduI가나초록:"))
def test_any_text_is_covered_in_order(text: str) -> None:
    found = sections(text, [(1, 0)], "d", "T")
    assert "".join("".join(s.text for s in found).split()) == "".join(text.split())
    assert all(text[s.start : s.end] == s.text for s in found)
    assert [s.start for s in found] == sorted(s.start for s in found)
