"""`web_search`: results from the web, as passages that the answer can cite."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from dure.errors import Language
from dure.knowledge.parse.parsed import one_line
from dure.packs.web import TEXTS
from dure.packs.web.problems import SearchFailed
from dure.sources import Passage
from dure.tooling import Outgoing, Tool, ToolContext, ToolResult, an_object

_MAX_QUERIES: Final = 3
_MAX_QUERY_CHARS: Final = 400
_MAX_RESULTS: Final = 10
_RESULTS: Final = 5
_SNIPPET_CHARS: Final = 700
_RANK: Final = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

_DESCRIPTION = (
    "Search the web; gives numbered results with addresses and snippets. Read a page with fetch_page when a snippet "
    "does not tell enough."
)
_PARAMETERS: Final = an_object(
    {
        "queries": {
            "type": "array",
            "items": {"type": "string"},
            "description": "1-3 phrasings, short, as typed into a search engine",
        },
        "max_results": {"type": "integer", "minimum": 1, "maximum": _MAX_RESULTS, "description": f"{_RESULTS} if left"},
    },
    "max_results",
)
_ADDRESS: Final = re.compile(r"https?://\S{1,1990}")
_NOTHING = TEXTS.one("search.nothing")


@dataclass(frozen=True, slots=True)
class Found:
    """One result of a search engine."""

    title: str
    url: str
    text: str
    date: str = ""


class Searcher(Protocol):
    """A search engine."""

    name: str
    needs: str
    """The library that asks it."""

    async def search(self, query: str, count: int, language: Language) -> list[Found]:
        """Up to `count` results, best first; none is an answer too. Raises SearchFailed."""
        ...


def search_tool(searcher: Searcher) -> Tool:
    """The tool `web_search` {queries, max_results?}. Queries are asked side by side; their results are fused."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        queries = [each.strip()[:_MAX_QUERY_CHARS] for each in args["queries"] if each.strip()][:_MAX_QUERIES]
        if not queries:
            return ToolResult(_NOTHING[context.language].format(queries="–"))
        count = int(args.get("max_results", _RESULTS))
        asked = [searcher.search(query, count, context.language) for query in queries]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        lists = [each for each in answers if not isinstance(each, BaseException)]
        failed = [each for each in answers if isinstance(each, BaseException)]
        # One phrasing's answer is enough; a fault of ours is not hidden behind it.
        for error in failed:
            if not lists or not isinstance(error, SearchFailed):
                raise error
        results = _fused(lists)[:count]
        shown = [asdict(each) | {"title": one_line(each.title), "text": one_line(each.text)} for each in results]
        data = {"queries": queries, "engine": searcher.name, "results": shown}
        if not results:
            return ToolResult(_NOTHING[context.language].format(queries=", ".join(queries)), data=data)
        return ToolResult("", passages=[_passage(each) for each in results], data=data)

    outgoing: dict[str, Outgoing] = {"queries": "query"}
    return Tool("web_search", _DESCRIPTION, _PARAMETERS, run, untrusted=True, outgoing=outgoing, needs=searcher.needs)


def _fused(lists: Sequence[Sequence[Found]]) -> list[Found]:
    """The results of all queries, each address once, by reciprocal rank fusion."""
    scores: dict[str, float] = {}
    best: dict[str, Found] = {}
    for found in lists:
        firsts = {_place(each.url): each for each in reversed(found) if _ADDRESS.fullmatch(each.url)}
        for rank, place in enumerate(dict.fromkeys(_place(each.url) for each in found if _place(each.url) in firsts)):
            scores[place] = scores.get(place, 0.0) + 1 / (_RANK + rank)
            best.setdefault(place, firsts[place])
    return [best[place] for place in sorted(scores, key=lambda place: -scores[place])]


def _place(url: str) -> str:
    """What two spellings of one address have in common."""
    rest = url.partition("://")[2].partition("#")[0].rstrip("/")
    host, slash, path = rest.partition("/")
    return host.lower().removeprefix("www.") + slash + path


def _passage(found: Found) -> Passage:
    text = one_line(found.text)
    if len(text) > _SNIPPET_CHARS:
        text = text[:_SNIPPET_CHARS].rsplit(" ", 1)[0] + " …"
    title = one_line(found.title)[:200] or urlsplit(found.url).netloc
    text = text or title
    # The snippet is a document of its own: the same page gives other queries other snippets.
    number = hashlib.sha256(f"{found.url}\0{text}".encode("utf-8", "replace")).hexdigest()[:24]
    dated = f"{title} ({found.date})" if found.date else title
    return Passage(f"search:{number}", dated, None, 0, len(text), text, url=found.url)
