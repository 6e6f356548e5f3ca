"""Writes SVG 1.1 (https://www.w3.org/TR/SVG11/): shapes and text, no script, no link, nothing loaded.

Colours stand in attributes for a light background, with rules beside them for readers who prefer a dark one. The
chart brings its own background, so it can be read on any.
"""

import unicodedata
from html import escape

from dure.knowledge.parse.parsed import one_line

COLOURS = ("#3b7dd8", "#e07b39", "#2f9e6e", "#c64b6b", "#8a6fd1", "#b0892b", "#3aa5b5", "#7d8790", "#a8577e", "#6b8e23")
"""Told apart on white and on near-black, also by most who do not see all colours."""

_STYLE = (
    "@media (prefers-color-scheme: dark) {.back {fill: #1d1f23} .ink {fill: #e8e8e8} .soft {fill: #b5b9bf} "
    ".grid {stroke: #3d4148} .axis {stroke: #8b9098} .edge {stroke: #1d1f23}}"
)
_FONT = "system-ui, 'Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans KR', 'Noto Sans CJK KR', sans-serif"


class Svg:
    """A picture of `width` by `height` pixels, put together from the back to the front."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{escape(one_line(title))}" font-family="{_FONT}" font-size="12">',
            f"<title>{escape(one_line(title))}</title><style>{_STYLE}</style>",
            f'<rect class="back" width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def add(self, element: str) -> None:
        """An element that is written already."""
        self._parts.append(element)

    def shape(self, tag: str, hint: str = "", **attributes: str | float) -> None:
        """An element; `hint` is shown when pointed at. `stroke_width=2` becomes stroke-width="2", `klass` class."""
        named = ((key.replace("klass", "class").replace("_", "-"), value) for key, value in attributes.items())
        written = "".join(f' {name}="{escape(_value(value))}"' for name, value in named)
        inside = f"><title>{escape(one_line(hint))}</title></{tag}>" if hint else "/>"
        self._parts.append(f"<{tag}{written}{inside}")

    def text(
        self, x: float, y: float, words: str, *, anchor: str = "start", klass: str = "ink", size: int = 12,
        turn: float = 0.0, bold: bool = False,
    ) -> None:  # fmt: skip
        """Words at (x, y), the base line's start, middle or end; turned by `turn` degrees around it."""
        more = f' transform="rotate({_value(turn)} {_value(x)} {_value(y)})"' if turn else ""
        more += ' font-weight="600"' if bold else ""
        fill = "#1f2328" if klass == "ink" else "#59636e"
        self._parts.append(
            f'<text class="{klass}" x="{_value(x)}" y="{_value(y)}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{fill}"{more}>{escape(one_line(words))}</text>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, klass: str) -> None:
        """A line of the grid or of an axis."""
        stroke = "#d9dde2" if klass == "grid" else "#6e7781"
        self.shape("line", klass=klass, x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=1)

    def done(self) -> bytes:
        """The file."""
        return "\n".join([*self._parts, "</svg>", ""]).encode()


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def width_of(text: str, size: int = 12) -> float:
    """About how wide text is, in pixels."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.58 for c in text) * size


def cut(text: str, pixels: float, size: int = 12) -> str:
    """Text that fits into so many pixels, with … where it was longer."""
    text = one_line(text)
    if width_of(text, size) <= pixels:
        return text
    while text and width_of(text, size) + size > pixels:
        text = text[:-1]
    return text.rstrip() + "…"
