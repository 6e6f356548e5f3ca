"""The main text of an HTML page, by trafilatura, in a child process: `python -m dure.packs.web.extract`.

A hostile page can hang a parser, crash it or fill the memory; here it takes only this process with it, and nothing
of one page is left for the next.
"""

from collections.abc import Iterable
from typing import Any

from dure.packs.web.problems import PageUnreadable
from dure.serving import serve

SECONDS = 15.0
MEMORY = 2 << 30
"""Bytes of address space."""
MAX_CHARS = 1_000_000
"""Longest text of a page; what is beyond is left out."""

# References like [3] would be taken for the numbers of sources.
_REFERENCES = "//sup[.//a[starts-with(@href, '#')]]"


async def extract(html: str, seconds: float = SECONDS) -> dict[str, Any]:
    """`{title, text, date}` of a page; each may be "". Raises PageUnreadable."""
    from dure.child import Child, ChildLost

    child = Child(__name__)
    try:
        (found,) = await child.ask({"html": html.encode("utf-8", "replace").decode(), "seconds": seconds})
    except TimeoutError:
        raise PageUnreadable("slow", seconds=seconds) from None
    except ChildLost:
        raise PageUnreadable("crash") from None
    finally:
        await child.close()
    return found


def read(html: str) -> dict[str, Any]:
    """The main text; all that a reader sees where no part of the page looks like the main one."""
    from trafilatura import bare_extraction, load_html
    from trafilatura.xml import xmltotxt

    try:
        document: Any = bare_extraction(
            None if (tree := load_html(html)) is None else _unmerged(tree),
            include_comments=False,
            with_metadata=True,
            prune_xpath=_REFERENCES,
            # A date that the page names; not one found by guessing.
            date_extraction_params={"original_date": True, "extensive_search": False},
        )
    except RecursionError:
        document = None
    title, text, date = (getattr(document, name, None) or "" for name in ("title", "text", "date"))
    if text:
        text = xmltotxt(_in_lines(document.body), False)
    if not text:
        whole_title, text = _whole(html)
        title = title or whole_title
    return {"title": title[:300], "text": text[:MAX_CHARS], "date": date[:10]}


def _unmerged(tree: Any) -> Any:
    """The page with its merged cells spread over their rows and columns, which extraction would leave empty."""
    from dure.knowledge.parse import table
    from dure.knowledge.parse.html import cell

    for each in tree.xpath("//table[.//@rowspan or .//@colspan][not(.//table)]"):
        rows = [[cell(one, one.text_content()) for one in row.iterchildren("td", "th")] for row in each.iter("tr")]
        plain = [_holding("tr", [_holding("td", text=text) for text in row]) for row in table.spanned(rows)]
        each[:] = [*each.xpath("caption"), *plain]
    return tree


def _in_lines(body: Any) -> Any:
    """The main text with its tables in lines as of documents, where each value has its column's name beside it."""
    from dure.knowledge.parse import table

    for each in body.xpath(".//table[not(.//table)]"):
        rows = [["".join(cell.itertext()) for cell in row.iter("cell")] for row in each.iter("row")]
        lines = _holding("p", [_holding("lb", tail=line) for line in table.lines(rows)])
        lines.tail = each.tail
        each.getparent().replace(each, lines)
    return body


def _holding(tag: str, children: Iterable[Any] = (), *, text: str = "", tail: str = "") -> Any:
    from lxml.html import Element

    made = Element(tag)
    made.text, made.tail = text, tail
    made.extend(children)
    return made


def _whole(html: str) -> tuple[str, str]:
    from dure.knowledge.parse import Unreadable, join, parse

    try:
        # With a byte order mark, so that no charset named in the page is believed any more.
        parsed = parse("html", html.encode("utf-8-sig", "replace"))
        return parsed.title, join(parsed).text
    except Unreadable:
        return "", ""


if __name__ == "__main__":
    serve(lambda request: read(request["html"]), memory=MEMORY)
