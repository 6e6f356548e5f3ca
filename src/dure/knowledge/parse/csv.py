"""Tables as text: CSV with commas, semicolons, tabs or bars."""

import csv
import io
import re
from collections.abc import Iterator

from dure.knowledge.parse import table
from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
_MAX_CELL = 1_000_000


def parse(data: bytes) -> Parsed:
    return Parsed([Page(None, "\n".join(table.lines(rows(data))))])


def rows(data: bytes) -> Iterator[list[str]]:
    """The cells of each row."""
    text = decode(data).replace("\0", "")
    csv.field_size_limit(_MAX_CELL)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))


def delimiter(text: str) -> str:
    """The character that parts the first lines most evenly, quoted cells apart; a comma when none does."""
    sample = [line for line in _QUOTED.sub("", text[:20_000]).splitlines() if line.strip()][:20]

    def evenness(candidate: str) -> tuple[float, int]:
        counts = [line.count(candidate) for line in sample]
        most = max(set(counts), key=counts.count, default=0)
        return (counts.count(most) / len(counts) if most else 0.0), most

    return max(_DELIMITERS, key=evenness) if sample else ","
