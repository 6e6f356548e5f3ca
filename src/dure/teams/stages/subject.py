"""What the messages of a router team are about, beyond its example questions."""

from typing import Any

from dure.agents import RunContext
from dure.teams.stages.stage import Stage


class Subject:
    """A team about anything: a message speaks of nothing in particular. Packs subclass it."""

    async def known(self, run: RunContext, methods: list[str]) -> Any:
        """What the message of `run` speaks of, for stages of these methods; they find it as `stage.known`."""
        return None

    async def finished(self, stage: Stage, answer: str) -> str:
        """The answer of the last stage, with what is owed to its reader."""
        return answer
