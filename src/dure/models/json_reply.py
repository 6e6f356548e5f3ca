"""JSON asked of models: the request for it in words, and the JSON in what they answer."""

import json
import re
from collections.abc import Sequence
from typing import Any

import orjson

from dure.dialects.json_scan import clean, read
from dure.messages import Message

_MOST_STARTS = 50
"""Places looked at; more braces than that before the JSON are no answer."""


def asking_for(messages: list[Message], schema: dict[str, Any]) -> list[Message]:
    """`messages` with JSON of `schema` asked for in the system message; for servers without `response_format`."""
    text = (
        "Reply with one JSON value that fits this JSON Schema, and with nothing else (no explanation, no code fence):\n"
        + orjson.dumps(schema).decode()
    )
    if messages and messages[0]["role"] == "system":
        first: Message = {**messages[0], "content": f"{messages[0]['content'] or ''}\n\n{text}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def json_in(text: str, *, array: bool = False, empty: bool = False) -> str | None:
    """The JSON object (`array`: array) in `text`, as JSON text: all of it, or what stands between prose and fences.

    Malformed or cut-off JSON is mended where that is possible; None where there is none. empty: whether a text that is
    nothing but an empty one counts."""
    opening, none = ("[", "[]") if array else ("{", "{}")
    if empty and "".join(text.split()) == none:
        return none
    at = text.find(opening)
    for _ in range(_MOST_STARTS):
        if at < 0:
            return None
        found = read(text, at)
        if found is not None and found.value:
            return json.dumps(clean(found.value), ensure_ascii=False)
        at = text.find(opening, at + 1 if found is None else found.end)
    return None


def least(tokens: Sequence[tuple[str, float]], schema: dict[str, Any] | None = None) -> float:
    """The least probability of the tokens of a reply, 1 where there are none. What the schema of an object fixes, as
    the `const` of one of its keys, was not the model's to choose and does not count."""
    text, ends = "".join(each for each, _ in tokens), list[tuple[int, bool]]()
    at = 0
    for key, each in (schema or {}).get("properties", {}).items():
        if found := re.compile(rf'"{re.escape(key)}"\s*:').search(text, at):
            at = found.end()
            ends.append((found.start(), "const" in each))
    at, own = 0, [1.0]
    for token, probability in tokens:
        begun = [fixed for start, fixed in ends if start <= at]
        own += [] if begun and begun[-1] else [probability]
        at += len(token)
    return min(own)
