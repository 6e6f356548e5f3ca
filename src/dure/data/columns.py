"""The columns of a table that was read from a file: its header, names that SQL takes without quotes, and SQL types, of
text cells the narrowest that every cell fits."""

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dure.data.sheets import Row
from dure.numbers.words import TOTAL as TOTAL

_SAMPLE = 200
_TITLE_ROWS = 20
_NUMBER = re.compile(r"[+-]?[₩￦$]?[\d,.]+([eE][+-]?\d+)?[%원]?|\d{4}[-./]\d{1,2}[-./]\d{1,2}.*")
YEAR = re.compile(r"(19|20)\d\d(년|\.(0[1-9]|1[0-2]))?")
"""Also a month: `2024.01`."""
_FOREIGN = re.compile(r"[^\w]+")
_LONGEST = 60
_LONGEST_NOTE = 200
_NOTE_MARKS = ("#", "※", "*")
OF_GROUP = re.compile(rf"(?:.*\s)?{TOTAL.pattern}")
"""A total, also of what is named before it: `2월 소계`."""


def split_header(rows: Iterator[Row]) -> tuple[list[str], Row, int, Iterator[Row]]:
    """The titles above the header, its cells, the table's width in columns, and the rows below it without empty ones.

    The header is empty where the first full row is data already: it holds
    numbers that are no years or months.
    """
    filled = (row for row in rows if any(row))
    sample = list(itertools.islice(filled, _SAMPLE))
    if not sample:
        return [], [], 0, iter(())
    width = max(i for row in sample for i, cell in enumerate(row, 1) if cell)
    full = max(sum(map(bool, row)) for row in sample[:_TITLE_ROWS])
    at = next(i for i, row in enumerate(sample[:_TITLE_ROWS]) if sum(map(bool, row)) >= 0.6 * full)
    first = sample[at]
    has_header = not any(cell and _NUMBER.fullmatch(cell) and not YEAR.fullmatch(cell) for cell in first)
    body = sample[at + 1 :] if has_header else sample[at:]
    titles = [" ".join(dict.fromkeys(filter(None, row)))[:_LONGEST_NOTE] for row in sample[:at]]
    return titles, first if has_header else [], width, itertools.chain(body, filled)


def without_notes(rows: Iterator[Row], notes: list[str]) -> Iterator[Row]:
    """The rows but for notes below the last, which are added to `notes` then: lines of a first cell alone that begin as
    footnotes do, or are far longer than any first cell above."""
    held: list[Row] = []
    longest = 0
    for row in rows:
        if row and row[0] and not any(row[1:]) and len(held) < _TITLE_ROWS:
            held.append(row)
            continue
        yield from held
        held.clear()
        longest = max(longest, len(row[0]) if row else 0)
        yield row
    for row in held:
        if longest and (row[0].startswith(_NOTE_MARKS) or len(row[0]) > 2 * longest):
            notes.append(row[0][:_LONGEST_NOTE])
        else:
            yield row


def total_of(at: int) -> re.Pattern[str]:
    """What marks a row of totals in the column at that place; in the first also that of a group."""
    return OF_GROUP if at == 0 else TOTAL


def leaving_out(marks: Mapping[str, Sequence[str]]) -> str:
    """SQL of a condition that leaves out rows of totals, of which these columns hold these values."""
    return " AND ".join(f"coalesce({name}, '') NOT IN ({in_sql(values)})" for name, values in marks.items())


def in_sql(values: Iterable[str]) -> str:
    """Texts as a list of SQL's."""
    return ", ".join("'" + each.replace("'", "''") + "'" for each in values)


def names_totals(sql: str, marks: Collection[str]) -> bool:
    """Whether a text in the SQL is one of these values or a part of one, as in `LIKE '%계'`, or their pattern."""
    texts = [each.strip("%") for each in re.findall(r"'((?:[^']|'')*)'", sql)]
    return TOTAL.pattern in sql or any(each and each in mark for each in texts for mark in marks)


def column_names(header: Row, width: int, keywords: Collection[str]) -> list[str]:
    """`width` different names after the header's cells; `col3` where a cell is empty."""
    used: set[str] = set()
    cells = [*header[:width], *[""] * (width - len(header))]
    return [unique(cell or f"col{number}", used, keywords) for number, cell in enumerate(cells, 1)]


def unique(wanted: str, used: set[str], keywords: Collection[str]) -> str:
    """A name like `wanted` for SQL: letters of any language, digits and `_`; adds it to `used` (in lower case)."""
    # File names from macOS come decomposed.
    plain = _FOREIGN.sub("_", unicodedata.normalize("NFC", wanted)).strip("_")[:_LONGEST] or "t"
    if plain[0].isdigit():
        plain = f"_{plain}"
    if plain.casefold() in keywords:
        plain += "_"
    name, number = plain, 2
    while name.casefold() in used:
        name, number = f"{plain}_{number}", number + 1
    used.add(name.casefold())
    return name


# A pattern, not a list: DuckDB makes a join of each list of more than five values, which 100 columns cannot pay for.
_MISSING = r"-|–|N/A|n/a|NA|null|NULL|None|nan|NaN|없음|#(N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)"
"""Words for "no value" and the errors of spreadsheets, in columns of numbers and dates; in a text column they are text.
"""
_NUMBER_SQL = "regexp_replace(regexp_replace({}, '^[△−]', '-'), '[,₩￦원\\s]', '', 'g')"
DATE_SQL = r"regexp_replace({}, '^(\d{4})\D+(\d{1,2})\D+(\d{1,2})\D*$', '\1-\2-\3')"
"""What makes a cell castable."""

# A leading zero is that of a code or a telephone number; grouped digits are numbers. Korean accounts have △ for minus;
# Korean Windows has the second of the won signs.
_WHOLE = r"[+△−-]?[₩￦]?\s?(0|[1-9]\d{0,17}|[1-9]\d{0,2}(,\d{3}){1,5})\s?원?"
# As a rounded number one account would be another.
_LONG = r"[+△−-]?[₩￦]?\s?(0|[1-9]\d{0,36}|[1-9]\d{0,2}(,\d{3}){1,11})\s?원?"
_REAL = r"[+△−-]?[₩￦]?\s?((0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?|\.\d+)([eE][+-]?\d{1,2})?\s?원?"
# A number would make 2024.1 of October.
_MONTH = r"(19|20)\d\d\.(0[1-9]|1[0-2])"
_DAY = r"\d{4}(-\d{1,2}-|\.\s?\d{1,2}\.\s?|/\d{1,2}/|년\s?\d{1,2}월\s?)\d{1,2}[.일]?"
_MOMENT = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_TYPES = (
    ("BOOLEAN", "(?i)true|false", "{}"),
    ("BIGINT", _WHOLE, _NUMBER_SQL),
    ("HUGEINT", _LONG, _NUMBER_SQL),
    ("VARCHAR", _MONTH, "{}"),
    ("DOUBLE", _REAL, _NUMBER_SQL),
    ("DATE", _DAY, DATE_SQL),
    ("TIMESTAMP", _MOMENT, "{}"),
)
"""SQL types, each with a pattern (RE2) for a whole cell and SQL of a cell that can be cast to it."""
_FIRST = 200
"""Rows that are asked of all types at once."""
_KEPT = ("BOOLEAN", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "TIME")
_WIDER = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"), "BIGINT"),
    **dict.fromkeys(("UBIGINT", "HUGEINT"), "HUGEINT"),
    "FLOAT": "DOUBLE",
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"), "TIMESTAMP"),
}


def stated(column: str, kind: str) -> tuple[str, str]:
    """The type for a column whose file says it is of DuckDB's type `kind`, and SQL of its values; text for lists,
    structures and the like."""
    kept = kind in _KEPT or (kind.startswith("DECIMAL(") and not kind.endswith("]"))
    name = kind if kept else _WIDER.get(kind, "VARCHAR")
    return name, column if name == "VARCHAR" else f"CAST({column} AS {name})"


def found(db: Any, columns: Sequence[str]) -> list[tuple[str, str]]:
    """The types of columns of the table `incoming`, VARCHAR for an empty one, each with SQL of its values. The first
    rows tell of most columns and types that they do not go together; what is left is asked of all rows, one query a
    type over the cells of all columns: DuckDB takes milliseconds to plan one, and far longer for many expressions."""
    types = {column: ("VARCHAR", column) for column in columns}
    if not columns:
        return []
    misfits = _misfits(db, columns, _TYPES, f"(FROM incoming LIMIT {_FIRST})")
    more = db.execute("SELECT count(*) FROM incoming").fetchone()[0] > _FIRST
    left = list(columns)
    for at, (name, pattern, sql) in enumerate(_TYPES):
        # A column of which the first rows hold nothing may be anything.
        fitting = [each for each in left if (misfits[each][at] == 0 if each in misfits else more)]
        if more and fitting:
            whole = _misfits(db, fitting, [(name, pattern, sql)], "incoming")
            # Without those that hold nothing.
            fitting = [each for each in fitting if whole.get(each) == [0]]
        for column in fitting:
            value, missing = sql.replace("{}", column), f"regexp_full_match({column}, '{_MISSING}')"
            types[column] = name, f"CASE WHEN {missing} THEN NULL ELSE CAST({value} AS {name}) END"
        left = [each for each in left if each not in fitting]
    return list(types.values())


def _misfits(db: Any, columns: Sequence[str], types: Sequence[tuple[str, str, str]], rows: str) -> dict[str, list[int]]:
    """Of each column that holds something, how many of its cells are of each of these types not."""
    counts = [
        f"count(*) FILTER (NOT (regexp_full_match(cell, ${at}) AND "
        f"TRY_CAST({sql.replace('{}', 'cell')} AS {name}) IS NOT NULL))"
        for at, (name, _, sql) in enumerate(types, 1)
    ]
    counted = db.execute(
        f"SELECT name, {', '.join(counts)} "  # noqa: S608
        f"FROM (UNPIVOT {rows} ON {', '.join(columns)} INTO NAME name VALUE cell) "
        f"WHERE NOT regexp_full_match(cell, '{_MISSING}') GROUP BY name",
        [pattern for _, pattern, _ in types],
    )
    return {name: counts for name, *counts in counted.fetchall()}
