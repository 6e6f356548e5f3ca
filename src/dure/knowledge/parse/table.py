"""Rows of a table as lines of text: each value beside its column's name, so that a row can be read alone."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

MAX_ROWS = 20_000
"""Rows of one table that become text; further ones are for the table tools."""
MAX_COLUMNS = 200


class Cell(NamedTuple):
    """A cell, and how many rows and columns it takes where cells were merged."""

    text: str
    rows: int = 1
    columns: int = 1


def spanned(rows: Iterable[Sequence[Cell]]) -> Iterator[list[str]]:
    """Rows of as many cells as there are columns. What stands for several rows stands in each of them, so that each
    can be read alone; a header of several rows becomes one: under `급여` stand `급여 기본급` and `급여 수당`.

    >>> list(spanned([[Cell("국내", 2), Cell("임원")], [Cell("직원")]]))
    [['국내', '임원'], ['국내', '직원']]
    """
    held: dict[int, tuple[int, str]] = {}
    head: list[list[str]] = []
    deep, sought = 0, True
    for row in rows:
        # What stands alone in its row, over all columns, is a title.
        if sought and sum(bool(cell.text.strip()) for cell in row) > 1:
            sought = False
            deep = max(cell.rows for cell in row) if any(cell.columns > 1 for cell in row) else 0
        line = _placed(row, held, repeat=deep > 0)
        if not deep:
            yield line
            continue
        head.append(line)
        deep -= 1
        if not deep:
            yield [" ".join(dict.fromkeys(filter(None, names))) for names in zip_longest(*head, fillvalue="")]
    if deep:
        yield from head


def _placed(row: Sequence[Cell], held: dict[int, tuple[int, str]], *, repeat: bool) -> list[str]:
    """A row with what `held` has of rows above, by column: for how many rows more, and what. A cell of several columns
    stands in all of them where it is to `repeat`, else in the first."""
    line: list[str] = []
    cells = iter(row)
    while len(line) < MAX_COLUMNS:
        if len(line) in held:
            left, text = held.pop(len(line))
            if left > 1:
                held[len(line)] = (left - 1, text)
            line.append(text)
        elif (cell := next(cells, None)) is not None:
            for number in range(min(cell.columns, MAX_COLUMNS - len(line))):
                text = cell.text if repeat or not number else ""
                if cell.rows > 1:
                    held[len(line)] = (cell.rows - 1, text)
                line.append(text)
        elif max(held, default=-1) > len(line):
            line.append("")
        else:
            break
    return line


def lines(rows: Iterable[Sequence[str]], header: list[str] | None = None) -> Iterator[str]:
    """One line a row: `이름: 김두레 | 부서: 영업`. Without a `header`, the first row of several texts is taken for it.

    >>> list(lines([["이름", "부서"], ["김두레", "영업"]]))
    ['이름 | 부서', '이름: 김두레 | 부서: 영업']
    """
    stated, sought = header is not None, header is None
    for count, row in enumerate(rows):
        if count >= MAX_ROWS:
            yield f"… (only the first {MAX_ROWS} rows are searchable)"
            return
        cells = [" ".join(cell.split()) for cell in row[:MAX_COLUMNS]]
        filled = [cell for cell in cells if cell]
        if not filled:
            continue
        if header is None and sought and len(filled) > 1:
            sought = False
            if is_header(filled):
                header = cells
                yield " | ".join(filled)
                continue
        if header is None or (len(filled) == 1 and not stated):
            yield " | ".join(filled)
        else:
            names = header + [""] * (len(cells) - len(header))
            pairs = zip(names, cells, strict=False)
            yield " | ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def is_header(row: Sequence[str]) -> bool:
    """Whether a row names the columns: it has several different names, and no figures."""
    names = [cell for cell in row if cell]
    return 1 < len(names) == len(set(names)) and not any(map(_is_number, names))


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").replace("-", "").replace("%", "").isdigit()
