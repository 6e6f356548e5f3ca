"""Descriptions of people's own tables, made from their headers, types and values.

Cells are read generously: `₩1,200`, `3,500원`, five ways to write a date. Rows of totals are known by their words and
left out, so that nothing is summed twice.
"""

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from dure.data.columns import DATE_SQL, TOTAL, total_of
from dure.data.questions.description import Description, Field, Kind
from dure.data.questions.linking import places
from dure.data.questions.notes import ColumnNotes, Notes
from dure.data.questions.sql import literal, quoted
from dure.data.questions.units import unit as size
from dure.data.questions.words import stems
from dure.errors import Language
from dure.numbers.reading import COUNTED

MOST_VALUES = 500
"""Values of a column that questions are linked with."""
_FEW = 40
"""Values of a column that is a category."""
_LABELS = 12
"""Different whole numbers of a column whose rows can be told by them."""
_MOSTLY = 0.8
NUMBERS = ("BIGINT", "HUGEINT", "DOUBLE", "DECIMAL")
_PERCENT = ("퍼센트", "프로")
_CELL_UNIT = "[가-힣A-Za-z]{1,3}"
"""What a number in a cell may be followed by."""
_DAYS = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%m/%d/%Y")
"""A column of `31/05/2025` is none of dates: most of its days are no months."""
_HOURS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%p %I:%M", "%H시", "%H시 %M분")
_COUNTS = {
    # Rows of totals share a word that says nothing of the others.
    "filled": "count(text#) FILTER (WHERE NOT total#)",
    "different": "count(DISTINCT text#) FILTER (WHERE NOT total#)",
    "numbers": "count(number#)",
    "measured": "count(measured#)",
    "units": "count(DISTINCT unit#)",
    "unit": "max(unit#)",
    "dates": "count(date#)",
    "first": "left(CAST(min(CAST(date# AS DATE)) AS VARCHAR), 10)",
    "last": "left(CAST(max(CAST(date# AS DATE)) AS VARCHAR), 10)",
    "times": "count(hour#)",
    "earliest": "min(hour#)",
    "latest": "max(hour#)",
    "totals": "count(*) FILTER (WHERE total#)",
    "zeros": "count(*) FILTER (WHERE number# = 0)",
    "coded": "count(*) FILTER (WHERE regexp_matches(text#, '[0-9]'))",
}
"""What is counted of each column: SQL of its values as `_sql` has them."""
_CLOCK = "시"
"""Unit of a time of day, in hours since midnight."""
_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_FLAGS = frozenset(_TOLD["flags"])
COLUMN_RULES: str = _TOLD["column"]
"""What a model is told that says which column of `{table}`, of its `{fields}`, holds a number."""
NAMED_RULES: str = _TOLD["named"]
"""The same of the column that holds who or what is asked for."""
NAMING_RULES: Mapping[Language, Mapping[str, str]] = _TOLD["naming"]
"""By language how a model is told to put into it the names of `columns`, and their values that are `kinds`."""
_EXAMPLES = _TOLD["examples"].strip().splitlines()
_HELD = [each["value"] for line in _EXAMPLES[1::2] for each in json.loads(line)["filters"]]
ASKED = stems(line.removeprefix("Q: ") for line in _EXAMPLES[::2]) - stems([_TOLD["of"].partition(":")[2], *_HELD])
"""Stems of words that people ask about any table with; what those of the examples hold says nothing of another."""


@dataclass(frozen=True, slots=True)
class Column:
    """`type`: DuckDB's; `head`: the header's own words."""

    name: str
    type: str
    head: str


def profile(table: str, columns: Sequence[Column], first: int = 0) -> str:
    """SQL that counts of each column what `_COUNTS` names, its place behind each name. first: that of the first."""
    counts, values = ["count(*) AS n"], list[str]()
    for at, each in enumerate(columns, first):
        # Said once each, since they are long.
        values += [f"{sql} AS {key}{at}" for key, sql in _sql(each, at).items()]
        counts += [f"{sql.replace('#', str(at))} AS {key}{at}" for key, sql in _COUNTS.items()]
    return f"SELECT {', '.join(counts)} FROM (SELECT {', '.join(values)} FROM {quoted(table)})"  # noqa: S608


def values(table: str, column: Column) -> str:
    """SQL of a column's values, the most frequent first."""
    text = _sql(column)["text"]
    return (
        f"SELECT {text} AS v FROM {quoted(table)} WHERE {text} IS NOT NULL "  # noqa: S608
        f"GROUP BY v ORDER BY count(*) DESC, v LIMIT {MOST_VALUES}"
    )


def described(
    table: str,
    columns: Sequence[Column],
    counts: Mapping[str, Any],
    known: Mapping[str, Sequence[str]],
    notes: Notes | None = None,
    question: str = "",
) -> Description:
    """What a table holds. `counts`: of `profile`; `known`: the values of each column; `notes`: what is said of it
    besides. A row of totals that the question names with its group, `2월 소계`, is a row as the others are."""
    notes = notes or Notes()
    asked = {v for v in known.get(columns[0].name, ()) if total_of(0).fullmatch(v.lower()) and any(places(v, question))}
    asked -= {v for v in asked if TOTAL.fullmatch(v.lower())}
    totals = [_sql(each, at)["total"] for at, each in enumerate(columns) if counts[f"totals{at}"]]
    rows, summed = counts["n"], max(counts[f"totals{at}"] for at in range(len(columns)))
    fields: list[Field] = []
    names: dict[str, str] = {}
    varied: dict[str, int] = {}
    coded = False
    for at, each in enumerate(columns):
        filled, different, numbers, dates = (
            counts[f"{key}{at}"] for key in ("filled", "different", "numbers", "dates")
        )
        kind = _kind(each, filled, different, numbers, dates)
        clock = bool(filled) and counts[f"times{at}"] >= _MOSTLY * filled
        kind = "number" if clock else kind
        # `8병` beside `2` is a number, where the column has no other unit; what `1반` and `3반` are is one of few.
        unit = counts[f"unit{at}"] if counts[f"units{at}"] == 1 and (numbers or kind == "text") else ""
        if unit and not clock:
            kind = _kind(each, filled, different, counts[f"measured{at}"], dates)
        shared = different < filled
        said = notes.columns.get(each.head or each.name, ColumnNotes())
        own = [v for v in known.get(each.name, ()) if v in asked or not total_of(at).fullmatch(v.lower())]
        field = _field(each, kind, own, said, "" if clock else unit, shared=shared)
        # Rows of totals may be empty where no other is; as many others as there are of them are taken for these.
        more: dict[str, Any] = {"full": filled in (rows, rows - summed), "zeros": bool(counts[f"zeros{at}"])}
        if clock:
            ends = (float(counts[f"{key}{at}"]) for key in ("earliest", "latest"))
            more |= {"sql": _sql(each)["hour"], "unit": _CLOCK, "whole": True, "clock": (*ends,)}
            more |= {"group": field.name, "count": "number_of_rows"} if shared else {}
        elif kind == "number" and not field.unit and each.type == "BIGINT" and different <= _LABELS <= filled:
            # Classes, years and months may be told by numbers.
            more |= {"group": field.name, "aside": True}
        elif kind == "date" and counts[f"last{at}"]:
            more |= {key: date.fromisoformat(counts[f"{key}{at}"]) for key in ("first", "last")}
        fields.append(replace(field, **more))
        # What tells the rows apart names them.
        if kind == "text" and different >= _MOSTLY * (rows - summed) and len(names) < 2:
            names[field.name] = _sql(each)["text"]
            coded = bool(counts[f"coded{at}"])
        elif kind in ("text", "category"):
            varied[_sql(each)["text"]] = different
    # A code says little of a row: with it goes what is most varied.
    title = [*names.values(), *(sorted(varied, key=varied.__getitem__)[-1:] if coded and len(names) == 1 else [])]
    marked = [
        f"{_sql(each)['text']} IN ({', '.join(map(literal, notes.totals[each.head]))})"
        for each in columns
        if notes.totals.get(each.head)
    ]
    where = "" if asked else " OR ".join([*totals, *marked])
    called = [value for held in known.values() for value in held if TOTAL.fullmatch(value.lower())]
    return Description(
        table,
        "rows",
        {"ko": table, "en": table},
        {"ko": _counter(question, [*names], {each.unit for each in fields}), "en": " rows"},
        quoted(table) + (f" WHERE NOT coalesce({where}, false)" if where else ""),
        f"concat_ws(' · ', {', '.join(title)})" if title else _sql(columns[0])["text"],
        tuple(fields),
        examples=_TOLD["examples"],
        examples_of=_TOLD["of"],
        names=(*notes.rows, *names, *called),
        notes=({"ko": "합계·소계 행은 빼고 셉니다.", "en": "Rows of totals are left out."},) if where else (),
    )


def _counter(question: str, names: Sequence[str], units: Collection[str]) -> str:
    """What a Korean question counts rows by: `몇 개`, or what their name is of: `몇 팀`; not a number's unit, nor what
    is measured: `몇 프로`, `몇 시간`."""
    found = re.search(rf"몇\s?({'|'.join([*map(re.escape, names), COUNTED.pattern])})", question)
    said = found[1].strip() if found else ""
    return said if said and said not in {*units, *_PERCENT} and size(said) is None else "건"


def _kind(column: Column, filled: int, different: int, numbers: int, dates: int) -> Kind:
    if column.type.startswith(NUMBERS):
        return "number"
    if column.type in ("DATE", "TIMESTAMP") or (filled and dates >= _MOSTLY * filled):
        return "date"
    if filled and numbers >= _MOSTLY * filled:
        return "number"
    return "category" if different <= _FEW and 2 * different <= filled else "text"


def _field(column: Column, kind: Kind, known: Sequence[str], said: ColumnNotes, written: str, *, shared: bool) -> Field:
    """written: the unit of all its cells that have one. shared: rows have values in common, by which they can be
    grouped."""
    grouped = shared and kind in ("category", "text")
    head, _, unit = (column.head or column.name).partition("(")
    # `매출(단위: 천원)`
    head, unit = head.strip() or column.name, said.unit or unit.rpartition(":")[2].rstrip(") ").strip()
    sql = _sql(column)
    if written and kind == "number":
        sql, unit = {**sql, "number": sql["measured"]}, unit or written
    alike: dict[str, list[str]] = {}
    for each in known:
        # `High` and `high` are one.
        alike.setdefault(each.casefold(), []).append(each)
    members = {same[0]: tuple(same) for same in alike.values() if len(same) > 1}
    known = [same[0] for same in alike.values()]
    spelt: dict[str, tuple[str, ...]] = {}
    if kind in ("category", "text"):
        spelt = {each: tuple(said.values.get(each, ())) for each in known}
    elif kind == "number" and not column.type.startswith(NUMBERS):
        spelt = {each: () for each in known if not any(map(str.isdigit, each))}
    return Field(
        head,
        kind,
        sql.get(kind, sql["text"]),
        {"ko": head, "en": head},
        (*sorted({column.name, column.head} - {head, ""}), *said.names),
        spelt,
        members,
        unit=unit,
        flag=bool(spelt) and _FLAGS.issuperset(alike),
        note=f"in {unit}" if unit else "date" if kind == "date" else "",
        group=head if grouped else "",
        count="number_of_rows" if grouped else "",
        raw=sql["text"] if spelt and kind == "number" else "",
    )


def _sql(column: Column, at: int = 1) -> dict[str, str]:
    """SQL of a column's values as `text`, `number`, number with a unit (`measured`), that `unit`, `date` and time of
    day (`hour`, since midnight), and of whether one marks a row of totals (`total`)."""
    name = quoted(column.name)
    if column.type != "VARCHAR":
        number = name if column.type.startswith(NUMBERS) else "NULL"
        date = name if column.type in ("DATE", "TIMESTAMP") else "NULL"
        hour = f"epoch({name}) / 3600" if column.type == "TIME" else "NULL"
        text, none = f"CAST({name} AS VARCHAR)", {"measured": number, "unit": "CAST(NULL AS VARCHAR)", "total": "false"}
        return {"text": text, "number": number, "date": date, "hour": hour, **none}
    iso, formats = DATE_SQL.replace("{}", f"trim({name})"), ", ".join(map(literal, _DAYS))
    half = f"replace(replace(upper(trim({name})), '오전', 'AM'), '오후', 'PM')"
    hours = ", ".join(map(literal, _HOURS))
    hour = f"epoch(CAST(try_strptime({half}, [{hours}]) AS TIME)) / 3600"
    plain = f"regexp_replace({name}, '[,₩￦원$€%\\s]', '', 'g')"
    return {
        "text": f"nullif(trim({name}), '')",
        "number": f"TRY_CAST({plain} AS DOUBLE)",
        "measured": f"TRY_CAST(regexp_replace({plain}, '(\\d){_CELL_UNIT}$', '\\1') AS DOUBLE)",
        "unit": f"nullif(regexp_extract({plain}, '^[-+]?[\\d.]+({_CELL_UNIT})$', 1), '')",
        "date": f"coalesce(TRY_CAST({iso} AS DATE), CAST(try_strptime(trim({name}), [{formats}]) AS DATE))",
        # A score of 3:2 is no time.
        "hour": f"CASE WHEN regexp_matches({name}, '\\d:\\d\\d|\\d시') THEN {hour} END",
        "total": f"regexp_full_match(lower(trim({name})), {literal(total_of(at).pattern)})",
    }
