"""The library: papers and the glossary."""

from dure.papers.base import Papers
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

__all__ = ["Added", "FoundPaper", "Paper", "PaperRecord", "PaperText", "Papers", "Problem", "Section", "Statistics"]
