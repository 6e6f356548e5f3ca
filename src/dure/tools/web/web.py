"""The tools for the web."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.web.fetch import Fetcher
from dure.tools.web.metasearch import MetaSearch
from dure.tools.web.page import PageReader, page_tool
from dure.tools.web.search import Searcher, search_tool
from dure.tools.web.tavily import Tavily

if TYPE_CHECKING:
    from dure.settings import Settings


def web_tools(settings: "Settings") -> list[Tool]:
    """web_search and fetch_page. They hold nothing open."""
    return [search_tool(searcher_of(settings)), page_tool(PageReader(Fetcher()))]


def searcher_of(settings: "Settings") -> Searcher:
    """Tavily where there is a key for it, else the library `ddgs`."""
    key = settings.tavily_api_key
    return Tavily(key) if key is not None else MetaSearch()
