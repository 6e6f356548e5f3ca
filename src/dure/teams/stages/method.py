"""A method: how an agent of a router team works."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dure.errors import Language, Text
from dure.teams.stages.stage import Done, Stage

_INSTEAD = Text("So {agent} answers instead.", ko="그래서 {agent}이(가) 이어서 답합니다.")


@dataclass(frozen=True, slots=True)
class Method:
    """`work` does a stage. `instead`: how the answer says that an agent of this method took over from one that found
    nothing, with `{agent}` for its name. `subject`: what messages to a team with such an agent are about."""

    work: Callable[[Stage], Awaitable[Done]]
    instead: Text = _INSTEAD
    subject: str = ""

    def taking_over(self, agent: str, language: Language) -> str:
        """The sentence that `agent` answers in another's place."""
        return self.instead.said(language).format(agent=agent)
