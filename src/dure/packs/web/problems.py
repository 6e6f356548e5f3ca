"""Why a page or a search did not come, in words for the model and the user."""

from importlib.util import find_spec

from dure.egress import HostUnavailable, WebError
from dure.errors import install_line
from dure.packs.web import TEXTS


class _Problem(WebError):
    table = TEXTS["problems"]


class PageUnavailable(_Problem, HostUnavailable, code="page_unavailable"):
    """The page could not be fetched."""


class PageUnreadable(_Problem, code="page_unreadable", status=422):
    """The page came, but holds nothing that can be read."""


class SearchFailed(_Problem, code="search_failed"): ...


class LibraryMissing(_Problem, code="library_missing", status=501):
    """An optional library is not installed."""


def needed(library: str) -> None:
    """Raises LibraryMissing where a library is not installed."""
    if find_spec(library) is None:
        raise LibraryMissing("missing", library=library, install=install_line("office"))
