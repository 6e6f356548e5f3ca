"""Markdown: kept as written, without front matter; the first heading is the title."""

import re

from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed

_FRONT_MATTER = re.compile(r"\s*---[^\S\n]*+\n(?:[^\n]*+\n)+?(?:---|\.\.\.)[^\S\n]*+(?:\n|\Z)")
_HEADING = re.compile(r"^#[^\S\n](.*)", re.MULTILINE)
_CLOSING = re.compile(r"(?:^|\s)#+$")


def parse(data: bytes) -> Parsed:
    text = decode(data).replace("\r\n", "\n")
    matter = _FRONT_MATTER.match(text)
    text = text[matter.end() :] if matter else text
    titles = (_CLOSING.sub("", line[1].strip()).rstrip() for line in _HEADING.finditer(text))
    return Parsed([Page(None, text)], title=next(filter(None, titles), ""))
