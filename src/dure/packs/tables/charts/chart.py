"""What a chart shows."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["bar", "line", "pie", "scatter", "area"]
Axis = Literal["text", "number", "time"]


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
