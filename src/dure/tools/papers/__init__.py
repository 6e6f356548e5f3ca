"""Tools over the library of papers and the glossary."""

from dure.tools.papers.library import LibraryTools

__all__ = ["LibraryTools"]
