"""Markdown of models in the browser: shown as it is meant, and never more than that."""

import json
import re
from html import unescape
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.asyncio(loop_scope="session")

TAGS = {
    *(
        "a",
        "blockquote",
        "br",
        "button",
        "code",
        "div",
        "em",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ),
    *("hr", "li", "ol", "p", "path", "pre", "s", "span", "strong", "sup", "svg", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
DRAW = """async ([texts, open]) => {
  const { Markdown } = await import(new URL("static/js/markdown.js", document.baseURI));
  const { h, render } = await import(new URL("static/js/preact.js", document.baseURI));
  return texts.map((text) => {
    const host = document.createElement("div");
    render(h(Markdown, { text, open }), host);
    const elements = [...host.querySelectorAll(".md *")];
    const links = elements.filter((each) => each.localName === "a");
    const parts = [...host.querySelector(".md").children];
    return {
      html: parts.map((each) => (each.matches(".piece") ? each.innerHTML : each.outerHTML)).join(""),
      text: host.textContent,
      tags: [...new Set(elements.map((each) => each.localName))],
      names: [...new Set(elements.flatMap((each) => [...each.attributes].map((one) => one.name)))],
      links: links.map((each) => each.getAttribute("href")), rel: [...new Set(links.map((each) => each.rel))],
      cites: elements.filter((each) => each.className === "cite").map((each) => each.dataset.n),
    };
  });
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def page(browser: Any, tmp_path_factory: Any) -> Any:
    """A page of a server, for all tests of this file; no longer, since a server whose loop stands still ends the
    process."""
    from dure import Dure
    from dure.testing import served

    given = {"data_dir": tmp_path_factory.mktemp("data"), "embeddings": False, "model_base_url": "http://127.0.0.1:9"}
    async with served(Dure(port=0, **given)) as url:
        page = await browser.new_page(locale="ko-KR")
        await page.goto(url)
        await page.wait_for_selector("html[data-ready]")
        yield page
        await page.close()


async def drawn(page: Any, *texts: str, open: bool = False) -> list[dict[str, Any]]:
    found = await page.evaluate(DRAW, [texts, open])
    for each in found:
        assert set(each["tags"]) <= TAGS
        assert not [name for name in each["names"] if name.startswith("on") or name in ("src", "style", "srcdoc")]
        assert all(re.match(r"(https?://|mailto:)", link, re.IGNORECASE) for link in each["links"])
        assert set(each["rel"]) <= {"noreferrer noopener nofollow"}
    return found


async def html(page: Any, text: str, open: bool = False) -> str:
    """As HTML, without what only helps: labels, the frames of tables and of code."""
    (found,) = await drawn(page, text, open=open)
    return re.sub(r' (?:aria-\w+|tabindex|role|type|title|target|rel)="[^"]*"', "", found["html"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "# 제목\n\n**굵게** *기울여* ~~취소~~",
            "<h1>제목</h1><p><strong>굵게</strong> <em>기울여</em> <s>취소</s></p>",
        ),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n  - b\n\n  c\n- d", "<ul><li><p>a</p><ul><li>b</li></ul><p>c</p></li><li><p>d</p></li></ul>"),
        ("1. a\n   - b\n   - c\n2. d", "<ol><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>"),
        ("말:\n- 하나\n- 둘\n\n끝", "<p>말:</p><ul><li>하나</li><li>둘</li></ul><p>끝</p>"),
        ("한 줄  \n두 줄\n셋", "<p>한 줄<br>\n두 줄\n셋</p>"),
        ("> 인용\n> 둘\n\n끝", "<blockquote><p>인용\n둘</p></blockquote><p>끝</p>"),
        ("제목\n===\n\n---", "<h1>제목</h1><hr>"),
        ("2024. 3. 1. 시행", "<p>2024. 3. 1. 시행</p>"),
        ("$5 and $6", "<p>$5 and $6</p>"),
        ("US$5 and US$6 and `$x$`", "<p>US$5 and US$6 and <code>$x$</code></p>"),
        ("$a_1*b*c$", '<p><span class="math">$a_1*b*c$</span></p>'),
        (r"\(x_1 * y_2\) \[z\]", r'<p><span class="math">\(x_1 * y_2\)</span> <span class="math">\[z\]</span></p>'),
        ("값\n$$\nE = mc^2\n- b < 1\n$$\n끝", '<p>값</p><div class="math">$$\nE = mc^2\n- b &lt; 1\n$$</div><p>끝</p>'),
        ("$$ a", "<p>$$ a</p>"),
        (r"a\*b\* &lt;b&gt; &#44032; &nope;", "<p>a*b* &lt;b&gt; 가 &amp;nope;</p>"),
    ],
)
async def test_markdown(page, text: str, wanted: str) -> None:
    assert await html(page, text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("**50%**를 넘는", "<strong>50%</strong>를 넘는"),
        ("**연차휴가(유급)**는 15일", "<strong>연차휴가(유급)</strong>는 15일"),
        ('**"연차"**는', '<strong>"연차"</strong>는'),
        ("**제1조(목적)**에 **제2조(정의)**와", "<strong>제1조(목적)</strong>에 <strong>제2조(정의)</strong>와"),
        ("**`code`**를", "<strong><code>code</code></strong>를"),
        ("앞**“인용”**뒤", "앞<strong>“인용”</strong>뒤"),
        ("*「약관」*이 ~~취소(무효)~~된", "<em>「약관」</em>이 <s>취소(무효)</s>된"),
        ("***(주)두레***가", "<em><strong>(주)두레</strong></em>가"),
        ("**が。**は", "<strong>が。</strong>は"),
        ("a*b*c 2 * 3 * 4 a_b_는 ** 굵게 **", "a<em>b</em>c 2 * 3 * 4 a_b_는 ** 굵게 **"),
        ("a**(b)**c", "a**(b)**c"),
    ],
)
async def test_emphasis_ends_before_a_particle(page, text: str, wanted: str) -> None:
    assert await html(page, text) == f"<p>{wanted}</p>"


async def test_tables_code_tasks_and_notes(page) -> None:
    table = await html(page, "| a | b |\n|:-:|--:|\n| 1,204,000,00 | `x\\|y` |\n| 말 |")
    assert '<td class="center number">1,204,000,00</td><td class="right"><code>x|y</code></td>' in table
    assert '<td class="center">말</td><td class="right"></td>' in table
    code = await html(page, "```py\nx < 1\n```")
    assert '<pre><code class="language-py">x &lt; 1</code></pre>' in code
    assert "<figcaption><span>py</span>" in code
    tasks = await html(page, "- [x] 한 일\n- [ ] 할 일")
    assert re.findall(r'<li class="(task(?: done)?)">', tasks) == ["task done", "task"]
    notes = await html(page, "말[^1]과 둘[^b].\n\n[^1]: 첫 **주**\n[^b]: 둘째")
    assert re.findall(r'<sup class="note-mark">(\d)</sup>', notes) == ["1", "2"]
    assert '<ol class="notes"><li>첫 <strong>주</strong></li><li>둘째</li></ol>' in notes


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        *(("휴가[1]", ["1"]), ("[1]\n\n[1]: https://a.kr", ["1", "1"]), ("**[1]**", ["1"]), ("| [1] |\n|-|", ["1"])),
        ("말 [2, 3][07]", ["2", "3", "7"]),
        *((text, []) for text in ("`[1]`", "```\n[1]\n```", "[[1] a](https://a.kr)", "$[1]$", "[1](https://a.kr)")),
        *((text, []) for text in ("[x1]", "[1234]")),
    ],
)
async def test_marks_are_buttons(page, text: str, cites: list[str]) -> None:
    assert (await drawn(page, text))[0]["cites"] == cites


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
async def test_links(page, text: str, links: list[str]) -> None:
    assert (await drawn(page, text))[0]["links"] == links


BAD = [
    *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#10;script:alert(1)", "&#106;avascript:alert(1)"),
    *("\x01javascript:alert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd"),
    *("/v1/sessions", "//evil.example", "#/documents", "?a", "a.html", "http:a", "javascript://%0aalert(1)"),
    *("\u200bjavascript:alert(1)", "java\tscript:alert(1)"),
]


@pytest.mark.parametrize("form", ["[a]({})", "[a](<{}>)", "![a]({})", "<{}>", "[a]: {}\n\n[a]", "{}"])
async def test_other_addresses_are_no_links(page, form: str) -> None:
    assert [each["links"] for each in await drawn(page, *(form.format(url) for url in BAD))] == [[]] * len(BAD)


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


async def test_html_is_shown_not_done(page) -> None:
    for text, seen in zip(HOSTILE, await drawn(page, *HOSTILE), strict=True):
        assert not set(seen["tags"]) & {"hr", "img", "script", "style", "svg", "button"} - {"button", "svg"}
        if text.startswith("<") and "\n" not in text:
            assert seen["text"].strip() == unescape(text).strip()


async def test_nothing_unseen_turns_the_text_around(page) -> None:
    text = "보고서\u202egnp.exe\u2066 a\x1b[0m\x00 `rm\u202e`\n\n[a](https://a.kr/\u202e) &#x202e; 👩\u200d💻"
    (seen,) = await drawn(page, text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", seen["html"])
    assert "\u200d" in seen["html"]


async def test_what_is_nested_deep_or_long_is_not_lost(page) -> None:
    deep = [
        opened * 400 + "끝말"
        for opened in (">", "> ", "- ", "1. ", "* ", "  - ", ">- ", "**a ", "[", "[[a](", "*_", "~~a ")
    ]
    deep.append("\n".join("  " * n + "- a" for n in range(60)) + " 끝말")
    for open in (False, True):
        assert [each["text"] for each in await drawn(page, *deep, open=open) if "끝말" not in each["text"]] == []
    pieces = (
        "[",
        "![",
        "](",
        "[a](b",
        "[a](<b",
        "*",
        "*a ",
        "**a*",
        "_a*b",
        "~~a",
        "`",
        "`a``b",
        "<",
        "&",
        "\\[",
        "\\(",
        "$",
        "$a ",
        "$$",
        "$$a\n",
    )
    more = (
        "> ",
        ">a\n",
        "- ",
        "-\n",
        "1. ",
        "# ",
        "```\n",
        "a\n",
        "|a\n|-\n",
        "|a",
        "https://a((((",
        "http://a.))",
        "가",
    )
    # What grew with the square of its length would not end within the time that a test has.
    assert len(await drawn(page, *((piece * 50_000)[:50_000] for piece in pieces + more))) == len(pieces + more)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("휴가는 **15", "<p>휴가는 <strong>15</strong></p>"),
        ("휴가는 **", "<p>휴가는 </p>"),
        ("`코", "<p><code>코</code></p>"),
        ("[규정](https://a.k", "<p>규정</p>"),
        ("[규", "<p>규</p>"),
        ("15일 [", "<p>15일 </p>"),
        ("15일 [1", "<p>15일 </p>"),
        ("말\n\n| 근속 | 일", "<p>말</p>"),
        ("말\n\n-", "<p>말</p><ul><li></li></ul>"),
        ("```py\nx = 1\n``", '<pre><code class="language-py">x = 1</code></pre>'),
    ],
)
async def test_half_a_mark_is_not_shown_while_it_is_written(page, text: str, wanted: str) -> None:
    assert wanted in await html(page, text, open=True)


async def test_what_is_written_touches_the_last_blocks_alone(page) -> None:
    """Of an answer of 60 paragraphs that grows, the others are neither made anew nor changed."""
    script = """async () => {
      const { Markdown } = await import(new URL("static/js/markdown.js", document.baseURI));
      const { h, render } = await import(new URL("static/js/preact.js", document.baseURI));
      const host = document.createElement("div");
      const text = Array.from({ length: 60 }, (_, n) => `문단 ${n}`).join("\\n\\n");
      render(h(Markdown, { text, open: true }), host);
      const before = [...host.querySelectorAll(".piece")];
      const seen = [];
      const watching = new MutationObserver((found) => seen.push(...found));
      watching.observe(host, { subtree: true, childList: true, characterData: true, attributes: true });
      for (const more of [" 더", " 더 길게", " 더 길게\\n\\n다음", " 더 길게\\n\\n다음 문단"])
        render(h(Markdown, { text: text + more, open: true }), host);
      seen.push(...watching.takeRecords());
      const last = before.at(-1);
      return {
        changes: seen.length, elsewhere: seen.filter(({ target }) => !last.contains(target)).length,
        pieces: before.length, same: before.every((each, n) => each === host.querySelectorAll(".piece")[n]),
        end: host.querySelector(".piece:last-child").lastChild.textContent,
      };
    }"""
    found = await page.evaluate(script)
    assert found.pop("changes") >= 4
    assert found == {"elsewhere": 0, "pieces": 3, "same": True, "end": "다음 문단"}


async def test_whole_at_the_end_it_is_the_same_however_it_came(page) -> None:
    """Drawn letter by letter in one place, and at once."""
    text = "# 가\n\n말 **굵** [1]\n\n- a\n- b\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n```py\nx\n```\n\n끝[^1]\n\n[^1]: 주"
    script = """async (text) => {
      const { Markdown } = await import(new URL("static/js/markdown.js", document.baseURI));
      const { h, render } = await import(new URL("static/js/preact.js", document.baseURI));
      const [slow, fast] = [document.createElement("div"), document.createElement("div")];
      for (let end = 1; end <= text.length; end += 1)
        render(h(Markdown, { text: text.slice(0, end), open: true }), slow);
      render(h(Markdown, { text, open: false }), slow);
      render(h(Markdown, { text, open: false }), fast);
      return [slow.innerHTML, fast.innerHTML];
    }"""
    slow, fast = await page.evaluate(script, text)
    assert slow == fast
    assert "<sup" in fast


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
        *("가", "a", " ", "    ", "[^1]", "[^1]: ", "[x] "),
    ]
)


async def test_whatever_the_text_nothing_but_the_allowed_comes_out(page) -> None:
    texts: list[str] = []

    @given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
    @settings(suppress_health_check=list(HealthCheck), database=None)
    def gather(text: str) -> None:
        texts.append(json.loads(json.dumps(text).replace("\\ud8", "\\u00")))

    gather()
    for open in (False, True):
        assert len(await drawn(page, *texts, open=open)) == len(texts)
