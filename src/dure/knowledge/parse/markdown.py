"""Markdown: kept as written, without front matter, tables as rows; the first heading is the title."""

import re
from itertools import takewhile

from dure.knowledge.parse import table
from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed

_FRONT_MATTER = re.compile(r"\s*---[^\S\n]*+\n(?:[^\n]*+\n)+?(?:---|\.\.\.)[^\S\n]*+(?:\n|\Z)")
_HEADING = re.compile(r"^#[^\S\n](.*)", re.MULTILINE)
_TABLE = re.compile(r"^[^\S\n]*\|?[^\S\n]*:?-+:?[^\S\n]*\|[-:| \t]*$", re.MULTILINE)
"""The line below a table's header."""
_CLOSING = re.compile(r"(?:^|\s)#+$")


def parse(data: bytes) -> Parsed:
    text = decode(data).replace("\r\n", "\n")
    matter = _FRONT_MATTER.match(text)
    text = text[matter.end() :] if matter else text
    titles = (_CLOSING.sub("", line[1].strip()).rstrip() for line in _HEADING.finditer(text))
    text = _in_rows(text) if _TABLE.search(text) else text
    return Parsed([Page(None, text)], title=next(filter(None, titles), ""))


def _in_rows(text: str) -> str:
    """The text with each value of a table beside its column's name."""
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for begin in [n for n, token in enumerate(tokens) if token.type == "table_open"][::-1]:
        rows: list[list[str]] = []
        for token in takewhile(lambda token: token.type != "table_close", tokens[begin:]):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token.content)
        first, end = tokens[begin].map or (0, 0)
        lines[first:end] = table.lines(rows[1:], rows[0])
    return "\n".join(lines)
