"""Dialect `text`: tools described in the system text, calls written as Thought / Action / Action Input."""

from collections.abc import Sequence
from typing import Any

from dure.dialects.base import ToolDict
from dure.dialects.native import NativeReader
from dure.dialects.offered import Offered
from dure.dialects.turns import as_data, compact, example_args, rendered, spoken, tool_lines
from dure.messages import Message
from dure.texts import TEXTS

STOP = ["\nObservation:"]
"""Keeps the model from inventing results."""

_PROMPT = TEXTS.one("dialects_text.prompt")


class Text:
    """Prompted calls, for models and servers that know no other."""

    def request(self, messages: list[Message], tools: Sequence[ToolDict]) -> dict[str, Any]:
        preface = ""
        if tools:
            first = tools[0].get("function", tools[0])
            preface = _PROMPT[spoken(messages)].format(
                tools=tool_lines(tools), name=first["name"], args=compact(example_args(tools[0]))
            )
        turns = rendered(messages, preface, _call, _result, _answer if tools else str)
        return {"messages": turns, "stop": list(STOP)} if tools else {"messages": turns}

    def reader(self, tools: Sequence[ToolDict], *, repair: bool = True, reasoning: bool = False) -> NativeReader:
        return NativeReader(Offered(tools), repair=repair, reasoning=reasoning)


def _call(name: str, args: dict[str, Any], said: str) -> str:
    thought = f"Thought: {' '.join(said.split())}\n" if said.strip() else ""
    return f"{thought}Action: {name}\nAction Input: {compact(args)}"


def _result(name: str, text: str) -> str:
    return f"Observation: {as_data(text)}"


def _answer(text: str) -> str:
    return f"Final Answer: {text}"
