"""Why a page or a search did not come, in words for the model and the user."""

from importlib.util import find_spec
from typing import Any

from dure.errors import ToolError, install_line
from dure.packs.web.texts import TEXTS

PROBLEMS = TEXTS["problems"]


class WebError(ToolError, code="web_error", status=502):
    """One of `PROBLEMS`, with the parameters of its sentence."""

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.says = PROBLEMS[problem]
        super().__init__(problem=problem, **parameters)


class AddressRefused(WebError, code="address_refused", status=403):
    """The address is not one that may be opened."""


class PageUnavailable(WebError, code="page_unavailable"):
    """The page could not be fetched."""


class PageUnreadable(WebError, code="page_unreadable", status=422):
    """The page came, but holds nothing that can be read."""


class SearchFailed(WebError, code="search_failed"): ...


class LibraryMissing(WebError, code="library_missing", status=501):
    """An optional library is not installed."""


def needed(library: str) -> None:
    """Raises LibraryMissing where a library is not installed."""
    if find_spec(library) is None:
        raise LibraryMissing("missing", library=library, install=install_line("office"))
