"""Documents: parse, split, index, embed, search, cite."""

from dure.knowledge.base import Knowledge
from dure.knowledge.document import Document
from dure.knowledge.search import Found

__all__ = ["Document", "Found", "Knowledge"]
