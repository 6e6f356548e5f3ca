"""Dialect `text`: tools described in the system text, calls written as Thought / Action / Action Input; and how a
conversation is written for models that know no tool messages: one system message, then user and assistant in turn.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from dure.dialects.base import ToolDict
from dure.dialects.formats.react import labelled
from dure.dialects.json_scan import whole
from dure.dialects.native import Native
from dure.dialects.offered import Offered
from dure.errors import Language
from dure.language import language_of_talk
from dure.messages import Message, language_of, system
from dure.texts import TEXTS

STOP = ["\nObservation:"]
"""Keeps the model from inventing results."""

_PROMPT = TEXTS.one("dialects_text.prompt")


class Text(Native):
    """Prompted calls, for models and servers that know no other."""

    def request(self, messages: list[Message], tools: Sequence[ToolDict]) -> dict[str, Any]:
        preface = ""
        if tools:
            first = tools[0].get("function", tools[0])
            preface = _PROMPT[spoken(messages)].format(
                tools=tool_lines(tools), name=first["name"], args=compact(example_args(tools[0]))
            )

        def call(name: str, args: dict[str, Any], said: str) -> str:
            thought = f"Thought: {' '.join(said.split())}\n" if said.strip() else ""
            return f"{thought}Action: {name}\nAction Input: {compact(args)}"

        answer = "Final Answer: {}".format if tools else str
        turns = rendered(messages, preface, call, lambda name, text: f"Observation: {as_data(text)}", answer)
        return {"messages": turns, "stop": list(STOP)} if tools else {"messages": turns}


def rendered(
    messages: Sequence[Message],
    preface: str,
    call: Callable[[str, dict[str, Any], str], str],
    result: Callable[[str, str], str],
    answer: Callable[[str], str],
) -> list[Message]:
    """The messages with earlier calls and results as text.

    preface: goes after the system text. call: text of an assistant turn from name, arguments and what was said beside
    it; result: text of a user turn from name and result; answer: text of an assistant turn that calls nothing.
    """
    systems = [message["content"] or "" for message in messages if message["role"] == "system"]
    if preface:
        systems.append(preface)
    turns: list[Message] = []
    # Some servers count their ids from 0 in every reply: the first result of an id not yet taken is the call's.
    results: dict[str, list[Message]] = {}
    for message in messages:
        if message["role"] == "tool" and "tool_call_id" in message:
            results.setdefault(message["tool_call_id"], []).append(message)
    for message in messages:
        if message["role"] == "assistant" and message.get("tool_calls"):
            said = message["content"] or ""
            for each in message["tool_calls"]:
                name = each["function"]["name"]
                read = whole(each["function"]["arguments"])
                _add(turns, "assistant", call(name, read.value if read and isinstance(read.value, dict) else {}, said))
                said = ""
                if given := results.get(each["id"]):
                    _add(turns, "user", result(name, given.pop(0)["content"] or ""))
        elif message["role"] == "assistant":
            _add(turns, "assistant", answer(message["content"] or ""))
        elif message["role"] == "user":
            _add(turns, "user", message["content"] or "")
    head = "\n\n".join(part for part in systems if part)
    return [system(head), *turns] if head else turns


def _add(turns: list[Message], role: Any, text: str) -> None:
    if turns and turns[-1]["role"] == role:
        text = f"{turns.pop()['content']}\n\n{text}"
    turns.append({"role": role, "content": text})


def as_data(text: str) -> str:
    """A tool's result with every line that looks like a label quoted, so that it cannot pass for one."""
    lines = "\n".join(["", *text.splitlines()])
    return labelled().sub(lambda match: "\n> " + match.group()[1:], lines)[1:]


def spoken(messages: Sequence[Message]) -> Language:
    """The language of the user's last message, else of the system text."""
    told = "".join(message["content"] or "" for message in messages if message["role"] == "system")
    return language_of_talk(messages) or language_of(told)


def compact(value: Any) -> str:
    """JSON on one line, Korean readable."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def tool_lines(tools: Sequence[ToolDict]) -> str:
    """One tool a line with its description, and its arguments' JSON Schema below."""
    lines = []
    for tool in tools:
        function = tool.get("function", tool)
        description = " ".join(str(function.get("description") or "").split())
        lines.append(f"- {function['name']}: {description}")
        lines.append(f"  {compact(function.get('parameters') or {'type': 'object', 'properties': {}})}")
    return "\n".join(lines)


def example_args(tool: ToolDict) -> dict[str, Any]:
    """Arguments to show in an example: one for every required property, else the first."""
    function = tool.get("function", tool)
    offered = Offered([tool])
    properties = offered.properties(function["name"])
    keys = offered.required(function["name"]) or list(properties)[:1]
    return {key: _sample(properties[key]) for key in keys}


def _sample(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return "…"
    for word in ("default", "const"):
        if schema.get(word) is not None:
            return schema[word]
    for word in ("enum", "examples"):
        if isinstance(schema.get(word), list) and schema[word]:
            return schema[word][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "array":
        return [_sample(schema.get("items"))]
    return {"integer": 1, "number": 1, "boolean": True, "object": {}}.get(str(kind), "…")
