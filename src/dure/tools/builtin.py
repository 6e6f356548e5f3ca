"""The tools that every Dure has."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.calculator import calculator
from dure.tools.knowledge import knowledge_tool
from dure.tools.tables import Tables

if TYPE_CHECKING:
    from dure.knowledge import Knowledge


def builtin_tools(knowledge: "Knowledge", tables: Tables) -> list[Tool]:
    """search_knowledge_base, calculate, list_tables and query_tables. Whoever made `tables` closes it."""
    return [knowledge_tool(knowledge), calculator(), *tables.tools()]
