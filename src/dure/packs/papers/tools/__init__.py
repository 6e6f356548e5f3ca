"""Tools over the library of papers and the glossary."""

from dure.packs.papers.tools.library import LibraryTools

__all__ = ["LibraryTools"]
