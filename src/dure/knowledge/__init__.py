"""Documents: parse, split, index, embed, search, cite."""

from dure.knowledge.base import Knowledge
from dure.knowledge.cite import cite
from dure.knowledge.document import Document
from dure.knowledge.numbers import unsupported_numbers
from dure.knowledge.search import Found
from dure.knowledge.sentences import sentences

__all__ = ["Document", "Found", "Knowledge", "cite", "sentences", "unsupported_numbers"]
