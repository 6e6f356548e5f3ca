"""What a chart shows: carried by its SVG, and as Office draws it (DrawingML, ISO/IEC 29500-1 §21.2), by XlsxWriter."""

import io
import json
import re
import zipfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from html import escape, unescape
from typing import Any, Literal

Kind = Literal["bar", "line", "pie", "scatter", "area"]
Axis = Literal["text", "number", "time"]

_CARRIED = re.compile(r'<metadata id="chart">([^<]*)</metadata>')
_TYPES: dict[Kind, str] = {"bar": "column", "line": "line", "pie": "pie", "scatter": "scatter", "area": "area"}
"""What XlsxWriter calls them."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""What XML cannot hold."""
_DAY, _TIME = "yyyy-mm-dd", "yyyy-mm-dd hh:mm"
_BOOK = '<c:externalData r:id="{id}"><c:autoUpdate val="0"/></c:externalData></c:chartSpace>'


@dataclass(slots=True)
class Series:
    """`values`: one for each x of the chart; None where there is none."""

    name: str
    values: list[float | None]


@dataclass(slots=True)
class Chart:
    """`x`: text as it is, numbers, or seconds since 1970 for times, as `axis` says; `labels`: each x in words."""

    kind: Kind
    title: str
    axis: Axis
    x_name: str
    x: list[float]
    labels: list[str]
    series: list[Series]


def carried(chart: Chart) -> str:
    """The chart as an element of its SVG, so that whoever has the picture has its numbers."""
    # In ASCII: whatever a label holds, XML can hold it.
    return f'<metadata id="chart">{escape(json.dumps(asdict(chart)), quote=False)}</metadata>'


def chart_in(svg: bytes) -> Chart | None:
    """The chart that an SVG carries, None where it carries none."""
    from pydantic import TypeAdapter, ValidationError

    found = _CARRIED.search(svg.decode("utf-8", "replace"))
    try:
        chart: Chart | None = TypeAdapter(Chart).validate_json(unescape(found[1])) if found else None
    except ValidationError:
        return None
    return chart


def to_office(chart: Chart, book_id: str) -> tuple[bytes, bytes]:
    """The chart's part of a document, and the workbook of its numbers, to which that refers by `book_id`."""
    from xlsxwriter import Workbook

    # As lines between points where x is a measure: categories would stand at equal distances.
    measured = chart.axis != "text" and chart.kind in ("line", "scatter")
    lines = {"subtype": "straight_with_markers"} if chart.kind == "line" and measured else {}
    out, last = io.BytesIO(), max(len(chart.labels), 1)
    as_text = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(out, {"in_memory": True, "nan_inf_to_errors": True, **as_text}) as book:
        sheet = book.add_worksheet("Chart")
        timed = book.add_format({"num_format": _form(chart.x)})
        sheet.write_row(0, 0, [CONTROL.sub("", each) for each in (chart.x_name, *(one.name for one in chart.series))])
        for at, (x, label) in enumerate(zip(chart.x, chart.labels, strict=False), 1):
            if measured and chart.axis == "time":
                sheet.write_datetime(at, 0, datetime.fromtimestamp(x, UTC).replace(tzinfo=None), timed)
            else:
                sheet.write(at, 0, x if measured else CONTROL.sub("", label))
        drawn = book.add_chart({"type": "scatter" if measured else _TYPES[chart.kind], **lines})
        for column, each in enumerate(chart.series, 1):
            sheet.write_column(1, column, each.values)
            places = {"categories": ["Chart", 1, 0, last, 0], "values": ["Chart", 1, column, last, column]}
            drawn.add_series({"name": ["Chart", 0, column], **places})
        _dress(drawn, chart, measured)
        sheet.insert_chart(0, len(chart.series) + 2, drawn)
    with zipfile.ZipFile(out) as parts:
        part = parts.read("xl/charts/chart1.xml").decode()
    return (part.split("<c:printSettings>")[0] + _BOOK.format(id=book_id)).encode(), out.getvalue()


def _dress(drawn: Any, chart: Chart, measured: bool) -> None:
    drawn.set_title({"name": title} if (title := CONTROL.sub("", chart.title)) else {"none": True})
    drawn.set_legend({"position": "bottom", "none": len(chart.series) == 1 and chart.kind != "pie"})
    if chart.kind != "pie":
        form = {"num_format": _form(chart.x)} if measured and chart.axis == "time" else {}
        one = chart.series[0].name if len(chart.series) == 1 else ""
        drawn.set_x_axis({"name": CONTROL.sub("", chart.x_name), **form})
        drawn.set_y_axis({"name": CONTROL.sub("", one), "num_format": "#,##0.##"})


def _form(times: list[float]) -> str:
    return _DAY if all(each % 86_400 == 0 for each in times) else _TIME
