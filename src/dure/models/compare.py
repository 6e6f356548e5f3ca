"""Which dialect suits a model best: five small tasks in each, on the real server."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from dure.dialects import DIALECTS, Reply
from dure.errors import DureError
from dure.messages import Message, system, user
from dure.models.model import Model
from dure.tooling import openai_tool

_UNITS = {"type": "string", "enum": ["km", "mile"]}
_PEOPLE = {"type": "array", "items": {"type": "string"}}
_TOOLS = [
    openai_tool(name, about, {"type": "object", "properties": args, "required": list(args)})
    for name, about, args in (
        ("get_weather", "The weather of a city", {"city": {"type": "string"}}),
        ("convert_length", "Convert a length", {"value": {"type": "number"}, "unit": _UNITS}),
        ("create_meeting", "Put a meeting into the calendar", {"attendees": _PEOPLE, "hour": {"type": "integer"}}),
    )
]


@dataclass(frozen=True, slots=True)
class Task:
    """A message, the tool it should lead to (None: to none), and whether that was called rightly, by the arguments."""

    message: str
    tool: str | None
    right: Callable[[dict[str, Any]], bool] = bool

    def done_by(self, reply: Reply) -> bool:
        """Whether the reply makes that one call; where none is wanted, whether it only says something."""
        if self.tool is None:
            return not reply.tool_calls and bool(reply.content.strip())
        match reply.tool_calls:
            case [call]:
                return call.error is None and call.name == self.tool and self.right(call.args)
        return False


TASKS = (
    Task("서울 날씨 어때?", "get_weather", lambda args: any(name in str(args) for name in ("서울", "Seoul", "seoul"))),
    Task("How is the weather in Paris?", "get_weather", lambda args: any(n in str(args) for n in ("Paris", "파리"))),
    Task("Convert 12.5 km.", "convert_length", lambda args: args == {"value": 12.5, "unit": "km"}),
    Task(
        "오후 3시에 김하늘, 이도윤과 회의를 잡아줘.",
        "create_meeting",
        lambda args: args.get("hour") == 15 and all(name in str(args) for name in ("김하늘", "이도윤")),
    ),
    Task("고마워, 도움이 됐어!", None),
)


@dataclass(slots=True)
class Score:
    """How a dialect did: tasks done of `len(TASKS)`, tokens and seconds in all; `error` where the server refused."""

    dialect: str
    done: int
    tokens: int = 0
    seconds: float = 0.0
    error: str | None = None


async def compare(model: Model) -> AsyncIterator[Score]:
    """Try every dialect with the model's server, one after another. Raises nothing: a refusal is a score of 0."""
    for name in DIALECTS:
        one = Model(model.client, dialect=name, small=model.small)
        score = Score(name, 0)
        for task in TASKS:
            messages: list[Message] = [system("Use the tools where they help; else answer."), user(task.message)]
            try:
                asked = await one.ask(messages, _TOOLS, max_tokens=300)
            except DureError as error:
                score.error = error.message("en")
                break
            score.done += task.done_by(asked.reply)
            score.tokens += asked.reply.usage.prompt_tokens + asked.reply.usage.completion_tokens
            score.seconds += asked.seconds
        yield score


def recommended(scores: list[Score]) -> str:
    """The dialect that did most; of equals, the first in the order native, schema, text."""
    return max(scores, key=lambda score: score.done).dialect
