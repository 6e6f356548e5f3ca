"""The way `guided`, for models of one or two thousand million parameters.

Such a model neither calls tools reliably nor plans, misstates what it saw, and may fall into endless repetition. So it
is asked for little: one choice, one small form, one answer to passages that were fetched for it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dure.agents.grounded import grounded
from dure.agents.outcome import Outcome
from dure.agents.short import Short, take
from dure.agents.ways import Piece, Way
from dure.errors import Language
from dure.messages import Message
from dure.texts import TEXTS

if TYPE_CHECKING:
    from dure.agents.loop import Work

_READER = TEXTS["agents_guided.reader"]
_REPLY_IN = TEXTS.one("agents_guided.reply_in")


class Guided(Way):
    decides = asks = tells = False
    steps = 3
    window = 1500  # Some 15 s of reading on two cores.
    parts = 3
    tokens: Mapping[Piece, int] = {"intent": 200, "plan": 500, "talk": 300, "text": 600, "form": 300, "notes": 200}

    async def begin(self, job: "Work", task: Message) -> Outcome | None:
        """From passages that are fetched for it, else on the agent's short way."""
        if task.get("images"):
            job.run.unseen()
        short = Short(job.run, job.agent, job.tools, job.work_id, job.speech(), task["content"] or "")
        outcome = await grounded(short, job.found) if job.agent.search in job.tools else None
        return outcome or await take(short)

    def reminded(self, material: str, language: Language, level: str | None) -> str:
        """It forgets the language and the reader over a long text, unless they are the last thing it reads."""
        last = [_READER[level][language]] if level else []
        return f"{material}\n\n({' '.join([*last, _REPLY_IN[language]])})"


GUIDED = Guided()
