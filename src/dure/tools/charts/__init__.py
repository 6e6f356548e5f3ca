"""Charts as SVG: pure functions from numbers to text."""

from dure.tools.charts.chart import Axis as Axis
from dure.tools.charts.chart import Chart as Chart
from dure.tools.charts.chart import Kind as Kind
from dure.tools.charts.chart import Series as Series
from dure.tools.charts.plot import plot as plot
