"""What messages of team `papers` are about: which papers they speak of; terms that beginners do not know."""

from dure.agents import RunContext
from dure.packs.papers.stages.meant import Meant, meant, named_only
from dure.packs.papers.stages.words import in_plain_words
from dure.teams.stages import Stage, Subject


class PapersSubject(Subject):
    """Papers that a message names or points to."""

    async def known(self, run: RunContext, methods: list[str]) -> Meant:
        if "summarize" in methods:
            return await meant(run)
        return await named_only(run) if "text2sql" in methods else Meant(run.message)

    async def finished(self, stage: Stage, answer: str) -> str:
        return await in_plain_words(stage, answer)
