"""The tools that every Dure has."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.calculator import calculator
from dure.tools.chart import chart_tool
from dure.tools.code import code_tool
from dure.tools.contract import contract_tools
from dure.tools.knowledge import knowledge_tool
from dure.tools.papers import LibraryTools
from dure.tools.tables import Tables
from dure.tools.web import web_tools

if TYPE_CHECKING:
    from dure.knowledge import Knowledge
    from dure.settings import Settings


def builtin_tools(knowledge: "Knowledge", tables: Tables, library: LibraryTools, settings: "Settings") -> list[Tool]:
    """Those over documents, tables, papers and the web, for sums, code and contracts. Whoever made `tables` and
    `library` closes them."""
    return [
        knowledge_tool(knowledge),
        calculator(),
        *tables.tools(),
        chart_tool(tables),
        code_tool(),
        *web_tools(settings),
        *contract_tools(),
        *library.tools(),
    ]
