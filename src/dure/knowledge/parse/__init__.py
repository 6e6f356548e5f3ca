"""Files of many kinds to text with page numbers."""

from dure.knowledge.parse.kinds import KINDS, kind_of, parse
from dure.knowledge.parse.parsed import DocumentText, Page, Parsed, clean, join
from dure.knowledge.parse.problems import Unreadable
from dure.knowledge.parse.reader import MAX_WIDTH, Pictures, Reader

__all__ = [
    "KINDS",
    "MAX_WIDTH",
    "DocumentText",
    "Page",
    "Parsed",
    "Pictures",
    "Reader",
    "Unreadable",
    "clean",
    "join",
    "kind_of",
    "parse",
]
