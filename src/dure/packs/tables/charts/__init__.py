"""Charts as SVG: pure functions from numbers to text."""

from dure.packs.tables.charts.chart import Axis as Axis
from dure.packs.tables.charts.chart import Chart as Chart
from dure.packs.tables.charts.chart import Kind as Kind
from dure.packs.tables.charts.chart import Series as Series
from dure.packs.tables.charts.plot import plot as plot
