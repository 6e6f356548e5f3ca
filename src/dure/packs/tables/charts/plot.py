"""Bars, lines, areas and points on two axes, and parts of a whole."""

import math
from itertools import groupby

from dure.charted import Chart, Series, carried
from dure.packs.tables.charts.scale import Scale, linear, number, times
from dure.packs.tables.charts.svg import COLOURS, Svg, cut, width_of

WIDTH, HEIGHT = 760, 460
_RIGHT = 24
_MAX_HINTS = 600
_MAX_MARKERS = 80


def plot(chart: Chart) -> bytes:
    """The chart as an SVG file. It has at least one x and one series; a pie no negative value and a sum above 0."""
    svg = Svg(WIDTH, HEIGHT, chart.title or ", ".join(each.name for each in chart.series))
    svg.add(carried(chart))
    top = 16.0
    if chart.title:
        svg.text(WIDTH / 2, 30, cut(chart.title, WIDTH - 40, 17), anchor="middle", size=17, bold=True)
        top = 44.0
    if chart.kind == "pie":
        _pie(svg, chart, top)
    else:
        if len(chart.series) > 1:
            top = _legend(svg, [each.name for each in chart.series], top)
        _Axes(svg, chart, top + 8).draw()
    return svg.done()


def _legend(svg: Svg, names: list[str], top: float) -> float:
    """Names with their colours, in lines; returns where the next thing may stand."""
    x, y = 24.0, top + 12
    for i, name in enumerate(names):
        words = cut(name, 200)
        wide = 20 + width_of(words) + 18
        if x > 24 and x + wide > WIDTH - _RIGHT:
            x, y = 24.0, y + 20
        svg.shape("rect", x=x, y=y - 10, width=12, height=12, rx=2, fill=COLOURS[i % len(COLOURS)])
        svg.text(x + 18, y, words)
        x += wide
    return y + 14


def _pie(svg: Svg, chart: Chart, top: float) -> None:
    """A slice for each x, clockwise from the top, with its name and share beside the circle."""
    values = [value or 0.0 for value in chart.series[0].values]
    # Of huge values the sum could be beyond all floats.
    most = max(values)
    whole = sum(value / most for value in values)
    radius = (HEIGHT - top - 40) / 2
    cx, cy = 40 + radius, top + 10 + radius
    x, line = cx + radius + 36, min(26.0, (HEIGHT - top - 30) / len(values))
    y = cy - line * len(values) / 2 + line * 0.7
    turn, from_x, from_y = 0.0, cx, cy - radius
    for i, (value, label) in enumerate(zip(values, chart.labels, strict=True)):
        share, colour = value / most / whole, COLOURS[i % len(COLOURS)]
        turn += share
        to_x, to_y = cx + radius * math.sin(math.tau * turn), cy - radius * math.cos(math.tau * turn)
        words = f"{label}: {number(value)} ({share:.1%})"
        look: dict[str, str | float] = {"fill": colour, "klass": "edge", "stroke": "#ffffff", "stroke_width": 1.5}
        if share > 0.9999:
            svg.shape("circle", words, cx=cx, cy=cy, r=radius, **look)
        elif share > 0:
            arc = f"A{radius:.2f} {radius:.2f} 0 {int(share > 0.5)} 1 {to_x:.2f} {to_y:.2f}"
            svg.shape("path", words, d=f"M{cx:.2f} {cy:.2f} L{from_x:.2f} {from_y:.2f} {arc} Z", **look)
        from_x, from_y = to_x, to_y
        svg.shape("rect", x=x, y=y - 10, width=12, height=12, rx=2, fill=colour)
        svg.text(x + 18, y, cut(label, WIDTH - x - 18 - 76))
        svg.text(WIDTH - 16, y, f"{share:.1%}", anchor="end", klass="soft")
        y += line


class _Axes:
    def __init__(self, svg: Svg, chart: Chart, top: float) -> None:
        self.svg, self.chart, self.top = svg, chart, top
        values = [v for each in chart.series for v in each.values if v is not None]
        self.y_scale = linear(values, zero=chart.kind in ("bar", "area"))
        widest = max(width_of(text, 11) for _, text in self.y_scale.ticks)
        # The name of a single series stands at the axis; several have a legend.
        self.left = min(24 + widest + (20 if len(chart.series) == 1 else 0), 240)
        self.right = float(WIDTH - _RIGHT)
        self.x_scale: Scale | None = None
        if chart.kind != "bar" and chart.axis == "time":
            self.x_scale = times(chart.x)
        elif chart.kind != "bar" and chart.axis == "number":
            # Up to four digits, which may be years, stand without a comma.
            self.x_scale = linear(chart.x, grouped=max(map(abs, chart.x)) >= 10_000, most=8)
        self.places = self._places()
        room = (self.right - self.left) / max(len(self.places), 1)
        self.turned = any(width_of(text, 11) > room - 6 for _, text in self.places)
        below = 20.0 if not self.turned else min(max(width_of(text, 11) for _, text in self.places), 150) * 0.62 + 18
        self.bottom = HEIGHT - below - 34

    def _x(self, index: int) -> float:
        if self.x_scale is not None:
            return self._along(self.x_scale, self.chart.x[index])
        slot = (self.right - self.left) / len(self.chart.labels)
        return self.left + slot * (index + 0.5)

    def _along(self, scale: Scale, value: float) -> float:
        # A little room, so that points do not stand on the axis.
        return self.left + 10 + scale.at(value) * (self.right - self.left - 20)

    def _y(self, value: float) -> float:
        return self.bottom - self.y_scale.at(value) * (self.bottom - self.top)

    def _places(self) -> list[tuple[float, str]]:
        """Where words stand below the axis."""
        if self.x_scale is not None:
            return [(self._along(self.x_scale, at), text) for at, text in self.x_scale.ticks]
        every = -(-len(self.chart.labels) // 40)
        return [(self._x(i), cut(label, 150, 11)) for i, label in enumerate(self.chart.labels) if i % every == 0]

    def draw(self) -> None:
        svg, chart = self.svg, self.chart
        for at, text in self.y_scale.ticks:
            svg.line(self.left, self._y(at), self.right, self._y(at), "grid")
            svg.text(self.left - 7, self._y(at) + 4, text, anchor="end", klass="soft", size=11)
        for x, text in self.places:
            if self.turned:
                words = cut(text, (x - 2) / 0.79, 11)
                svg.text(x + 4, self.bottom + 16, words, anchor="end", klass="soft", size=11, turn=-38)
            else:
                svg.text(x, self.bottom + 18, text, anchor="middle", klass="soft", size=11)
        {"bar": self._bars, "scatter": self._points, "line": self._lines, "area": self._lines}[chart.kind]()
        base = 0.0 if self.y_scale.low <= 0 <= self.y_scale.high else self.y_scale.low
        svg.line(self.left, self._y(base), self.right, self._y(base), "axis")
        middle = (self.left + self.right) / 2
        svg.text(middle, HEIGHT - 12, cut(chart.x_name, self.right - self.left), anchor="middle", size=12)
        if len(chart.series) == 1:
            name = cut(chart.series[0].name, self.bottom - self.top)
            svg.text(16, (self.top + self.bottom) / 2, name, anchor="middle", size=12, turn=-90)

    def _hint(self, each: Series, index: int, value: float) -> str:
        if sum(len(series.values) for series in self.chart.series) > _MAX_HINTS:
            return ""
        return f"{self.chart.labels[index]} · {each.name}: {number(value)}"

    def _bars(self) -> None:
        count = len(self.chart.series)
        slot = (self.right - self.left) / len(self.chart.labels)
        wide = min(slot * 0.76 / count, 72.0)
        zero = self._y(0.0)
        for n, each in enumerate(self.chart.series):
            for i, value in enumerate(each.values):
                if value is None:
                    continue
                y = self._y(value)
                # What is there is seen, however small.
                tall = max(abs(y - zero), 0.75 if value else 0.0)
                x = self._x(i) + (n - count / 2) * wide
                self.svg.shape(
                    "rect", self._hint(each, i, value), x=x, y=min(y, zero), width=max(wide - 1, 0.5), height=tall,
                    fill=COLOURS[n % len(COLOURS)],
                )  # fmt: skip

    def _points(self) -> None:
        for n, each in enumerate(self.chart.series):
            for i, value in enumerate(each.values):
                if value is not None:
                    self._dot(n, i, value, 4.0 if len(each.values) <= 300 else 2.5, opacity=0.8)

    def _lines(self) -> None:
        order = sorted(range(len(self.chart.x)), key=self.chart.x.__getitem__) if self.x_scale is not None else None
        for n, each in enumerate(self.chart.series):
            along = order or list(range(len(each.values)))
            colour = COLOURS[n % len(COLOURS)]
            for there, group in groupby(along, key=lambda i, each=each: each.values[i] is not None):  # type: ignore[misc]
                if not there:
                    continue
                run = [(i, value) for i in group if (value := each.values[i]) is not None]
                points = [(self._x(i), self._y(value)) for i, value in run]
                if len(points) == 1:
                    self._dot(n, *run[0], 3.5)
                    continue
                path = "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
                if self.chart.kind == "area":
                    zero = self._y(0.0)
                    closed = f"{path} L{points[-1][0]:.2f} {zero:.2f} L{points[0][0]:.2f} {zero:.2f} Z"
                    self.svg.shape("path", d=closed, fill=colour, fill_opacity=0.28)
                self.svg.shape("path", d=path, fill="none", stroke=colour, stroke_width=2, stroke_linejoin="round")
                if len(along) <= _MAX_MARKERS:
                    for i, value in run:
                        self._dot(n, i, value, 2.8)

    def _dot(self, n: int, index: int, value: float, radius: float, opacity: float = 1.0) -> None:
        hint = self._hint(self.chart.series[n], index, value)
        self.svg.shape(
            "circle", hint, cx=self._x(index), cy=self._y(value), r=radius, fill=COLOURS[n % len(COLOURS)],
            fill_opacity=opacity,
        )  # fmt: skip
