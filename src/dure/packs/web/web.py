"""The tools for the web."""

from dure.pack import Parts
from dure.packs.web.engines import MetaSearch, Tavily
from dure.packs.web.fetch import Fetcher
from dure.packs.web.page import PageReader, page_tool
from dure.packs.web.search import Searcher, search_tool
from dure.settings import Settings
from dure.tooling import Tool
from dure.toolsets import Tools, Toolset


def open_web(parts: Parts) -> Toolset:
    """The tools for the web. They hold nothing open."""
    return Tools(web_tools(parts.settings))


def web_tools(settings: Settings) -> list[Tool]:
    """web_search and fetch_page."""
    return [search_tool(searcher_of(settings)), page_tool(PageReader(Fetcher()))]


def searcher_of(settings: Settings) -> Searcher:
    """Tavily where there is a key for it, else the library `ddgs`."""
    key = settings.tavily_api_key
    return Tavily(key) if key is not None else MetaSearch()
