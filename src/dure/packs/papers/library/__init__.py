"""The library: papers and the glossary."""

from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import Glossary, Looked
from dure.packs.papers.library.term import Term
from dure.packs.papers.record import (
    Added,
    FoundPaper,
    Paper,
    PaperRecord,
    PaperText,
    Problem,
    Section,
    Statistics,
)

__all__ = [
    "Added",
    "FoundPaper",
    "Glossary",
    "Looked",
    "Paper",
    "PaperRecord",
    "PaperText",
    "Papers",
    "Problem",
    "Section",
    "Statistics",
    "Term",
]
