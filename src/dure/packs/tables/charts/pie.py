"""Parts of a whole."""

import math

from dure.charted import Chart
from dure.packs.tables.charts.scale import number
from dure.packs.tables.charts.svg import COLOURS, Svg, cut


def pie(svg: Svg, chart: Chart, top: float, width: int, height: int) -> None:
    """A slice for each x, clockwise from the top, with its name and share beside the circle."""
    values = [value or 0.0 for value in chart.series[0].values]
    # Of huge values the sum could be beyond all floats.
    most = max(values)
    shares = [value / most for value in values]
    whole = sum(shares)
    radius = (height - top - 40) / 2
    cx, cy = 40 + radius, top + 10 + radius
    start = 0.0
    for i, share in enumerate(shares):
        end = start + share / whole
        colour = COLOURS[i % len(COLOURS)]
        words = f"{chart.labels[i]}: {number(values[i])} ({share / whole:.1%})"
        look: dict[str, str | float] = {"fill": colour, "klass": "edge", "stroke": "#ffffff", "stroke_width": 1.5}
        if share / whole > 0.9999:
            svg.shape("circle", words, cx=cx, cy=cy, r=radius, **look)
        elif share > 0:
            (x1, y1), (x2, y2) = (_point(cx, cy, radius, turn) for turn in (start, end))
            large = int(end - start > 0.5)
            arc = f"M{cx:.2f} {cy:.2f} L{x1:.2f} {y1:.2f} A{radius:.2f} {radius:.2f} 0 {large} 1 {x2:.2f} {y2:.2f} Z"
            svg.shape("path", words, d=arc, **look)
        start = end
    x, line = cx + radius + 36, min(26.0, (height - top - 30) / len(values))
    y = cy - line * len(values) / 2 + line * 0.7
    for i, share in enumerate(shares):
        svg.shape("rect", x=x, y=y - 10, width=12, height=12, rx=2, fill=COLOURS[i % len(COLOURS)])
        room = width - x - 18 - 76
        svg.text(x + 18, y, cut(chart.labels[i], room))
        svg.text(width - 16, y, f"{share / whole:.1%}", anchor="end", klass="soft")
        y += line


def _point(cx: float, cy: float, radius: float, turn: float) -> tuple[float, float]:
    angle = 2 * math.pi * turn
    return cx + radius * math.sin(angle), cy - radius * math.cos(angle)
