"""Tools offered to a model, and its calls read back: dialects, and the formats in which models write calls."""

from dure.dialects.base import Dialect as Dialect
from dure.dialects.base import Piece as Piece
from dure.dialects.base import Reply as Reply
from dure.dialects.base import ReplyReader as ReplyReader
from dure.dialects.base import ToolDict as ToolDict
from dure.dialects.formats.base import Call as Call
from dure.dialects.native import Native
from dure.dialects.native import Whole as Whole
from dure.dialects.parser import ToolCallParser as ToolCallParser
from dure.dialects.schema import Schema
from dure.dialects.text import Text
from dure.dialects.text import rendered as rendered
from dure.dialects.text import tool_lines as tool_lines
from dure.registry import Registry

DIALECTS: Registry[Dialect] = Registry("dialect", {"native": Native(), "schema": Schema(), "text": Text()})
"""By the names that `DURE_TOOL_DIALECT` uses: `DIALECTS.add("mine", Mine())`."""
