"""Which dialect suits a model best: five small tasks in each, on the real server."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from dure.dialects import DIALECTS, Reply
from dure.errors import DureError
from dure.messages import Message, system, user
from dure.models.model import Model


def _tool(name: str, description: str, required: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": required, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_TOOLS = [
    _tool("get_weather", "The weather of a city", {"city": {"type": "string"}}),
    _tool(
        "convert_length",
        "Convert a length",
        {"value": {"type": "number"}, "unit": {"type": "string", "enum": ["km", "mile"]}},
    ),
    _tool(
        "create_meeting",
        "Put a meeting into the calendar",
        {"attendees": {"type": "array", "items": {"type": "string"}}, "hour": {"type": "integer"}},
    ),
]


@dataclass(frozen=True, slots=True)
class Task:
    """A message and the calls it should lead to: names with the words or values their arguments must hold."""

    message: str
    calls: tuple[tuple[str, tuple[Any, ...]], ...]

    def done_by(self, reply: Reply) -> bool:
        """Whether the reply makes these calls and no others; without calls, whether it says something."""
        made = [c for c in reply.tool_calls if c.error is None]
        if len(made) != len(self.calls) or len(made) != len(reply.tool_calls):
            return False
        if not made:
            return bool(reply.content.strip())
        return all(any(_fits(call.name, call.args, wanted) for call in made) for wanted in self.calls)


def _fits(name: str, args: dict[str, Any], wanted: tuple[str, tuple[Any, ...]]) -> bool:
    values = [v for value in args.values() for v in (value if isinstance(value, list) else [value])]
    return name == wanted[0] and all(any(_same(v, w) for v in values) for w in wanted[1])


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return any(_same(value, each) for each in wanted)
    return wanted.lower() in value.lower() if isinstance(wanted, str) and isinstance(value, str) else value == wanted


TASKS = (
    Task("서울 날씨 어때?", (("get_weather", (("서울", "Seoul"),)),)),
    Task("How is the weather in Paris?", (("get_weather", (("Paris", "파리"),)),)),
    Task("Convert 12.5 km.", (("convert_length", (12.5, "km")),)),
    Task("오후 3시에 김하늘, 이도윤과 회의를 잡아줘.", (("create_meeting", ("김하늘", "이도윤", 15)),)),
    Task("고마워, 도움이 됐어!", ()),
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
