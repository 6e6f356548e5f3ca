"""All tools over the library of papers and the glossary."""

from dure.data.sandbox import Sandbox
from dure.pack import Parts
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import Glossary
from dure.packs.papers.storage.library import shelves
from dure.packs.papers.tools.glossary import glossary_tools
from dure.packs.papers.tools.marks import marks_tool
from dure.packs.papers.tools.read import read_tool
from dure.packs.papers.tools.save import save_tool, saved_tool
from dure.packs.papers.tools.search import full_texts_tool, named_tools, search_tool
from dure.packs.papers.tools.sql import statistics_tool
from dure.toolsets import Tools


def open_library(parts: Parts) -> "LibraryTools":
    """The tools over the papers and the glossary of `parts`."""
    papers = Papers(parts.database, parts.knowledge)
    parts.closing(papers.close)
    parts.knowledge.share(shelves)
    sandbox = Sandbox()
    parts.closing(sandbox.close)
    return LibraryTools(papers, Glossary(parts.database), sandbox)


class LibraryTools(Tools):
    """The tools over `papers` and `glossary`. Statistics run in processes of the sandbox."""

    def __init__(self, papers: Papers, glossary: Glossary, sandbox: Sandbox) -> None:
        self.papers = papers
        self.glossary = glossary
        reading = [search_tool(papers), full_texts_tool(papers), read_tool(papers), *named_tools(papers, glossary)]
        counting = statistics_tool(papers, sandbox)
        super().__init__([*reading, counting, save_tool(), saved_tool(), *glossary_tools(glossary), marks_tool(papers)])
