"""The sentences and rows of a passage, each under what it stands under within the passage too."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dure.knowledge.parse.parsed import CAPTION, ends, headings_in, is_table
from dure.knowledge.sentences import COLUMN as COLUMN
from dure.knowledge.sentences import sentences
from dure.numbers.currencies import CODES, WRITTEN
from dure.numbers.words import BIG, SMALL, either
from dure.patterns import later
from dure.sources import SUB, Passage

_FEW = 40
"""Characters of a line that may name what stands below it."""
_IN_UNITS = later(r"\(([^\W\d_]{1,3}(?: 원)?|%)\): ([\d,.]+)(?= \| |$)")
"""A column's unit and its figure: `책(권): 20`."""
_SIZES = {**SMALL, **BIG}
_SIZE = f"(?:{either((*SMALL, *BIG))})"
_NOTED = later(
    rf"[(\[](?:[^()\[\]\n\d]*?[^\w()\[\]])??(?:(?:{CODES}) (?={_SIZE}))?"
    rf"({_SIZE}* ?(?:{WRITTEN}|{CODES})|{_SIZE})[,/)\]]",
    re.IGNORECASE,
)
"""What all sums of a table are told in: `(단위: 천 원)`, `(USD million)`."""
_SIZED = later(rf"(?<![^\W_])(?<!\d )({_SIZE}+) ?(?:{WRITTEN})", re.IGNORECASE)
"""The same in a column's name: `합계_천원`."""
_SUM = later(r"(?<![^:|] )(?<=[:|] )(?<!\): )([△▲−-]?\d[\d,.]*)(?= \| |$)")
"""A figure that is a whole cell, below a name without a unit."""


def units_of(passage: Passage) -> Iterator[Passage]:
    """The sentences and rows of a passage, each under what it stands under: headings, and lines that name the matter
    (a question, a title, the names of columns), which are none themselves where something stands below them."""
    text, at = passage.text, passage.start
    inner = {start: (level, words) for level, start, words in headings_in(text)}
    parts = passage.context.split(SUB) if passage.context else []
    path = [
        (CAPTION if is_table(part) else max([i, *(level for level, *_ in headings_in(part))]), part)
        for i, part in enumerate(parts, 1)
    ]
    spans, rows = list(sentences(text)), False
    for (a, b), (c, d) in zip(spans, [*spans[1:], (len(text), len(text))], strict=True):
        said, below = text[a:b], text[c:d]
        rows = rows or COLUMN in said
        if rows and COLUMN not in said and said[0].isalnum():
            # Below the rows a table's caption ends, but for remarks.
            path = path[: next((n for n, (_, part) in enumerate(path) if is_table(part)), None)]
            rows = False
        level, words = inner.get(a, (0, ""))
        if words[:1].isdigit() and said[0] != "#" and not (_leads(said, below) and _is_next(words, path)):
            level, words = 0, ""  # What is numbered only may be a list.
        if not level and text[b : b + 1] == "\n" and text[a - 1 : a] in ("", "\n") and _leads(said, below):
            level, words = CAPTION + 1 + said.endswith("?"), said
        if level and words not in [part for _, part in path]:
            path = [above for above in path if above[0] < level] + [(level, words)]
        known = [words, *(part for _, part in path), SUB.join(part for _, part in path)]
        if not below or (said.strip("# \t") not in known and not below.startswith(f"{said.partition(COLUMN)[0]}: ")):
            yield replace(passage, start=at + a, end=at + b, text=said, context=known[-1])


def _is_next(words: str, path: Sequence[tuple[int, str]]) -> bool:
    """Whether a numbered line is the next section: its number follows that of the last section in the path."""
    own = _numbers(words)
    *_, last = [[], *(_numbers(part) for level, part in path if level < CAPTION and part[0].isdigit())]
    n = len(own) - 1
    return bool(last) and own[:n] == last[:n] and own[n] == [*last, 0][n] + 1


def _numbers(heading: str) -> list[int]:
    return [int(each) for each in heading.split()[0].split(".") if each.isdecimal()]


def _leads(line: str, below: str) -> bool:
    """Whether a line of its own only says what is `below` it: a question, or a few words over a sentence or row."""
    if line.endswith("?"):
        return bool(below)
    few = len(line) <= _FEW and not ends(line, ".!。:;,|다") and line[0] not in "-*•|>" and COLUMN not in line
    return few and (COLUMN in below or ends(below, ".!?。"))


def columns(row: str) -> list[str]:
    """The names of the columns of a table's row, of its head its cells."""
    return [cell.partition(": ")[0] for cell in row.split(COLUMN)]


def cells(line: str) -> dict[str, str]:
    """The cells of a table's row by their columns; of a line that begins with a name this name."""
    found = [cell.partition(": ") for cell in line.split(COLUMN)]
    if len(found) == 1:
        name, colon, _ = found[0]
        return {"": name.lstrip("-*• ")} if colon else {}
    return {column: value for column, _, value in found}


def names_cell(statement: str, cell: str) -> bool:
    """Whether a statement has the words of a cell, which are no figure."""
    words = len(cell) > 1 and not any(map(str.isdigit, cell)) and cell.casefold() in statement.casefold()
    return words and bool(re.search(rf"(?<!\w){re.escape(cell)}(?![A-Za-z0-9])", statement, re.IGNORECASE))


def tables_in(passages: Iterable[Passage]) -> list[list[list[str]]]:
    """The tables within a text, each a header and its rows. A row without a value leaves its column out."""
    found: list[tuple[dict[str, str], list[dict[str, str]]]] = []
    for unit in (each for passage in passages for each in units_of(passage)):
        row = {name: value for name, colon, value in (c.partition(": ") for c in unit.text.split(COLUMN)) if colon}
        if len(row) < max(2, len(unit.text.split(COLUMN))):
            continue
        if not found or not (row.keys() <= found[-1][0].keys() or row.keys() >= found[-1][0].keys()):
            found.append(({}, []))
        found[-1][0].update(row)
        found[-1][1].append(row)
    return [[[*head], *([row.get(name, "") for name in head] for row in rows)] for head, rows in found]


def in_units(cells: str) -> str:
    """Cells with the units behind their figures that stand in the names of their columns: `책: 20권`."""
    return _IN_UNITS.sub(lambda found: f": {found[2]}{' ' * found[1].isascii()}{found[1]}".replace(" %", "%"), cells)


def noted(text: str) -> str:
    """The unit that stands in brackets for the sums of a table below; empty where there is none."""
    found = _NOTED.findall(text) if "(" in text or "[" in text else ()
    return found[-1] if found else ""


def sizes(text: str) -> set[int]:
    """What the figures of a text are counted in, where it says so once for all: 1000 for `(단위: 천 원)`."""
    said = [*(_NOTED.findall(text) if "(" in text or "[" in text else ()), *_SIZED.findall(text)]
    found = (re.findall(_SIZE, each, re.IGNORECASE) for each in said)
    return {math.prod(_SIZES[word.lower()] for word in words) for words in found if words}


def in_full(row: str, unit: str) -> str:
    """A row with its figures in the units of their columns, and in that which is `noted` for the whole table."""
    return in_units(_SUM.sub(rf"\1 {unit}", row) if unit else row)
