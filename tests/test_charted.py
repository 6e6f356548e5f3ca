"""A chart is carried by its picture, and Office draws it with its numbers."""

import io
from datetime import datetime

import openpyxl
import pytest
from pptx.chart.chart import Chart as Read
from pptx.oxml import parse_xml

from dure.charted import Chart, Series, carried, chart_in, to_office
from dure.packs.tables.charts.plot import plot

MONTHS = ["2026-09", "=10 & <월>", "2026-11"]


def chart(kind="bar", axis="text", x=(0.0, 0.0, 0.0), values=(800_000.0, None, 950_000.5), title="월별 합계"):
    series = [Series("요금", list(values)), Series("건수", [3.0, 4.0, 5.0])]
    return Chart(kind, title, axis, "월", list(x), MONTHS, series[:1] if kind == "pie" else series)


def test_a_picture_carries_its_chart():
    drawn = chart()
    assert chart_in(plot(drawn)) == drawn
    assert carried(drawn).count("<") == 2, "what a label holds opens nothing"


@pytest.mark.parametrize("svg", [b"<svg/>", b'<metadata id="chart">{"kind": 1}</metadata>', b"\xff\x00", b""])
def test_another_picture_carries_none(svg):
    assert chart_in(svg) is None


@pytest.mark.parametrize("kind", ["bar", "line", "area", "pie"])
def test_office_draws_what_the_chart_shows(kind):
    part, book = to_office(chart(kind), "rId7")
    space = parse_xml(part)
    plots = Read(space, None).plots
    assert list(plots[0].categories) == MONTHS
    assert next((each.name, list(each.values)) for each in plots[0].series) == ("요금", [800_000.0, None, 950_000.5])
    assert len(list(plots[0].series)) == (1 if kind == "pie" else 2)
    assert "월별 합계" in "".join(space.itertext())
    assert b'<c:externalData r:id="rId7">' in part
    rows = list(openpyxl.load_workbook(io.BytesIO(book)).active.values)
    assert rows[0][:2] == ("월", "요금")
    assert rows[2][:2] == ("=10 & <월>", None), "a text that begins as a formula is one no more"


def test_what_xml_cannot_hold_is_left_out():
    odd = Chart("bar", "a\x01", "text", "\ufffe", [0.0], ["b\x02<"], [Series("c\ud800", [1.0])])
    assert chart_in(b"" + carried(odd).encode()) is None, "half a letter is none of JSON's"
    plot = Read(parse_xml(to_office(odd, "rId1")[0]), None).plots[0]
    assert (plot.series[0].name, list(plot.categories)) == ("c", ["b<"])


def test_measures_stand_where_they_are():
    days = [datetime.fromisoformat(f"{each}+00:00").timestamp() for each in ("2026-01-01", "2026-01-02", "2026-03-01")]
    part, book = to_office(chart("line", "time", days), "rId1")
    assert b"scatterChart" in part
    assert b"yyyy-mm-dd" in part
    assert openpyxl.load_workbook(io.BytesIO(book)).active["A4"].value == datetime(2026, 3, 1)
    part, _ = to_office(chart("scatter", "number", (1.0, 5.0, 90.0)), "rId1")
    [first, _] = Read(parse_xml(part), None).plots[0].series
    assert list(first.iter_values()) == [800_000.0, None, 950_000.5]
