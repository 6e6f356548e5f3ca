"""Links lead to what is there, and pages in Korean have the blocks of the English ones."""

import re
from collections import Counter
from pathlib import Path

import pytest
from fixtures.reader.blocks import ROOT, blocks, pages, text_of

KOREAN = {"README.ko.md": "README.md"} | {
    page: page.replace("docs/ko/", "docs/") for page in pages() if page.startswith("docs/ko/")
}
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """What a link can lead to within a page: its headings as GitHub names them."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = [re.sub(r"\[([^]]*)\]\([^)]*\)|`", r"\1", each) for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in titles}


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    for place, anchor in _LINK.findall(_FENCED.sub("", text_of(page))):
        target = ((ROOT / page).parent / place).resolve() if place else ROOT / page
        assert target.exists(), place
        assert not anchor or anchor in anchors(target), f"{place}#{anchor}"


def test_every_page_is_linked() -> None:
    linked = {
        ((ROOT / page).parent / place).resolve()
        for page in pages()
        for place, _ in _LINK.findall(text_of(page))
        if place
    }
    assert [page for page in pages() if page.startswith("docs/") and ROOT / page not in linked] == []


def without_remarks(text: str) -> str:
    """A block without what is said beside it: remarks and texts in a language."""
    return re.sub(r" *(?:^|\s)# .*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("korean", "english"), KOREAN.items())
def test_both_languages_have_the_same_blocks(korean: str, english: str) -> None:
    def shown(page: str) -> list[tuple[str, str]]:
        # What a terminal prints is in its language.
        return [(each.language, "" if each.language == "text" else without_remarks(each.text)) for each in blocks(page)]

    assert shown(korean) == shown(english)


@pytest.mark.parametrize(("korean", "english"), KOREAN.items())
def test_both_languages_have_the_same_parts(korean: str, english: str) -> None:
    def parts(page: str) -> list[int]:
        return [len(each) for each in re.findall(r"^(#+) ", _FENCED.sub("", text_of(page)), re.MULTILINE)]

    assert parts(korean) == parts(english)


def prose(page: str) -> str:
    """What stands outside of blocks, without the places that links lead to."""
    return re.sub(r"\]\([^)]*\)", "]", _FENCED.sub("", text_of(page)))


def names(page: str) -> set[str]:
    """Code within the prose, but for what is said in a language."""
    return {each for each in re.findall(r"`([^`]+)`", prose(page)) if not re.search("[가-힣]", each)}


def numbers(page: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", re.sub(r"`[^`]+`", "", prose(page))))


@pytest.mark.parametrize(("korean", "english"), KOREAN.items())
def test_both_languages_name_the_same_things_and_numbers(korean: str, english: str) -> None:
    assert names(korean) == names(english)
    assert numbers(korean) == numbers(english)


@pytest.mark.parametrize(("korean", "english"), KOREAN.items())
def test_both_languages_lead_to_each_other(korean: str, english: str) -> None:
    for page, other in ((korean, english), (english, korean)):
        line = text_of(page).splitlines()[2]
        assert [((ROOT / page).parent / place).resolve() for place, _ in _LINK.findall(line)] == [ROOT / other]
