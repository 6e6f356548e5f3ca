"""Web search without a key, by the library `ddgs`, which asks public search engines."""

import asyncio
from typing import Any, Final

from dure.errors import Language
from dure.packs.web import TEXTS
from dure.packs.web.problems import SearchFailed
from dure.packs.web.search import Found
from dure.tooling import in_thread

# Country and language; the Wikipedia of the language is among those asked.
_REGIONS = TEXTS.one("metasearch.regions")

_OFFLINE: Final = ("connect", "dnserror", "error resolving", "failed to lookup")
"""In what it says, in lower case, when no engine could be reached."""


class MetaSearch:
    """seconds: for a search; each engine gets a third. proxy: as `ddgs` takes it."""

    name = needs = "ddgs"

    def __init__(self, *, seconds: float = 24.0, proxy: str | None = None) -> None:
        self._seconds = seconds
        self._proxy = proxy

    async def search(self, query: str, count: int, language: Language) -> list[Found]:
        """See `Searcher`. Engines that refuse look like engines that find nothing."""
        try:
            # The thread goes on unheeded after that, until its engines' own timeouts end it.
            async with asyncio.timeout(self._seconds):
                results = await in_thread(lambda: self._results(query, count, language))
        except TimeoutError:
            raise SearchFailed("search_timeout", seconds=self._seconds) from None
        return [Found(each.get("title", ""), each.get("href", ""), each.get("body", "")) for each in results]

    def _results(self, query: str, count: int, language: Language) -> list[dict[str, Any]]:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        engines = DDGS(proxy=self._proxy, timeout=max(1, int(self._seconds / 3)))
        try:
            return engines.text(query, region=_REGIONS[language], max_results=count)
        except RatelimitException:
            raise SearchFailed("rate_limited") from None
        except TimeoutException:
            raise SearchFailed("search_timeout", seconds=self._seconds) from None
        except DDGSException as error:
            # What it says when all engines answered, and none had a result.
            if str(error) == "No results found.":
                return []
            if any(sign in str(error).lower() for sign in _OFFLINE):
                raise SearchFailed("offline") from None
            raise SearchFailed("search_failed", reason=" ".join(str(error).split())[:200]) from None
