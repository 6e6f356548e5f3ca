"""The library of an opened Dure."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.packs.papers.library.base import Papers
    from dure.packs.papers.library.glossary import Glossary
    from dure.packs.papers.tools.library import LibraryTools


def papers_of(dure: "Dure") -> "Papers":
    """The papers of an opened Dure."""
    return cast("LibraryTools", dure.packs["papers"]).papers


def glossary_of(dure: "Dure") -> "Glossary":
    """The glossary of an opened Dure."""
    return cast("LibraryTools", dure.packs["papers"]).glossary
