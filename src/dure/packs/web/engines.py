"""Web search: by Tavily's HTTP interface (https://docs.tavily.com/documentation/api-reference/endpoint/search), and
without a key by the library `ddgs`, which asks public search engines."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from dure.egress import read_up_to
from dure.errors import Language, Text
from dure.packs.web import TEXTS
from dure.packs.web.problems import SearchFailed
from dure.packs.web.search import Found
from dure.tooling import in_thread

if TYPE_CHECKING:
    from pydantic import SecretStr


URL: Final = "https://api.tavily.com"
_MAX_BYTES: Final = 2_000_000
_REFUSALS: Final = {401: "key_refused", 403: "key_refused", 429: "rate_limited", 432: "quota", 433: "quota"}
# Country and language; the Wikipedia of the language is among those asked.
_REGIONS = TEXTS.one("engines.regions")
_OFFLINE: Final = ("connect", "dnserror", "error resolving", "failed to lookup")
"""In what it says, in lower case, when no engine could be reached."""


@dataclass(frozen=True, slots=True)
class Tavily:
    """key: Tavily's API key. base_url: where the service is."""

    name, needs = "tavily", ""
    key: "SecretStr"
    base_url: str = URL
    seconds: float = 20.0

    async def search(self, query: str, count: int, language: Language) -> list[Found]:
        """See `Searcher`. One credit of the plan for each query."""
        import aiohttp

        body = orjson.dumps({"query": query, "max_results": count, "search_depth": "basic"})
        headers = {"Authorization": f"Bearer {self.key.get_secret_value()}", "Content-Type": "application/json"}
        timeout = aiohttp.ClientTimeout(total=self.seconds)
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=timeout, trust_env=False, cookie_jar=aiohttp.DummyCookieJar(), headers=headers
                ) as session,
                # A redirect would carry the key elsewhere.
                session.post(f"{self.base_url}/search", data=body, allow_redirects=False) as response,
            ):
                data = await read_up_to(response, _MAX_BYTES)
                if len(data) > _MAX_BYTES:
                    raise SearchFailed("search_failed", reason=f"> {_MAX_BYTES} bytes")
                if response.status != 200:
                    problem = _REFUSALS.get(response.status, "search_failed")
                    raise SearchFailed(problem, reason=f"HTTP {response.status}")
        except TimeoutError:
            raise SearchFailed("search_timeout", seconds=self.seconds) from None
        except aiohttp.ClientError:
            raise SearchFailed("offline") from None
        return _results(data)


def _results(data: bytes) -> list[Found]:
    try:
        results: Any = orjson.loads(data)["results"]
        return [
            Found(
                str(each.get("title") or ""),
                str(each["url"]),
                str(each.get("content") or ""),
                str(each.get("published_date") or "")[:30],
            )
            for each in results
        ]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise SearchFailed("search_failed", reason=Text("not the expected JSON", ko="예상한 JSON이 아닙니다")) from None


@dataclass(frozen=True, slots=True)
class MetaSearch:
    """seconds: for a search; each engine gets a third. proxy: as `ddgs` takes it."""

    name = needs = "ddgs"
    seconds: float = 24.0
    proxy: str | None = None

    async def search(self, query: str, count: int, language: Language) -> list[Found]:
        """See `Searcher`. Engines that refuse look like engines that find nothing."""
        try:
            # The thread goes on unheeded after that, until its engines' own timeouts end it.
            async with asyncio.timeout(self.seconds):
                results = await in_thread(lambda: self._results(query, count, language))
        except TimeoutError:
            raise SearchFailed("search_timeout", seconds=self.seconds) from None
        return [Found(each.get("title", ""), each.get("href", ""), each.get("body", "")) for each in results]

    def _results(self, query: str, count: int, language: Language) -> list[dict[str, Any]]:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        engines = DDGS(proxy=self.proxy, timeout=max(1, int(self.seconds / 3)))
        try:
            return engines.text(query, region=_REGIONS[language], max_results=count)
        except RatelimitException:
            raise SearchFailed("rate_limited") from None
        except TimeoutException:
            raise SearchFailed("search_timeout", seconds=self.seconds) from None
        except DDGSException as error:
            # What it says when all engines answered, and none had a result.
            if str(error) == "No results found.":
                return []
            if any(sign in str(error).lower() for sign in _OFFLINE):
                raise SearchFailed("offline") from None
            raise SearchFailed("search_failed", reason=" ".join(str(error).split())[:200]) from None
