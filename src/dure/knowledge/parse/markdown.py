"""Markdown: kept as written, without front matter; the first heading is the title."""

import re

from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed

_FRONT_MATTER = re.compile(r"\A\s*---\s*\n.*?\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)


def parse(data: bytes) -> Parsed:
    """Raises Unreadable for what is no text."""
    text = decode(data).replace("\r\n", "\n")
    text = _FRONT_MATTER.sub("", text, count=1)
    heading = _HEADING.search(text)
    return Parsed([Page(None, text)], title=heading.group(1) if heading else "")
