"""Tools offered to a model, and its calls read back: dialects, and the formats in which models write calls."""

from dure.dialects.base import Dialect, Piece, Reply, ReplyReader, ToolDict
from dure.dialects.native import Native
from dure.dialects.parser import Parsed, ToolCallParser
from dure.dialects.schema import Schema
from dure.dialects.text import Text

DIALECTS: dict[str, Dialect] = {each.name: each for each in (Native(), Schema(), Text())}

__all__ = ["DIALECTS", "Dialect", "Parsed", "Piece", "Reply", "ReplyReader", "ToolCallParser", "ToolDict"]
