"""Tools offered to a model, and its calls read back: dialects, and the formats in which models write calls."""

from dure.dialects.base import Dialect, Piece, Reply, ReplyReader, ToolDict
from dure.dialects.formats.base import Call
from dure.dialects.native import Native, Whole
from dure.dialects.parser import ToolCallParser
from dure.dialects.schema import Schema
from dure.dialects.text import Text, rendered, tool_lines
from dure.registry import Registry

DIALECTS: Registry[Dialect] = Registry("dialect", {"native": Native(), "schema": Schema(), "text": Text()})
"""By the names that `DURE_TOOL_DIALECT` uses: `DIALECTS.add("mine", Mine())`."""

__all__ = [
    "DIALECTS",
    "Call",
    "Dialect",
    "Piece",
    "Reply",
    "ReplyReader",
    "ToolCallParser",
    "ToolDict",
    "Whole",
    "rendered",
    "tool_lines",
]
