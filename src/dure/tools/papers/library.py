"""All tools over the library of papers and the glossary."""

from typing import TYPE_CHECKING

from dure.tooling import Tool
from dure.tools.papers.glossary import glossary_tools
from dure.tools.papers.named import named_tool
from dure.tools.papers.read import read_tool
from dure.tools.papers.save import save_tool
from dure.tools.papers.search import search_tool
from dure.tools.papers.sql import PaperStatistics

if TYPE_CHECKING:
    from dure.papers import Glossary, Papers


class LibraryTools:
    """The tools over `papers` and `glossary`. Statistics run in processes of their own, which `close` ends."""

    def __init__(self, papers: "Papers", glossary: "Glossary") -> None:
        self._papers = papers
        self._glossary = glossary
        self._statistics = PaperStatistics(papers, ready=glossary.ready)

    def tools(self) -> list[Tool]:
        return [
            search_tool(self._papers),
            read_tool(self._papers),
            named_tool(self._papers),
            *self._statistics.tools(),
            save_tool(),
            *glossary_tools(self._glossary),
        ]

    async def close(self) -> None:
        await self._statistics.close()
