"""The pack's toolset: the table tools, the chart that is drawn with them, and the calculator."""

from dure.pack import Parts
from dure.packs.tables.calculator import calculator
from dure.packs.tables.chart import chart_tool
from dure.packs.tables.tables import Tables
from dure.storage.files import open_files
from dure.toolsets import Tools, Toolset


def open_tables(parts: Parts) -> Toolset:
    """`list_tables`, `query_tables` and `draw_chart` over the documents of `parts`, and `calculate`."""
    tables = Tables(parts.knowledge, open_files(parts.settings, "tables"))
    parts.closing(tables.close)
    return Tools([*tables.tools(), chart_tool(tables), calculator()])
