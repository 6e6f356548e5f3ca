"""A method: how an agent of a router team works; what the team's messages are about, beyond its example questions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from dure.agents import RunContext
from dure.errors import Text
from dure.teams.stages.stage import Done, Stage

_INSTEAD = Text("So {agent} answers instead.", ko="그래서 {agent}이(가) 이어서 답합니다.")


@dataclass(frozen=True, slots=True)
class Method:
    """`work` does a stage. `instead`: how the answer says that an agent of this method took over from one that found
    nothing, with `{agent}` for its name. `subject`: what messages to a team with such an agent are about. `alone`: it
    needs nothing of what the stages before it found."""

    work: Callable[[Stage], Awaitable[Done]]
    instead: Text = _INSTEAD
    subject: str = ""
    alone: bool = False


class Subject:
    """A team about anything: a message speaks of nothing in particular. Packs subclass it."""

    async def known(self, run: RunContext, methods: list[str]) -> Any:
        """What the message of `run` speaks of, for stages of these methods; they find it as `stage.known`."""
        return None

    async def finished(self, stage: Stage, answer: str) -> str:
        """The answer of the last stage, with what is owed to its reader."""
        return answer
