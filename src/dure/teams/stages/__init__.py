"""The built-in ways in which agents of a router team work, by the names that team files use."""

from collections.abc import Awaitable, Callable, Mapping

from dure.teams.stages.general import general
from dure.teams.stages.glossary import glossary
from dure.teams.stages.known import Known, look
from dure.teams.stages.loop import loop
from dure.teams.stages.papers import search_paper
from dure.teams.stages.save import save_file
from dure.teams.stages.sql import text2sql
from dure.teams.stages.stage import Done, Stage
from dure.teams.stages.summarize import summarize
from dure.teams.stages.texts import instead
from dure.teams.stages.web import web_search
from dure.teams.stages.words import in_plain_words

METHODS: Mapping[str, Callable[[Stage], Awaitable[Done]]] = {
    "loop": loop,
    "general": general,
    "search_paper": search_paper,
    "glossary": glossary,
    "web_search": web_search,
    "summarize": summarize,
    "text2sql": text2sql,
    "save_file": save_file,
}

__all__ = ["METHODS", "Done", "Known", "Stage", "in_plain_words", "instead", "look"]
