"""The pack's toolset: the table tools, the chart that is drawn with them, and the calculator."""

from typing import TYPE_CHECKING

from dure.pack import Parts
from dure.packs.tables.calculator import calculator
from dure.packs.tables.chart import chart_tool
from dure.packs.tables.noted import Noted
from dure.packs.tables.tables import Tables
from dure.storage.files import open_files
from dure.toolsets import Tools, Toolset

if TYPE_CHECKING:
    from dure.app import Dure


def open_tables(parts: Parts) -> Toolset:
    """`list_tables`, `query_tables` and `draw_chart` over the documents of `parts`, and `calculate`."""
    tables = Tables(parts.knowledge, open_files(parts.settings, "tables"))
    parts.closing(tables.close)
    return Tools([*tables.tools(), chart_tool(tables), calculator()])


async def erase(dure: "Dure", owner: str) -> None:
    """Delete what models called an owner's tables."""
    await Noted(dure.knowledge, open_files(dure.settings, "tables")).forget(owner)
