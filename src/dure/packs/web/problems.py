"""Why a page or a search did not come, in words for the model and the user."""

from dure.egress import HostUnavailable, WebError
from dure.packs.web import TEXTS


class _Problem(WebError):
    table = TEXTS["problems"]


class PageUnavailable(_Problem, HostUnavailable, code="page_unavailable"):
    """The page could not be fetched."""


class PageUnreadable(_Problem, code="page_unreadable", status=422):
    """The page came, but holds nothing that can be read."""


class SearchFailed(_Problem, code="search_failed"): ...
