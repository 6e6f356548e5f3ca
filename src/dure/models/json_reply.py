"""JSON asked of models: the request for it in words, and the JSON in what they answer."""

import json
from typing import Any

import orjson

from dure.dialects.json_scan import clean, read
from dure.messages import Message

_MOST_STARTS = 50
"""Places looked at; more braces than that before the JSON are no answer."""


def asking_for(messages: list[Message], schema: dict[str, Any]) -> list[Message]:
    """`messages` with the request for JSON of `schema` in words, in the one system message; for servers without
    `response_format`."""
    text = (
        "Reply with one JSON value that fits this JSON Schema, and with nothing else (no explanation, no code fence):\n"
        + orjson.dumps(schema).decode()
    )
    if messages and messages[0]["role"] == "system":
        first: Message = {**messages[0], "content": f"{messages[0]['content'] or ''}\n\n{text}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def json_in(text: str, *, array: bool = False) -> str | None:
    """The JSON object (`array`: array) in `text`, as JSON text: all of it, or what stands between prose and fences.

    Malformed or cut-off JSON is mended where that is possible; None where there is none."""
    opening = "[" if array else "{"
    at = text.find(opening)
    for _ in range(_MOST_STARTS):
        if at < 0:
            return None
        found = read(text, at)
        if found is not None and found.value:
            return json.dumps(clean(found.value), ensure_ascii=False)
        at = text.find(opening, at + 1 if found is None else found.end)
    return None
