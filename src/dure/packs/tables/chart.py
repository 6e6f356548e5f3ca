"""`draw_chart`: rows of the owner's tables as a chart in an SVG file."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from dure import markdown
from dure.charted import Axis, Chart, Kind, Series
from dure.data.rows import Rows
from dure.errors import Language, tool_fault
from dure.packs.tables import TEXTS
from dure.packs.tables.charts.plot import plot
from dure.packs.tables.charts.scale import number
from dure.packs.tables.tables import Tables, cut
from dure.tooling import File, Tool, ToolContext, ToolResult, an_object

MAX_POINTS = 2_000
MAX_BARS = 40
MAX_SLICES = 10
MAX_SERIES = 8
_SHOWN_ROWS = 15

_DESCRIPTION = (
    "Draw a chart of the user's tables, given to the user as a file: one SELECT (DuckDB SQL, as in query_tables) whose "
    "first column is x and whose numeric columns are y. Aggregate and sort in SQL; one column for each line or "
    "colour. Call list_tables first. Figures that stand in no table, such as a web page's, are given as VALUES."
)
_PARAMETERS = an_object(
    {
        "sql": {
            "type": "string",
            "minLength": 1,
            "description": "e.g. SELECT 월, sum(금액) AS 매출 FROM 판매 GROUP BY 월 ORDER BY 월",
        },
        "kind": {
            "type": "string",
            "enum": ["bar", "line", "pie", "scatter", "area"],
            "description": "bar compares, line and area show a course, pie parts of a whole, scatter a relation",
        },
        "document": {"type": "string", "description": "as of query_tables"},
        "title": {"type": "string", "maxLength": 200},
        "x": {"type": "string", "description": "column for the x axis or the slices' names; default: the first"},
        "y": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": MAX_SERIES,
            "description": "numeric columns to draw; default: all others",
        },
    },
    *("document", "title", "x", "y"),
)

_TEXT = TEXTS["chart.text"]
_fault = tool_fault(TEXTS["chart.faults"])


@dataclass(slots=True)
class _Point:
    at: float
    label: str
    values: list[float | None]


def chart_tool(tables: Tables) -> Tool:
    """`draw_chart` {sql, kind, document?, title?, x?, y?}. Data: `{sql, kind, x, y, rows, file}`; files: one SVG."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        language = context.language
        limits, document = replace(tables.limits, rows=MAX_POINTS), args.get("document")
        found, _ = await tables.select(context, args["sql"], limits, document, bare=True)
        if found is None or not found.rows:
            raise _fault("no_rows")
        found = replace(found, rows=found.texts)
        x, ys = _columns(found, args.get("x"), args.get("y") or [])
        title = args.get("title") or ""
        chart, notes = _chart(found, args["kind"], title, x, ys, language)
        name = (re.sub(r"\W+", "_", title).strip("_")[:60] or "chart") + ".svg"
        x_name, y_names = found.columns[x], [found.columns[y] for y in ys]
        count = sum(value is not None for each in chart.series for value in each.values)
        drawn = _TEXT["drawn"][language].format(file=name, kind=chart.kind, x=x_name, y=", ".join(y_names), count=count)
        ranges = [_range(chart, each, language) for each in chart.series]
        shown = [[row[x], *(_grouped(row[y]) for y in ys)] for row in found.rows[:_SHOWN_ROWS]]
        table = markdown.table([x_name, *y_names], shown, right=range(1, len(ys) + 1))
        text = "\n\n".join(["\n".join([drawn, *ranges, *notes, *cut(found, language)]), table])
        if len(found.rows) > _SHOWN_ROWS:
            text += "\n…"
        data = {"sql": found.sql, "kind": chart.kind, "x": x_name, "y": y_names, "rows": len(found.rows), "file": name}
        return ToolResult(text, data=data, files=[File(name, plot(chart), "image/svg+xml")])

    return Tool("draw_chart", _DESCRIPTION, _PARAMETERS, run, timeout=tables.seconds, untrusted=True)


def _is_numeric(kind: str) -> bool:
    return re.fullmatch(r"DECIMAL\(.*\)|DOUBLE|FLOAT|INTEGER|\w*INT", kind) is not None


def _columns(found: Rows, x: str | None, ys: Sequence[str]) -> tuple[int, list[int]]:
    """Where x and the y stand among the columns."""
    numeric = [i for i, kind in enumerate(found.types) if _is_numeric(kind)]
    given = [_place(found, y) for y in ys]
    at = next((i for i in range(len(found.columns)) if i not in given), 0) if x is None else _place(found, x)
    given = given or [i for i in numeric if i != at][:MAX_SERIES]
    if not given or not set(given) <= set(numeric):
        names = ", ".join(found.columns[i] for i in numeric if i != at) or "–"
        raise _fault("not_numeric", names=names)
    return at, list(dict.fromkeys(given))


def _place(found: Rows, name: str) -> int:
    wanted, columns = name.strip().strip('"`').casefold(), [each.casefold() for each in found.columns]
    if wanted not in columns:
        raise _fault("no_column", name=name, names=", ".join(found.columns))
    return columns.index(wanted)


def _chart(found: Rows, kind: Kind, title: str, x: int, ys: list[int], language: Language) -> tuple[Chart, list[str]]:
    """The chart, and what was left out of it."""
    notes = [_TEXT["points"][language].format(shown=MAX_POINTS)] if found.more else []
    kind_of_x = found.types[x]
    dated = kind_of_x == "DATE" or (kind_of_x.startswith("TIMESTAMP") and not kind_of_x.endswith("]"))
    axis: Axis = "number" if _is_numeric(kind_of_x) else "time" if dated else "text"
    points: list[_Point] = []
    for row in found.rows:
        at = {"number": _number, "time": _time}[axis](row[x]) if axis != "text" else 0.0
        values = [_number(row[y]) for y in ys]
        if (at is not None or kind in ("bar", "pie")) and any(value is not None for value in values):
            points.append(_Point(at or 0.0, row[x] or _TEXT["blank"][language], values))
    if len(points) < len(found.rows):
        notes.append(_TEXT["missing"][language].format(count=len(found.rows) - len(points)))
    if not points:
        raise _fault("no_values")
    if kind == "bar" and len(points) > MAX_BARS:
        notes.append(_TEXT["bars"][language].format(shown=MAX_BARS, count=len(points)))
        points = points[:MAX_BARS]
    if kind == "pie":
        points, ys = _slices(points, language), ys[:1]
    series = [Series(found.columns[y], [point.values[n] for point in points]) for n, y in enumerate(ys)]
    places, labels = [point.at for point in points], [point.label for point in points]
    return Chart(kind, title, axis, found.columns[x], places, labels, series), notes


def _slices(points: list[_Point], language: Language) -> list[_Point]:
    """The largest parts, and the others as one."""
    parts = [(point.values[0] or 0.0, point.label) for point in points]
    if any(value < 0 for value, _ in parts):
        raise _fault("negative")
    parts = sorted(((value, label) for value, label in parts if value), key=lambda part: -part[0])
    if not parts:
        raise _fault("all_zero")
    if len(parts) > MAX_SLICES:
        rest = parts[MAX_SLICES - 1 :]
        others = math.fsum(value for value, _ in rest), _TEXT["rest"][language].format(count=len(rest))
        parts = [*parts[: MAX_SLICES - 1], others]
    return [_Point(0.0, label, [value]) for value, label in parts]


def _number(cell: str) -> float | None:
    """A cell as a number; what cannot be drawn (nothing, not finite, beyond 1e300) is none, next to nothing is 0."""
    try:
        value = float(cell)
    except ValueError:
        return None
    if not abs(value) <= 1e300:
        return None
    return 0.0 if abs(value) < 1e-300 else value


def _grouped(cell: str) -> str:
    """A figure with its digits in groups of three; what is written otherwise, as `1e+20`, stands as it is."""
    return re.sub(r"(?<![\d.])\d{4,}(?=\.\d+$|$)", lambda digits: f"{int(digits[0]):,}", cell)


def _time(cell: str) -> float | None:
    try:
        read = datetime.fromisoformat(cell)
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _range(chart: Chart, each: Series, language: Language) -> str:
    there = [(value, label) for value, label in zip(each.values, chart.labels, strict=True) if value is not None]
    if not there:
        return f"{each.name}: –"
    (low, low_at), (high, high_at) = (most(there, key=itemgetter(0)) for most in (min, max))
    values = {"low": low, "high": high, "total": math.fsum(value for value, _ in there)}
    told = {key: number(value) for key, value in values.items()}
    return _TEXT["range"][language].format(name=each.name, low_at=low_at, high_at=high_at, **told)
