"""The library: papers and the glossary."""

from dure.papers.base import Papers
from dure.papers.glossary import Glossary, Looked
from dure.papers.record import (
    Added,
    FoundPaper,
    Paper,
    PaperRecord,
    PaperText,
    Problem,
    Section,
    Statistics,
)
from dure.papers.term import Term

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
