"""How a scripted reply is worded: the dialect is read off the request, as a model would follow it."""

from contextlib import suppress
from typing import Any

import orjson

from dure.testing.steps import Step

Call = tuple[str, dict[str, Any]]

_LEAST = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}


def worded(step: Step, body: dict[str, Any]) -> tuple[str, list[Call]]:
    """The text and the native calls with which `step` answers the request `body`.

    With `tools`: native calls. With a JSON Schema in `response_format`: JSON of that schema. Else, where the
    messages explain `Action Input`: Thought/Action/Action Input and Final Answer. Else plain text.
    """
    if step.exact:
        return step.text, []
    if step.calls and body.get("tools"):
        return step.text, list(step.calls)
    wanted = body.get("response_format") or {}
    schema = (wanted.get("json_schema") or {}).get("schema") or wanted.get("schema")
    if isinstance(schema, dict):
        return _as_json(step, schema), []
    if step.calls:
        lines = [f"Thought: I need {name}.\nAction: {name}\nAction Input: {_text(args)}" for name, args in step.calls]
        return "\n".join(lines), []
    rules = [message.get("content") for message in body.get("messages", ()) if message.get("role") == "system"]
    if step.text and any("Action Input" in (text or "") for text in rules):
        return f"Thought: I know the answer.\nFinal Answer: {step.text}", []
    return step.text, []


def _as_json(step: Step, schema: dict[str, Any]) -> str:
    if not step.calls:
        with suppress(orjson.JSONDecodeError):
            if isinstance(orjson.loads(step.text), dict):
                return step.text
    for option in (_resolved(each, schema) for each in schema.get("anyOf", (schema,))):
        properties = {key: _resolved(each, schema) for key, each in option.get("properties", {}).items()}
        if (given := _call(properties, step.calls) if step.calls else _answer(properties, step.text)) is not None:
            least = {key: _LEAST.get(str(each.get("type"))) for key, each in properties.items()}
            return _text({key: given.get(key, least[key]) for key in properties})
    if step.calls:
        names = ", ".join(name for name, _ in step.calls)
        raise AssertionError(f"the requested JSON Schema has no place for a call of {names}")
    return step.text


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schema["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
    return found


def _call(properties: dict[str, dict[str, Any]], calls: tuple[Call, ...]) -> dict[str, Any] | None:
    """The one call, where a property is the tool's name and another has room for its arguments."""
    (name, args), *more = calls
    tag = next((key for key, each in properties.items() if each.get("const") == name), None)
    place = next((key for key, each in properties.items() if key != tag and each.get("type") != "string"), None)
    return None if more or tag is None or place is None else {tag: name, place: args}


def _answer(properties: dict[str, dict[str, Any]], text: str) -> dict[str, Any] | None:
    return {"answer": text} if properties.get("answer", {}).get("type") == "string" else None


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()
