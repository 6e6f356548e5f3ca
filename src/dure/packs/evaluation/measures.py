"""Shares of what was right, with how sure they are."""

from dataclasses import dataclass
from math import sqrt

_Z = 1.959963984540054
"""Of 95 %."""


@dataclass(slots=True)
class Measure:
    """`right` of `n`; `low` and `high` bound the share with 95 % confidence."""

    name: str
    right: int
    n: int
    share: float
    low: float
    high: float


def wilson(right: int, n: int) -> tuple[float, float]:
    """The bounds of a share with 95 % confidence: Wilson's score interval (1927), which holds for few cases and for
    shares near 0 and 1 too."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = right / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low = 0.0 if right == 0 else middle - half
    return low, 1.0 if right == n else middle + half


def measure(name: str, right: int, n: int) -> Measure:
    """How many were right of how many, as a share."""
    low, high = wilson(right, n)
    return Measure(name, right, n, round(right / n, 4) if n else 0.0, round(low, 4), round(high, 4))
