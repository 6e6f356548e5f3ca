"""The tools that every Dure has."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.calculator import calculator
from dure.tools.chart import chart_tool
from dure.tools.code import code_tool
from dure.tools.knowledge import knowledge_tool
from dure.tools.tables import Tables

if TYPE_CHECKING:
    from dure.knowledge import Knowledge


def builtin_tools(knowledge: "Knowledge", tables: Tables) -> list[Tool]:
    """Those over documents and tables, calculate, and run_python. Whoever made `tables` closes it."""
    return [knowledge_tool(knowledge), calculator(), *tables.tools(), chart_tool(tables), code_tool()]
