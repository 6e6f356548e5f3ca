"""The pack's toolset: the table tools, and the chart that is drawn with them."""

from dure.pack import Parts
from dure.packs.tables.chart import chart_tool
from dure.packs.tables.tables import Tables
from dure.toolsets import Tools, Toolset


def open_tables(parts: Parts) -> Toolset:
    """`list_tables`, `query_tables` and `draw_chart` over the documents of `parts`."""
    tables = Tables(parts.knowledge)
    parts.closing(tables.close)
    return Tools([*tables.tools(), chart_tool(tables)])
