"""Axes: where the ticks stand and what is written there."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200)
_DAY = 86_400
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)


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


def times(values: list[float], most: int = 7) -> Scale:
    """A scale of times, in seconds since 1970, with about `most` ticks at full hours, days, months or years."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        low, high = low - _DAY, high + _DAY
    span = high - low
    # Of dates, which all begin a day, no hours are shown.
    hours = () if all(value % _DAY == 0 for value in values) else _SECONDS
    for seconds in (*hours, *(_DAY * days for days in _DAYS)):
        if span / seconds <= most:
            start = math.ceil(low / seconds) * seconds
            ticks = [float(at) for at in range(start, math.floor(high) + 1, seconds)]
            return Scale(low, high, [(at, _written(at, seconds)) for at in ticks])
    months = next((each for each in _MONTHS if span / (each * 30.44 * _DAY) <= most), _MONTHS[-1])
    return Scale(low, high, [(at, _written(at, months * 30 * _DAY)) for at in _month_starts(low, high, months)])


def _month_starts(low: float, high: float, months: int) -> list[float]:
    first = moment(low).year * 12 + moment(low).month - 1
    counts = range(first - first % months, 12 * 10_000, months)
    starts = ((datetime(max(n // 12, 1), n % 12 + 1, 1, tzinfo=UTC) - _EPOCH).total_seconds() for n in counts)
    return list(dict.fromkeys(at for at in takewhile(lambda at: at <= high, starts) if at >= low))


def moment(seconds: float) -> datetime:
    """The time, within the years that Python knows."""
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if seconds > 0 else datetime.min.replace(tzinfo=UTC)


def _written(at: float, step: int) -> str:
    time = moment(at)
    if step < 60:
        return f"{time:%H:%M:%S}"
    if step < _DAY:
        return f"{time:%m-%d %H:%M}"
    if step < 28 * _DAY:
        return f"{time.year:04}-{time:%m-%d}"
    return f"{time.year:04}" if step >= 365 * _DAY or step == 12 * 30 * _DAY else f"{time.year:04}-{time:%m}"
