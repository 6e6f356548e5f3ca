"""Markdown of models: shown as it is meant, and never more than that."""

import re
from collections.abc import Awaitable, Callable
from html import unescape
from html.parser import HTMLParser

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.api.markdown import ATTRIBUTES, MAX_TEXT, TAGS, render

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
VOID = {"br", "hr"}


class Seen(HTMLParser):
    """What a piece of HTML holds; raises AssertionError for anything that is not allowed in it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert len(dict(attrs)) == len(attrs)
        assert {name for name, _ in attrs} <= ATTRIBUTES.get(tag, set())
        found = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a":
            # A link in a link is none: browsers would close the outer one early.
            assert self.open.count("a") == 1
            assert re.match(r"(https?://|mailto:)", found["href"], re.IGNORECASE)
            assert found["target"] == "_blank"
            assert found["class"] == "external"
            assert set(found["rel"].split()) == {"noreferrer", "noopener", "nofollow"}
            self.links.append(found["href"])
        if tag == "button":
            assert found["type"] == "button"
            assert found["class"] == "cite"
            assert re.fullmatch("[0-9]{1,3}", found["data-n"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def shown(text: str) -> str:
    return Seen(render(text)).text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "# 제목\n\n**굵게** *기울여* ~~취소~~",
            "<h1>제목</h1>\n<p><strong>굵게</strong> <em>기울여</em> <s>취소</s></p>\n",
        ),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1\n</code></pre>\n'),
        ("한 줄  \n두 줄", "<p>한 줄<br>\n두 줄</p>\n"),
        ("$5 and $6", "<p>$5 and $6</p>\n"),
        ("US$5 and US$6 and `$x$`", "<p>US$5 and US$6 and <code>$x$</code></p>\n"),
        ("$a_1*b*c$", '<p><span class="math">$a_1*b*c$</span></p>\n'),
        (
            r"\(x_1 * y_2\) \[z\]",
            '<p><span class="math">\\(x_1 * y_2\\)</span> <span class="math">\\[z\\]</span></p>\n',
        ),
        (
            "값\n$$\nE = mc^2\n- b < 1\n$$\n끝",
            '<p>값</p>\n<div class="math">$$\nE = mc^2\n- b &lt; 1\n$$</div>\n<p>끝</p>\n',
        ),
        (r"\[ a_1 \]", '<div class="math">\\[ a_1 \\]</div>\n'),
        ("$$ a", "<p>$$ a</p>\n"),
        ("> $$\n> a\n\n$$", "<blockquote>\n<p>$$\na</p>\n</blockquote>\n<p>$$</p>\n"),
    ],
)
def test_markdown(text: str, html: str) -> None:
    assert render(text) == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**50%**를 넘는", "<strong>50%</strong>를 넘는"),
        ("**연차휴가(유급)**는 15일", "<strong>연차휴가(유급)</strong>는 15일"),
        ('**"연차"**는', '<strong>"연차"</strong>는'),
        (
            "**제1조(목적)**에 따라 **제2조(정의)**와",
            "<strong>제1조(목적)</strong>에 따라 <strong>제2조(정의)</strong>와",
        ),
        ("**`code`**를", "<strong><code>code</code></strong>를"),
        ("앞**“인용”**뒤", "앞<strong>“인용”</strong>뒤"),
        ("*「약관」*이 ~~취소(무효)~~된", "<em>「약관」</em>이 <s>취소(무효)</s>된"),
        ("***(주)두레***가", "<em><strong>(주)두레</strong></em>가"),
        ("**が。**は", "<strong>が。</strong>は"),
        ("a*b*c 2 * 3 * 4 a_b_는 ** 굵게 **", "a<em>b</em>c 2 * 3 * 4 a_b_는 ** 굵게 **"),
        ("a**(b)**c", "a**(b)**c"),
    ],
)
def test_emphasis_ends_before_a_particle(text: str, html: str) -> None:
    assert render(text) == f"<p>{html}</p>\n"


def test_a_table_is_aligned_by_classes() -> None:
    html = render("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert html.startswith('<div class="table"><table>')
    assert '<td class="center">1</td>\n<td class="right">2</td>' in html
    assert "style" not in html


@pytest.mark.parametrize("text", ["휴가[1]", "[1]\n\n[1]: https://a.kr", "**[1]**", "| [1] |\n|-|"])
def test_marks_are_buttons(text: str) -> None:
    html = render(text)
    assert re.findall(r"<button[^>]*>([^<]*)</button>", html) == ["[1]"] or html.count("data-n") == 2
    assert 'data-n="1"' in html


def test_several_numbers_in_one_mark() -> None:
    assert re.findall(r'data-n="(\d+)"', render("말 [2, 3][07]")) == ["2", "3", "7"]


@pytest.mark.parametrize(
    "text", ["`[1]`", "```\n[1]\n```", "[[1] a](https://a.kr)", "$[1]$", "[1](https://a.kr)", "[x1]", "[1234]"]
)
def test_what_is_no_mark(text: str) -> None:
    assert "button" not in Seen(render(text)).tags


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a](https://a.kr 'title')", ["https://a.kr"]),
        ("<https://a.kr/?a=1&b=2> <kim@a.kr>", ["https://a.kr/?a=1&b=2", "mailto:kim@a.kr"]),
        (
            "https://a.kr/b_(c)에서 (https://a.kr/d). https://a.kr/e?",
            ["https://a.kr/b_(c)", "https://a.kr/d", "https://a.kr/e"],
        ),
        (
            "https://a.kr/에서 https://a.kr/b/는 https://a.kr/b로",
            ["https://a.kr/", "https://a.kr/b/", "https://a.kr/b"],
        ),
        (
            "https://a.kr/wiki/두레_(조직) (https://a.kr/?q=두레&n=1) https://a.kr/가나/다라.",
            ["https://a.kr/wiki/두레_(조직)", "https://a.kr/?q=두레&n=1", "https://a.kr/가나/다라"],
        ),
        ("![그림](https://a.kr/a.png)", ["https://a.kr/a.png"]),
        ("![](https://a.kr/a.png)", ["https://a.kr/a.png"]),
        ("[![그림](https://a.kr/a.png)](https://b.kr)", ["https://b.kr"]),
        ("`https://a.kr`", []),
    ],
)
def test_links(text: str, links: list[str]) -> None:
    assert Seen(render(text)).links == links


def test_a_link_says_where_it_leads() -> None:
    html = render("[https://bank.kr](https://evil.example/)")
    assert 'title="https://evil.example/"' in html


@pytest.mark.parametrize(
    "url",
    [
        *(
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java&#10;script:alert(1)",
            "&#106;avascript:alert(1)",
            "\x01javascript:alert(1)",
        ),
        *(
            "vbscript:x",
            "data:text/html,<script>alert(1)</script>",
            "data:image/png;base64,AAAA",
            "file:///etc/passwd",
        ),
        *(
            "/v1/sessions",
            "//evil.example",
            "#/documents",
            "?a",
            "a.html",
            "http:a",
            "javascript://%0aalert(1)",
        ),
        *("\u200bjavascript:alert(1)", "java\tscript:alert(1)"),
    ],
)
@pytest.mark.parametrize("form", ["[a]({})", "[a](<{}>)", "![a]({})", "<{}>", "[a]: {}\n\n[a]", "{}"])
def test_other_addresses_are_no_links(url: str, form: str) -> None:
    assert Seen(render(form.format(url))).links == []


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<style>*{background:url(//evil.example)}</style>",
    '<p style="background:url(//evil.example)">x</p>',
    "<form action=//evil.example><input name=key><button formaction=javascript:alert(1)>x</button></form>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x></object><embed src=x><link rel=stylesheet href=x>",
    "<meta http-equiv=refresh content=0><base href=//evil.example>",
    '<a href="javascript:alert(1)">x</a>',
    "<a href=https://a.kr onclick=alert(1)>x</a>",
    "<div><div><b><i></div></b></p></div>",
    "<!-- --!> <img src=x> -->",
    "<![CDATA[ <script>alert(1)</script> ]]>",
    "<?php echo 1 ?>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x&#62;",
    "[<img src=x onerror=alert(1)>](https://a.kr)",
    '[a](https://a.kr "\\" onclick=alert(1)")',
    '[a](https://a.kr/"onmouseover=alert(1))',
    '![" onerror="alert(1)](https://a.kr)',
    '```"><img src=x onerror=alert(1)>\nx\n```',
    "``` js onload=alert(1)\nx\n```",
    "`<img src=x>`",
    "$<img src=x onerror=alert(1)>$",
    "$$\n<script>alert(1)</script>\n$$",
    "| <img src=x> |\n|-|\n| <script> |",
    "<textarea><img src=x></textarea><title></title><xmp></xmp><plaintext>",
    "<x-y is=z contenteditable autofocus onfocus=alert(1) tabindex=1>",
    "<video><source onerror=alert(1)></video><audio src=x>",
    "<template><script>alert(1)</script></template>",
    "<button class=cite data-n=1>x</button><button type=submit>x</button>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_html_is_shown_not_done(text: str) -> None:
    seen = Seen(render(text))
    assert set(seen.tags) <= {
        "p",
        "a",
        "code",
        "pre",
        "div",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "blockquote",
    }
    if text.startswith("<") and "\n" not in text:
        assert seen.text.strip() == unescape(text).strip()


def test_nothing_unseen_turns_the_text_around() -> None:
    html = render("보고서\u202egnp.exe\u2066 a\x1b[0m\x00 `rm\u202e`\n\n[a](https://a.kr/\u202e)")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", html)
    assert "\u200d" in render("👩\u200d💻")


@pytest.mark.parametrize("opened", [">", "> ", "- ", "1. ", "* ", "  - ", ">- ", "**a ", "[", "[[a](", "*_", "~~a "])
def test_what_is_nested_deep_is_not_lost(opened: str) -> None:
    assert "끝말" in shown(opened * 400 + "끝말")
    assert "끝말" in shown("\n".join("  " * n + "- a" for n in range(60)) + " 끝말")


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[",
            "![",
            "](",
            "[a](",
            "[a](b",
            "![](",
            "![a*b](https://c) ",
            "[a*b](https://c) ",
            "[![a](https://b)](https://c) ",
            "[]",
            "]",
            "[1]",
            "[x\n",
            "[a](<b",
            '[a](b "',
        ),
        *(
            "*",
            "*a ",
            "**a*",
            "_a*b",
            "*_",
            "~~a",
            "`",
            "`a``b",
            "<",
            "<a@",
            "<http:a",
            "&",
            "&#1;",
            "\\",
            "\\[",
            "\\(",
        ),
        *(
            ">",
            "> ",
            "- ",
            "-\n",
            ">a\n",
            "# ",
            "```\n",
            "a\n",
            " \n",
            "1. ",
            "1.\n",
            "|a",
            "|a\n|-\n",
            "|a\n",
            "a|b\n-|-\n",
        ),
        *(
            "$",
            "$a ",
            "$$",
            "$$a\n",
            "\\[a\n",
            "$\n",
            "https://",
            "https://a",
            "https://a((((",
            "http://a.))",
            "\u202e",
            "가",
        ),
    ],
)
def test_no_text_takes_long(piece: str, steps: Callable[..., int]) -> None:
    """Four times the text takes four times the steps; what would grow with its square takes sixteen times as many."""
    render(piece)
    few, many = (steps(render, (piece * size)[:size]) for size in (1000, 4000))
    assert many < 6 * few


def test_hundred_thousand_brackets() -> None:
    for text in ("[" * MAX_TEXT, "[" * (MAX_TEXT // 2) + "](a)" * (MAX_TEXT // 8), "![" * (MAX_TEXT // 2)):
        assert render(text)


PIECES = st.sampled_from(
    [
        *HOSTILE,
        *(
            "[1]",
            "[a](",
            "](https://a.kr)",
            "![",
            "**",
            "_",
            "`",
            "```",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "| ",
            "|-|-|\n",
            "$",
            "$$",
        ),
        *(
            "\\",
            "<",
            ">",
            "&",
            '"',
            "'",
            "javascript:",
            "https://a.kr",
            "src=",
            " onload=x ",
            "\u202e",
            "\u200b",
            "\x00",
        ),
        *("가", "a", " ", "    "),
    ]
)


@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
def test_whatever_the_text_nothing_but_the_allowed_comes_out(text: str) -> None:
    html = render(text)
    Seen(html)
    assert not re.search(r"<[^>]*\ssrc\s*=", re.sub(r'"[^"]*"', '""', html))


async def test_over_http(serve: Serve) -> None:
    client = await serve()
    reply = await client.post("/v1/render", json={"text": "**안녕** <script>"})
    assert (reply.status_code, reply.json()) == (200, {"html": "<p><strong>안녕</strong> &lt;script&gt;</p>\n"})
    assert reply.headers["content-type"] == "application/json"
    assert (await client.post("/v1/render", json={"text": ""})).json() == {"html": ""}
    long = await client.post("/v1/render", json={"text": "가나다라\n\n" * 1000})
    assert long.json()["html"].count("<p>") == 1000


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"text": "' + b"a" * (MAX_TEXT + 1) + b'"}', 413, "message_too_long"),
        (b'{"text": "' + b"a" * (MAX_TEXT * 13) + b'"}', 413, "too_large"),
        (b'{"text": "\\ud800"}', 422, "invalid_text"),
        (b'{"text": 1}', 422, "invalid_input"),
        (b"{}", 422, "invalid_input"),
        (b"{", 400, "invalid_json"),
    ],
)
async def test_bad_input(serve: Serve, body: bytes, status: int, code: str) -> None:
    client = await serve()
    headers = {"Content-Type": "application/json", "Accept-Language": "en"}
    reply = await client.post("/v1/render", content=body, headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


async def test_it_needs_a_key(serve: Serve) -> None:
    client = await serve(api_keys="kim:1")
    assert (await client.post("/v1/render", json={"text": "a"})).status_code == 401
