"""Axes: where the ticks stand and what is written there."""

import math
from dataclasses import dataclass

_DAY = 86_400
_MONTH = 30.44 * _DAY
_STEPS = (
    ("s", 1, (1, 5, 15, 30), slice(11, 19)),
    ("s", 1, (60, 300, 900, 1800, 3600, 10800, 21600, 43200), slice(5, 16)),
    ("D", _DAY, (1, 2, 7, 14), slice(10)),
    ("M", _MONTH, (1, 2, 3, 6), slice(7)),
    ("M", _MONTH, (12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000), slice(4)),
)
"""Units of numpy, about how many seconds they have, how many of them may lie between ticks, and what is written there
of a time in ISO 8601."""
_YEAR_0 = {"M": -1970 * 12}
"""From where steps of a unit are counted, where that is not 1970."""


@dataclass(slots=True)
class Scale:
    """`ticks`: (value, text), all within low to high."""

    low: float
    high: float
    ticks: list[tuple[float, str]]

    def at(self, value: float) -> float:
        """Where `value` stands: 0 at the low end, 1 at the high end."""
        # Halves, because the difference of two huge numbers may be beyond all floats.
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


def linear(values: list[float], *, zero: bool = False, grouped: bool = True, most: int = 6) -> Scale:
    """A scale of numbers with ticks at 1, 2, 2.5 or 5 times a power of ten, about `most` at most.

    `values`: none, or finite ones from 1e-300 to 1e300 (and 0). `zero`: 0 belongs to it, as where lengths or areas are
    compared. `grouped`: 2,026 instead of 2026. Between whole numbers there are no ticks at fractions.
    """
    low, high = min(values, default=0.0), max(values, default=0.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    # Of nearly equal numbers the digits that differ would be rounding.
    if high / 2 - low / 2 <= max(abs(low), abs(high)) * 1e-12:
        spread = abs(high) * 0.1 or 1.0
        low, high = (low, high + spread) if zero and low == 0 else (low - spread, high + spread)
    step = _nice((high / 2 - low / 2) / (most - 1) * 2)
    if step < 1 and all(float(value).is_integer() for value in values):
        step = 1.0
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [step * i for i in range(first, last + 1)]
    return Scale(ticks[0], ticks[-1], [(value, number(value, step, grouped)) for value in ticks])


def _nice(rough: float) -> float:
    power = math.floor(math.log10(rough))
    # Written out and read again, so that 3e-5 is the float that people mean by it.
    steps = (float(f"{times}e{power}") for times in (1, 2, 2.5, 5, 10))
    return next(step for step in steps if step >= rough * (1 - 1e-9))


def number(value: float, step: float = 0.0, grouped: bool = True) -> str:
    """A number in words: digits in groups of three, as many decimals as `step` needs; scientific when huge or tiny.

    >>> number(1234567.0), number(0.25, 0.05), number(3e20)
    ('1,234,567', '0.25', '3e+20')
    """
    if value == 0 or abs(value) < step * 1e-6:
        return "0"
    if abs(value) >= 1e15 or abs(value) < 1e-6:
        return f"{value:.6g}"
    if step <= 0:
        text = f"{value:,.6f}" if abs(value) < 1000 else f"{value:,.2f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    # A step of 2.5 times a power of ten needs one more.
    if abs(round(step, decimals) - step) > step * 1e-6:
        decimals += 1
    text = f"{value:,.{min(decimals, 12)}f}"
    return text if grouped else text.replace(",", "")


def times(values: list[float]) -> Scale:
    """A scale of times, in seconds since 1970, with about seven ticks at full hours, days, months or years."""
    import numpy as np

    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        low, high = low - _DAY, high + _DAY
    # Of dates, which all begin a day, no hours are shown.
    least = _DAY if all(value % _DAY == 0 for value in values) else 1
    steps = [
        (unit, count, size * count, shown) for unit, size, counts, shown in _STEPS if size >= least for count in counts
    ]
    unit, count, _, shown = next((each for each in steps if (high - low) / each[2] <= 7), steps[-1])
    ends = np.array([math.floor(low), math.floor(high)], "M8[s]").astype(f"M8[{unit}]").astype(int)
    first = ends[0] - (ends[0] - _YEAR_0.get(unit, 0)) % count
    at = np.arange(first, ends[1] + 1, count).astype(f"M8[{unit}]").astype("M8[s]")
    told = zip(at.astype(float), np.datetime_as_string(at), strict=True)
    return Scale(low, high, [(float(t), text[shown].replace("T", " ")) for t, text in told if low <= t <= high])
