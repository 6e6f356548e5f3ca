"""JSON calls between a pair of special tokens, for the families that have one of their own (shared by their files)."""

from dure.dialects.formats.base import Format, Found
from dure.dialects.formats.hermes import read_block
from dure.dialects.source import Source


def tagged_json(name: str, openings: tuple[str, ...], closings: tuple[str, ...]) -> Format:
    """A format in which `openings` announce one or more JSON calls that `closings` end."""

    def scan(src: Source, at: int, marker: str) -> Found | None:
        start = src.space(at + len(marker))
        char = src.text[start : start + 1]
        if not char:
            return Found(len(src.text), unfinished="?")
        if char == "`":
            line = src.find("\n", start)
            start = src.space(line + 1) if line >= 0 else len(src.text)
        found = read_block(src, start, closed=False)
        if found is None:
            return None
        end = src.space(found.end)
        for closing in closings:
            if src.starts(closing, end):
                found.end = end + len(closing)
        return found

    return Format(name, openings, scan)
