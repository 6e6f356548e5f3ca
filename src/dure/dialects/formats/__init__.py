"""The formats in which models write calls, one a file. A new one is added to this list."""

from dure.dialects.formats import hermes, json_call, pythonic, think, tool_input
from dure.dialects.formats.base import Format

FORMATS: tuple[Format, ...] = (
    think.FORMAT,
    hermes.FORMAT,
    tool_input.FORMAT,
    pythonic.FORMAT,
    json_call.FORMAT,
)
"""In the order in which they are tried where several share a marker."""
