"""What messages of team `papers` are about: which papers they speak of; terms that beginners do not know."""

import re
from collections.abc import Mapping
from typing import Any

from dure.agents import RunContext
from dure.packs.papers.stages.known import Known, look
from dure.packs.papers.stages.words import in_plain_words
from dure.teams.definition import MOST_STAGES
from dure.teams.stages import Stage, Subject

_SEEK = re.compile(
    r"찾(?:아|고|는|을)|검색(?!한|된|했)|추천(?!한|된|했)|\b(?:find|search|look\w* (?:up|for)|recommend)\b",
    re.IGNORECASE,
)


class PapersSubject(Subject):
    """Papers that a message names or points to. What is named or was just found needs no search, what is not there yet
    does."""

    async def known(self, run: RunContext, methods: list[str]) -> Known:
        needed = any(method in ("summarize", "text2sql") for method in methods)
        return await look(run) if needed else Known(run.message)

    def fitting(self, agents: list[str], methods: Mapping[str, str], message: str, known: Any) -> list[str]:
        ways = [methods[name] for name in agents]
        searches = next((name for name, way in methods.items() if way == "search_paper"), None)
        if "summarize" not in ways or searches is None:
            return agents
        at = ways.index("summarize")
        if at and ways[at - 1] == "search_paper" and known.settled and not _SEEK.search(message):
            return agents[: at - 1] + agents[at:]
        if at == 0 and not known.settled and not known.given and len(agents) < MOST_STAGES:
            return [searches, *agents]
        return agents

    async def finished(self, stage: Stage, answer: str) -> str:
        return await in_plain_words(stage, answer)
