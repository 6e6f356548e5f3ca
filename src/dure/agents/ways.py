"""Ways to work with a model: what a run leaves to it, and what is done for it. Chosen once, when a run starts."""

from collections.abc import Mapping
from typing import Any, Literal

from dure.agents.outcome import Outcome
from dure.errors import Language
from dure.messages import Message
from dure.models import Model
from dure.registry import Registry
from dure.settings import AUTO

Piece = Literal["intent", "plan", "talk", "text", "form", "notes"]
"""What is asked of a model: a message's intent, a plan, small talk, a text, a form, notes on a part of a text."""


class Way:
    """`direct`, for a model that is up to it: everything is left to it. Other ways are subclasses."""

    decides = True
    """It decides who works on a message and in which steps. Else examples and rules do, where the team has them."""
    asks = True
    """It words searches and queries. Else the message is searched for as it stands, and read into forms."""
    tells = True
    """It tells what tools found. Else that is shown as it stands."""
    steps = 12
    """The most steps of a plan."""
    window: int | None = None
    """Characters of a text that it reads at once; None: what its context window holds."""
    parts = 48
    """Parts of long texts that it reads for one answer."""
    tokens: Mapping[Piece, int] = {"notes": 500}
    """The most tokens of what is asked of it; without a number as many as it likes, since it may think at length."""

    async def begin(self, job: Any, task: Message) -> Outcome | None:
        """Do an agent's work on `task` (`job`: a `Work`) in another way than by the agent loop; None: that has to."""
        return None

    def reminded(self, material: str, language: Language, level: str | None) -> str:
        """What the user's turn holds, as the model reads it; language and level: of the answer."""
        return material


WAYS: Registry[Way] = Registry("way", {"direct": Way(), "guided": "dure.agents.guided:GUIDED"})


def way_of(model: Model, wanted: str = AUTO) -> Way:
    """The way of that name; `auto`: the one that suits the model."""
    if wanted == AUTO:
        wanted = "guided" if model.small else "direct"
    return WAYS[wanted]
