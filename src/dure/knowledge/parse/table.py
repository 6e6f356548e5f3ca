"""Rows of a table as lines of text: each value beside its column's name, so that a row can be read alone."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, zip_longest
from typing import NamedTuple
from unicodedata import category

MAX_ROWS = 20_000
"""Rows of one table that become text; further ones are for the table tools."""
MAX_COLUMNS = 200
_FIGURE = 20
"""Characters of a cell below which it is a figure with its unit, no text that has one."""
_FORM = 40
"""Rows of the longest form."""


class Cell(NamedTuple):
    """A cell, and how many rows and columns it takes where cells were merged."""

    text: str
    rows: int = 1
    columns: int = 1


def spanned(rows: Iterable[Sequence[Cell]]) -> Iterator[list[str]]:
    """Rows of as many cells as there are columns. What stands for several rows stands in each of them, so that each
    can be read alone, and so does a figure in each of its columns; a header of several rows becomes one: under `급여`
    stand `급여 기본급` and `급여 수당`.

    >>> list(spanned([[Cell("국내", 2), Cell("임원")], [Cell("직원")]]))
    [['국내', '임원'], ['국내', '직원']]
    """
    held: dict[int, tuple[int, str]] = {}
    head: list[list[str]] = []
    deep, sought, named = 0, True, False
    for row in rows:
        # What stands alone in its row, over all columns, is a title.
        if sought and sum(bool(cell.text.strip()) for cell in row) > 1:
            sought, named = False, is_header([cell.text for cell in row])
            deep = max(cell.rows for cell in row) if any(cell.columns > 1 for cell in row) else 0
        line = _placed(row, held, repeat=deep > 0, named=named)
        if not deep:
            yield line
            continue
        head.append(line)
        deep -= 1
        if not deep:
            yield [" ".join(dict.fromkeys(filter(None, names))) for names in zip_longest(*head, fillvalue="")]
    if deep:
        yield from head


def _placed(row: Sequence[Cell], held: dict[int, tuple[int, str]], *, repeat: bool, named: bool) -> list[str]:
    """A row with what `held` has of rows above, by column: for how many rows more, and what. A cell of several columns
    stands in all of them where it is to `repeat`, or a figure behind others below `named` columns, else
    in the first."""
    line: list[str] = []
    cells = iter(row)
    while len(line) < MAX_COLUMNS:
        if len(line) in held:
            left, text = held.pop(len(line))
            if left > 1:
                held[len(line)] = (left - 1, text)
            line.append(text)
        elif (cell := next(cells, None)) is not None:
            # A label over several columns names the row; a figure is that of each.
            figure = len(cell.text) < _FIGURE and any(map(str.isdigit, cell.text))
            repeated = repeat or (named and figure and len(line) > 0)
            for number in range(min(cell.columns, MAX_COLUMNS - len(line))):
                text = cell.text if repeated or not number else ""
                if cell.rows > 1:
                    held[len(line)] = (cell.rows - 1, text)
                line.append(text)
        elif max(held, default=-1) > len(line):
            line.append("")
        else:
            break
    return line


def lines(rows: Iterable[Sequence[str]], header: list[str] | None = None) -> Iterator[str]:
    """One line a row: `이름: 김두레 | 부서: 영업`. Without a `header`, the first row of several texts is taken for it;
    a form, whose names stand beside their values, has none.

    >>> list(lines([["이름", "부서"], ["김두레", "영업"]]))
    ['이름 | 부서', '이름: 김두레 | 부서: 영업']
    """
    stated, rest = header is not None, iter(rows)
    begun = [] if stated else list(islice(rest, _FORM + 1))
    form = not stated and len(begun) <= _FORM and is_form(begun)
    sought = not (stated or form)
    for count, row in enumerate(chain(begun, rest)):
        if count >= MAX_ROWS:
            yield f"… (only the first {MAX_ROWS} rows are searchable)"
            return
        cells = [" ".join(cell.split()) for cell in row[:MAX_COLUMNS]]
        filled = [cell for cell in cells if cell]
        if form and filled:
            yield " | ".join(filter(None, _told(cells)))
        elif header is not None and (len(filled) > 1 or (filled and stated)):
            names = header + [""] * (len(cells) - len(header))
            pairs = zip(names, cells, strict=False)
            yield " | ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
        elif filled:
            yield " | ".join(filled)
            if sought and len(filled) > 1:
                sought, header = False, cells if is_header(filled) else None


def is_header(row: Sequence[str]) -> bool:
    """Whether a row names the columns: it has several different names, and no figures."""
    names = [cell for cell in row if cell]
    return 1 < len(names) == len(set(names)) and not any(map(_is_number, names))


def is_form(rows: Iterable[Sequence[str]]) -> bool:
    """Whether names and values stand side by side: all names differ and have no figures, and of the values at one place
    some have figures and some none, as is rare below the name of a column."""
    found = [told for row in rows if len(told := _told(row)) > 1]
    names = [name for row in found for name in row[::2]]
    places = zip_longest(*(row[1::2] for row in found[1:]), fillvalue="")
    kinds = [{any(map(str.isdigit, value)) for value in values if value} for values in places]
    if any(len(row) % 2 for row in found) or len(names) != len(set(names)) or any(map(str.isdigit, chain(*names))):
        return False
    return all(names) and any(len(each) > 1 for each in kinds)


def _told(row: Sequence[str]) -> list[str]:
    """The cells of a row, of those that were merged one each, without the empty ones behind the last value."""
    cells = [cell for cell, _ in groupby(" ".join(each.split()) for each in row)]
    return cells[: max((n for n, cell in enumerate(cells) if cell), default=-1) + 1]


def _is_number(cell: str) -> bool:
    return "".join(c for c in cell if c not in ",.-%" and category(c) != "Sc").isdigit()
