"""The tools that every Dure has."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.calculator import calculator
from dure.tools.knowledge import knowledge_tool

if TYPE_CHECKING:
    from dure.knowledge import Knowledge


def builtin_tools(knowledge: "Knowledge") -> list[Tool]:
    """search_knowledge_base and calculate."""
    return [knowledge_tool(knowledge), calculator()]
