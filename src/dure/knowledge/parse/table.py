"""Rows of a table as lines of text: each value beside its column's name, so that a row can be read alone."""

from collections.abc import Iterable, Iterator, Sequence

MAX_ROWS = 20_000
"""Rows of one table that become text; further ones are for the table tools."""
MAX_COLUMNS = 200


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
            if len(set(filled)) == len(filled) and not any(_is_number(cell) for cell in filled):
                header = cells
                yield " | ".join(filled)
                continue
        if header is None or (len(filled) == 1 and not stated):
            yield " | ".join(filled)
        else:
            names = header + [""] * (len(cells) - len(header))
            pairs = zip(names, cells, strict=False)
            yield " | ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").replace("-", "").replace("%", "").isdigit()
