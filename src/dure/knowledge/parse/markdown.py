"""Markdown: kept as written, without front matter; the first heading is the title."""

from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    lines = _without_front_matter(decode(data).replace("\r\n", "\n").split("\n"))
    return Parsed([Page(None, "\n".join(lines))], title=next(filter(None, map(_heading, lines)), ""))


def _without_front_matter(lines: list[str]) -> list[str]:
    """The lines behind `---`, at least one line, and `---` or `...`."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines) - 1)
    if lines[first].strip() != "---":
        return lines
    last = next((at for at in range(first + 2, len(lines)) if lines[at].rstrip() in ("---", "...")), -1)
    return lines[last + 1 :]


def _heading(line: str) -> str:
    """The words of a heading of the first level; "" for another line."""
    if not line.startswith("#") or not line[1:2].isspace():
        return ""
    words = line[1:].strip()
    bare = words.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else words
