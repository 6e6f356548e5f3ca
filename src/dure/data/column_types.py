"""Which SQL type a column of text cells is: the narrowest that every cell fits. Runs in the child process only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# A pattern, not a list: DuckDB makes a join of each list of more than five values, which 100 columns cannot pay for.
_MISSING = r"-|–|N/A|n/a|NA|null|NULL|None|nan|NaN|없음|#(N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)"
"""Words for "no value" and the errors of spreadsheets, in columns of numbers and dates; in a text column they are text.
"""


@dataclass(frozen=True, slots=True)
class ColumnType:
    """`fits`: a regular expression (RE2) for a whole cell; `plain`: SQL that makes a cell castable to type `name`.

    `fits` is empty where nothing has to be found out; `plain` gives the value itself then.
    """

    name: str
    fits: str
    plain: Callable[[str], str]

    def read(self, column: str) -> str:
        """SQL for the column's values as this type."""
        if not self.fits:
            return self.plain(column)
        return f"CASE WHEN {_missing(column)} THEN NULL ELSE CAST({self.plain(column)} AS {self.name}) END"


def _missing(column: str) -> str:
    return f"regexp_full_match({column}, '{_MISSING}')"


def _number(column: str) -> str:
    return f"regexp_replace({column}, '[,₩￦원\\s]', '', 'g')"


def _date(column: str) -> str:
    return f"regexp_replace({column}, '^(\\d{{4}})\\D+(\\d{{1,2}})\\D+(\\d{{1,2}})\\D*$', '\\1-\\2-\\3')"


# A leading zero is that of a code or a telephone number; grouped digits are numbers. Korean Windows has the second of
# the won signs.
_WHOLE = r"[+-]?[₩￦]?\s?(0|[1-9]\d{0,17}|[1-9]\d{0,2}(,\d{3}){1,5})\s?원?"
# As a rounded number one account would be another.
_LONG = r"[+-]?[₩￦]?\s?(0|[1-9]\d{0,36}|[1-9]\d{0,2}(,\d{3}){1,11})\s?원?"
_REAL = r"[+-]?[₩￦]?\s?((0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?|\.\d+)([eE][+-]?\d{1,2})?\s?원?"
# A number would make 2024.1 of October.
_MONTH = r"(19|20)\d\d\.(0[1-9]|1[0-2])"
_DAY = r"\d{4}(-\d{1,2}-|\.\s?\d{1,2}\.\s?|/\d{1,2}/|년\s?\d{1,2}월\s?)\d{1,2}[.일]?"
_MOMENT = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"

TEXT = ColumnType("VARCHAR", "", lambda column: column)
_TYPES = (
    ColumnType("BOOLEAN", "(?i)true|false", lambda column: column),
    ColumnType("BIGINT", _WHOLE, _number),
    ColumnType("HUGEINT", _LONG, _number),
    ColumnType("VARCHAR", _MONTH, lambda column: column),
    ColumnType("DOUBLE", _REAL, _number),
    ColumnType("DATE", _DAY, _date),
    ColumnType("TIMESTAMP", _MOMENT, lambda column: column),
)


_KEPT = ("BOOLEAN", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "TIME")
_WIDER = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"), "BIGINT"),
    **dict.fromkeys(("UBIGINT", "HUGEINT"), "HUGEINT"),
    "FLOAT": "DOUBLE",
    **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"), "TIMESTAMP"),
}


def stated(kind: str) -> ColumnType:
    """The type for a column whose file says it is of DuckDB's type `kind`; text for lists, structures and the like."""
    kept = kind in _KEPT or (kind.startswith("DECIMAL(") and not kind.endswith("]"))
    name = kind if kept else _WIDER.get(kind)
    return TEXT if name is None else ColumnType(name, "", lambda column: f"CAST({column} AS {name})")


def type_of(db: Any, column: str) -> ColumnType:
    """The type of `column` of the table `incoming`; VARCHAR for an empty column."""
    for kind in _TYPES:
        fits = f"regexp_full_match({column}, $1) AND TRY_CAST({kind.plain(column)} AS {kind.name}) IS NOT NULL"
        counts = f"SELECT count(*) FILTER (NOT ({fits})), count(*) FROM incoming"  # noqa: S608
        misfits, filled = db.execute(
            f"{counts} WHERE {column} IS NOT NULL AND NOT {_missing(column)}", [kind.fits]
        ).fetchone()
        if filled and not misfits:
            return kind
    return TEXT
