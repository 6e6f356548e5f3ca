"""HTML pages."""

from functools import partial

import pytest

from dure.knowledge.parse import clean, kinds

parse = partial(kinds.parse, "html")


def text_of(html: str, encoding: str = "utf-8") -> str:
    [page] = parse(html.encode(encoding)).pages
    return clean(page.text)


def test_blocks_become_lines_and_what_is_hidden_goes():
    html = """<html><head><title>자주
      묻는 질문</title><style>p {}</style></head><body><nav>메뉴</nav><h1>보증</h1>
      <p>기간은 <b>2년</b>입니다.<br>디스크는 3년.</p><script>alert(1)</script>
      <!-- 주석 --><ul><li>하나<li>둘</ul></body></html>"""
    parsed = parse(html.encode())
    assert parsed.title == "자주 묻는 질문"
    assert text_of(html) == "보증\n기간은 2년입니다.\n디스크는 3년.\n하나\n둘"


def test_tables_name_their_columns():
    html = "<p>표</p><table><tr><th>항목</th><th>값</th></tr><tr><td>소음</td><td>24 dB</td></tr></table><p>끝</p>"
    assert text_of(html) == "표\n항목 | 값\n항목: 소음 | 값: 24 dB\n끝"


def test_line_ends_in_preformatted_text_stay():
    assert text_of("<pre>a\n  b</pre>c\nd") == "a\n  b\nc d"


@pytest.mark.parametrize("unit", ["<p ", "<!--", "<meta charset=", "</", "<![CDATA[", "&"])
def test_tags_without_end_take_linear_time(assert_linear, unit):
    assert text_of(f"<p>가</p>1 < 2 {unit}").startswith("가\n1 < 2")
    assert_linear(parse, lambda n: f"<p>x</p>{unit * (n // len(unit))}".encode(), 200_000)


def test_declared_korean_encoding():
    html = '<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"><p>똠방각하 펲시콜라</p>'
    assert text_of(html, "cp949") == "똠방각하 펲시콜라"
