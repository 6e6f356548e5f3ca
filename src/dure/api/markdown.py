"""Markdown of models as HTML that a page may show: nothing in it runs, loads, or leaves the page unasked.

CommonMark with tables and strikethrough, of which are left out: HTML (shown as it is written), pictures (links
instead: a picture would tell its server of the reader) and link definitions (`[1]` is a citation here). Whatever the
parser makes of a text, the sanitizer lets only `TAGS` with `ATTRIBUTES` through.

Formulas are found here, not by mdit-py-plugins: their time grows with the square of the text's length (30 s for 100 kB
of `\\(`), and they leave a formula right under a line of text unread.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_TEXT = 100_000
"""Characters of a text."""

_DEPTH = 20
"""Levels of lists, quotes and emphasis; what is nested deeper is shown as plain text."""

TAGS = frozenset(
    (
        *("a", "blockquote", "br", "button", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol"),
        *("p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    )
)
_VALUES: dict[str, dict[str, re.Pattern[str] | None]] = {
    "a": {
        "href": re.compile(r"(https?://|mailto:).+", re.IGNORECASE | re.DOTALL),
        **dict.fromkeys(("title", "target", "rel", "class")),
    },
    "button": {"type": None, "class": None, "data-n": re.compile(r"\d{1,3}", re.ASCII)},
    "code": {"class": re.compile(r"language-[\w+#.-]{1,40}", re.ASCII)},
    "div": {"class": re.compile("math|table")},
    "ol": {"start": re.compile(r"\d{1,9}", re.ASCII)},
    "span": {"class": re.compile("math")},
    "td": {"class": re.compile("left|center|right")},
    "th": {"class": re.compile("left|center|right")},
}
"""What an attribute may be; None: anything."""
ATTRIBUTES = {tag: set(values) for tag, values in _VALUES.items()}
_ALWAYS = {
    "a": {"target": "_blank", "class": "external"},
    "button": {"type": "button", "class": "cite"},
}
_REL = "noreferrer noopener nofollow"

# Direction controls make a text look different from what it is; the other controls are no text.
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Hangul, Han and kana belong to an address where a part of it begins (`/wiki/두레`), else to the sentence around it, as
# do the particles, which stand right behind an address too.
_WIDE = "[가-힣\u3040-\u30ff\u3400-\u9fff]"
_PARTICLE = "(?:에서?[는도]?|으?로|[를을는은가이와과의도만나랑]|까지|부터|처럼|보다|이?라고|하고|이[고며나]|입니다)"
_FOUND = re.compile(
    rf"(?P<url>https?://[A-Za-z0-9](?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]"
    rf"|(?<=[/=])(?!{_PARTICLE}(?!{_WIDE})){_WIDE}+(?:[-_+(]+{_WIDE}+)*)*)"
    r"|\[(?P<marks>\d{1,3}(?: ?, ?\d{1,3})*)\]",
    re.ASCII,
)
_BRACKET = re.compile(r"\\.|\[|\]", re.DOTALL)
_CLOSES = {"$$": "$$", "\\(": "\\)", "\\[": "\\]"}
# "$5 and $6" are sums of money: a digit follows the second $, or nothing after the first looks like a formula.
_MATH = re.compile(
    r"\$\$(?!\$\$).{1,2000}?\$\$|\\\((?!\\\)).{1,2000}?\\\)|\\\[(?!\\\]).{1,2000}?\\\]"
    r"|\$(?![\s$])(?!\d[^\\^_=<>+*/{}$]*\$)[^$`]{1,2000}(?<!\s)\$(?!\d)",
    re.DOTALL,
)


def render(text: str) -> str:
    """`text` as HTML of `TAGS` with `ATTRIBUTES` alone, in time linear in its length.

    `[1]` and `[1, 2]` become `<button type="button" class="cite" data-n="1">[1]</button>` for each number. A link has
    class `external`, its address as `title`, `target="_blank"` and `rel="noreferrer noopener nofollow"`. Formulas
    between `$`, `$$`, `\\(` and `\\)` or `\\[` and `\\]` stay as they are written, in a `span`, or where they have
    lines of their own in a `div`, of class `math`. A table stands in a `div` of class `table`; how its cells are
    aligned is a class `left`, `center` or `right`.
    """
    import nh3

    return nh3.clean(
        _parser().render(_UNSEEN.sub("", text)),
        tags=set(TAGS),
        attributes={tag: set(names) - {"rel"} for tag, names in ATTRIBUTES.items()},
        attribute_filter=_allowed,
        url_schemes={"http", "https", "mailto"},
        link_rel=_REL,
        set_tag_attribute_values=_ALWAYS,
        clean_content_tags=set(),
    )


def _allowed(tag: str, name: str, value: str) -> str | None:
    wanted = _VALUES.get(tag, {}).get(name)
    return value if wanted is None or wanted.fullmatch(value) else None


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import image, link

    from dure.api.emphasis import parse

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEPTH})
    parser.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])
    parser.validateLink = lambda url: _allowed("a", "href", url) is not None  # type: ignore[method-assign]
    parser.inline.parse = parse  # type: ignore[method-assign]
    parser.block.ruler.before("table", "too_deep", _too_deep)
    parser.block.ruler.before("table", "math_block", _math_block, {"alt": ["paragraph", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "math", _math)
    parser.inline.ruler.at("link", lambda state, silent: _may_begin(state, "[") and link(state, silent))
    parser.inline.ruler.at("image", lambda state, silent: _may_begin(state, "![") and image(state, silent))
    parser.core.ruler.push("places", _mark_places)
    parser.add_render_rule("cite", _render_cite)
    parser.add_render_rule("math", _render_math)
    parser.add_render_rule("table_open", lambda *_: '<div class="table"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def _too_deep(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """What is nested too deep the parser would drop: here it becomes a paragraph, as it is written."""
    # A list goes two levels deeper.
    if silent or state.level < _DEPTH - 2:
        return False
    state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    inline.content, inline.children = "", [_text(state.getLines(start, end, 0, False).strip())]
    state.push("paragraph_close", "p", -1)
    state.line = end
    return True


def _math_block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """A formula on lines of its own: from one that begins with `$$` or `\\[` to one that ends with its counterpart."""
    line = _line(state, start)
    opens = line[:2]
    if opens not in _CLOSES or state.is_code_block(start):
        return False
    closes, last = _CLOSES[opens], start
    if not (len(line.rstrip()) > 3 and line.rstrip().endswith(closes)):
        # Where none is left, none needs to be looked for from any later line.
        missing = state.env.setdefault("missing", {})
        if start >= missing.get((closes, end), end):
            return False
        last = next((n for n in range(start + 1, end) if _line(state, n).rstrip().endswith(closes)), end)
        if last == end:
            missing[closes, end] = start
            return False
    if not silent:
        token = state.push("math", "div", 0)
        token.content = state.getLines(start, last + 1, state.blkIndent, False).strip()
        state.line = last + 1
    return True


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _math(state: "StateInline", silent: bool) -> bool:
    """`$x$`, `$$x$$`, `\\(x\\)` or `\\[x\\]`: what is between is no Markdown."""
    found = _MATH.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("math", "span", 0).content = found[0]
    state.pos = found.end()
    return True


def _may_begin(state: "StateInline", opens: str) -> bool:
    """Whether a link or picture may begin here: its bracket is closed, and an address follows. The parser alone would
    look to the end from each bracket."""
    if not state.src.startswith(opens, state.pos):
        return False
    known: dict[str, set[int]] = state.env.setdefault("links", {})
    if state.src not in known:
        known[state.src] = _links(state.src)
    return state.pos + len(opens) - 1 in known[state.src]


def _links(source: str) -> set[int]:
    found, opened = set(), []
    for match in _BRACKET.finditer(source):
        if match[0] == "[":
            opened.append(match.start())
        elif match[0] == "]" and opened:
            start = opened.pop()
            if source.startswith("(", match.end()):
                found.add(start)
    return found


def _mark_places(state: "StateCore") -> None:
    """In all text outside code, formulas and links: citations' marks and plain addresses; pictures become links."""
    for token in state.tokens:
        if token.type == "inline":
            token.children = list(_marked(token.children or []))
        elif token.type in ("td_open", "th_open") and "style" in token.attrs:
            # A strict page has no style attributes.
            token.attrs = {"class": str(token.attrs["style"]).removeprefix("text-align:")}


def _marked(tokens: "Iterable[Token]") -> "Iterator[Token]":
    within = 0
    for token in tokens:
        if token.type == "link_open":
            within += 1
            token.attrs = {"href": token.attrs["href"], "title": token.attrs["href"]}
        elif token.type == "link_close":
            within -= 1
        elif token.type == "image":
            src = str(token.attrs["src"])
            shown = _text(_plain(token.children or []) or src)
            yield from [shown] if within else _linked(src, shown)
            continue
        elif token.type == "text" and not within:
            yield from _split(token.content)
            continue
        yield token


def _split(text: str) -> "Iterator[Token]":
    at = 0
    for match in _FOUND.finditer(text):
        start, end = match.span()
        url = match["url"]
        if url:
            url = _trimmed(url)
            end = start + len(url)
        if start > at:
            yield _text(text[at:start])
        if url:
            yield from _linked(url, _text(url))
        else:
            for number in match["marks"].split(","):
                yield _token("cite", str(int(number)))
        at = end
    if at < len(text):
        yield _text(text[at:])


def _trimmed(url: str) -> str:
    """Without the punctuation of the sentence that it stands in."""
    surplus = url.count(")") - url.count("(")
    while url[-1] in "?!.,:;*'_~)&":
        if url[-1] == ")":
            if surplus <= 0:
                break
            surplus -= 1
        url = url[:-1]
    return url


def _linked(href: str, shown: "Token") -> "Iterator[Token]":
    from markdown_it.token import Token

    yield Token("link_open", "a", 1, {"href": href, "title": href})
    yield shown
    yield Token("link_close", "a", -1)


def _text(content: str) -> "Token":
    return _token("text", content)


def _token(kind: str, content: str) -> "Token":
    from markdown_it.token import Token

    return Token(kind, "", 0, content=content)


def _plain(tokens: "Iterable[Token]") -> str:
    return "".join(t.content if t.children is None else _plain(t.children) for t in tokens)


def _render_cite(_: Any, tokens: "Sequence[Token]", at: int, *rest: Any) -> str:
    number = tokens[at].content
    return f'<button data-n="{number}">[{number}]</button>'


def _render_math(_: Any, tokens: "Sequence[Token]", at: int, *rest: Any) -> str:
    token = tokens[at]
    return f'<{token.tag} class="math">{escape(token.content)}</{token.tag}>' + "\n" * token.block
