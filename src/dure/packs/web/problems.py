"""Why a page or a search did not come, in words for the model and the user."""

from importlib.util import find_spec
from typing import Any

from dure.errors import ToolError, install_line
from dure.packs.web.texts import TEXTS

PROBLEMS = TEXTS["problems"]


class WebError(ToolError):
    """One of `PROBLEMS`, with the parameters of its sentence."""

    code = "web_error"
    status = 502

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.ko, self.en = PROBLEMS[problem]["ko"], PROBLEMS[problem]["en"]
        super().__init__(problem=problem, **parameters)


class AddressRefused(WebError):
    """The address is not one that may be opened."""

    code = "address_refused"
    status = 403


class PageUnavailable(WebError):
    """The page could not be fetched."""

    code = "page_unavailable"


class PageUnreadable(WebError):
    """The page came, but holds nothing that can be read."""

    code = "page_unreadable"
    status = 422


class SearchFailed(WebError):
    code = "search_failed"


class LibraryMissing(WebError):
    """An optional library is not installed."""

    code = "library_missing"
    status = 501


def needed(library: str) -> None:
    """Raises LibraryMissing where a library is not installed."""
    if find_spec(library) is None:
        raise LibraryMissing("missing", library=library, install=install_line("office"))
