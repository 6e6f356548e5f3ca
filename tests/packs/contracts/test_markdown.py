import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.contracts.clean import clean
from dure.packs.contracts.draft import draft
from dure.packs.contracts.markdown import escaped, listed, table
from dure.packs.contracts.template import NAMES, templates
from tests.packs.contracts.conftest import tree

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</td></table><h1>x</h1>",
    "# 제목",
    "## 제99조",
    "> 인용",
    "- 목록",
    "1. 하나",
    "12) 하나",
    "+ 하나",
    "* 하나 *강조* **굵게** __밑__ ~~줄~~",
    "---",
    "===",
    "```python",
    "~~~",
    "    코드",
    "`코드` ``x``",
    "| a | b |",
    "a | --- | b \\| c \\",
    "[링크](javascript:alert(1))",
    "![그림](http://evil/x.png)",
    "<http://evil.example>",
    "http://evil.example www.evil.example a@evil.example",
    "[a]: http://evil.example",
    "&lt;b&gt; &amp; &#60; &nbsp;",
    "줄\n\n# 다음 줄\r\n| x |\n",
    "\u2028# x\u2029# y\x0b# z\x0c\x85# w",
    "\u202eevil\u200b\x00\x1b[31m",
    "$x^2$ {{ 7*7 }} ${7*7} {%x%} #{x}",
    ": 정의",
    "\\",
    "끝 역사선\\",
    "a  ",
    "[^1]: 각주",
    ":::warning",
    "<!-- 주석",
    "<![CDATA[ x",
    "<?php",
]


def pieces(text: str) -> str:
    """`text` in every place that a value can have."""
    rows = table([("a", text), ("b", text)])
    line = escaped(text)
    return "\n\n".join(
        [line, rows, f"## {line}", f"① {line}", line, listed((text, text)), f"1.1 {line}", rows, "맺음", rows]
    )


def shape(markdown: str) -> list[str]:
    return [each.name for each in tree(markdown).find_all(True)]


def shows(text: str) -> None:
    """Wherever it stands, `text` is read as it is, and adds no element."""
    line = clean(text)
    if not line:
        return
    markdown = pieces(line)
    assert shape(markdown) == shape(pieces("평범"))
    found = [each.get_text() for each in tree(markdown).find_all(["p", "li", "td", "th"])]
    assert [" ".join(each.split()) for each in found if each == line or line in each].count(line) >= 8, found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    shows(text)


@given(st.text("ab1 #*_-+=|\\`~[](){}<>!&;:./$@^\"'가\n", max_size=30) | st.text(max_size=60))
def test_any_text_stays_text(text):
    shows(text)


def test_bare_addresses_become_no_links():
    shown = escaped("http://evil.example www.evil.example a@evil.example")
    assert shown == r"http\://evil.example www\.evil.example a\@evil.example"


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_whole_contracts_in_markdown(name, language, fields):
    done = draft(templates()[name], language, fields(name, language))
    page = tree(done.contract.markdown)
    assert [each.get_text() for each in page.find_all("h1")] == [done.contract.title]
    assert [each.get_text() for each in page.find_all("h2")] == done.contract.headings
    assert page.find("blockquote").get_text().strip() == done.contract.notice
    assert len(page.find_all("table")) >= 2
    assert not page.find_all(["ol", "a", "em", "strong", "code", "pre", "hr", "img"])
