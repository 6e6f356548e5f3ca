"""JSON asked of models: the request for it in words, and the JSON in what they answer."""

import json
from typing import Any

import orjson

from dure.messages import Message

_MOST_STARTS = 50
_MOST_REPAIRED = 50_000


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


def json_in(text: str) -> str | None:
    """The JSON object or array in `text`, as JSON text: all of it, or what stands between prose and code fences.

    Malformed or cut-off JSON is mended where that is possible; None where there is none."""
    stripped = text.strip()
    try:
        orjson.loads(stripped)
        return stripped
    except orjson.JSONDecodeError:
        pass
    decoder = json.JSONDecoder(strict=False)
    starts = [i for i, c in enumerate(stripped) if c in "{["][:_MOST_STARTS]
    for start in starts:
        try:
            value, _ = decoder.raw_decode(stripped, start)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or error.pos >= len(stripped) - 1:
                # Cut off: what stands further in is only a part of it.
                return _mended(stripped[start : start + _MOST_REPAIRED])
            continue
        except RecursionError:
            return None
        if value:
            return json.dumps(value, ensure_ascii=False)
    return _mended(stripped[starts[0] : starts[0] + _MOST_REPAIRED]) if starts else None


def _mended(span: str) -> str | None:
    from json_repair import repair_json

    try:
        value = repair_json(span, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) and value else None
