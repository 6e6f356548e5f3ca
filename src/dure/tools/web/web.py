"""The tools for the web."""

from dure.settings import Settings
from dure.tooling import Tool
from dure.tools.web.fetch import Fetcher
from dure.tools.web.metasearch import MetaSearch
from dure.tools.web.page import PageReader, page_tool
from dure.tools.web.search import Searcher, search_tool
from dure.tools.web.tavily import Tavily


def web_tools(settings: Settings) -> list[Tool]:
    """web_search (by Tavily where there is a key, else by `ddgs`) and fetch_page. They hold nothing open."""
    key = settings.tavily_api_key
    searcher: Searcher = Tavily(key) if key is not None else MetaSearch()
    return [search_tool(searcher), page_tool(PageReader(Fetcher()))]
