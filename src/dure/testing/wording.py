"""How a scripted reply is worded: the dialect is read off the request, as a model would follow it."""

from contextlib import suppress
from typing import Any

import orjson

from dure.testing.steps import Step

Call = tuple[str, dict[str, Any]]

_OBJECT = {"object", "properties", "anyOf", "oneOf"}
"""One of these is a schema's type or stands in it where it is of an object."""
_ANSWER_KEYS = ("answer", "final_answer", "response", "content", "text")


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
    root = _Root(schema)
    if step.calls:
        value = root.with_calls(schema, step.calls)
        if value is None:
            names = ", ".join(name for name, _ in step.calls)
            raise AssertionError(f"the requested JSON Schema has no place for a call of {names}")
        return _text(value)
    with suppress(orjson.JSONDecodeError):
        if isinstance(orjson.loads(step.text), dict):
            return step.text
    value = root.with_answer(schema, step.text)
    return step.text if value is None else _text(value)


class _Root:
    """Fills a JSON Schema; the root resolves `#/$defs/…`."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.defs = schema.get("$defs", {})

    def resolve(self, schema: Any) -> dict[str, Any]:
        while isinstance(schema, dict) and "$ref" in schema:
            schema = self.defs.get(schema["$ref"].rpartition("/")[2], {})
        return schema if isinstance(schema, dict) else {}

    def branches(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        return [self.resolve(each) for each in schema.get("anyOf") or schema.get("oneOf") or ()]

    def with_calls(self, schema: dict[str, Any], calls: tuple[Call, ...]) -> Any:
        """A value of `schema` that carries `calls`, or None: an array of calls, or one call where an object
        has the tool's name as `const` or in `enum` and the arguments beside it."""
        schema = self.resolve(schema)
        for branch in self.branches(schema):
            if (value := self.with_calls(branch, calls)) is not None:
                return value
        if schema.get("type") == "array":
            items = [self.with_calls(schema.get("items", {}), (each,)) for each in calls]
            return None if None in items else items
        properties = {key: self.resolve(each) for key, each in schema.get("properties", {}).items()}
        if len(calls) == 1 and (value := self._tagged(schema, properties, calls[0])) is not None:
            return value
        for key, each in properties.items():
            if (value := self.with_calls(each, calls)) is not None:
                return self._filled(schema, properties, {key: value})
        return None

    def _tagged(self, schema: dict[str, Any], properties: dict[str, dict[str, Any]], call: Call) -> Any:
        name, args = call
        tag = next((k for k, p in properties.items() if p.get("const") == name or name in p.get("enum", ())), None)
        if tag is None:
            return None
        place = next((k for k, p in properties.items() if k != tag and _OBJECT & {*p, p.get("type")}), None)
        return self._filled(schema, properties, {tag: name, **({place: args} if place else args)})

    def with_answer(self, schema: dict[str, Any], text: str) -> Any:
        """A value of `schema` with `text` as its answer, or None where it has no place for one."""
        schema = self.resolve(schema)
        for branch in self.branches(schema):
            if (value := self.with_answer(branch, text)) is not None:
                return value
        properties = {key: self.resolve(each) for key, each in schema.get("properties", {}).items()}
        for key in _ANSWER_KEYS:
            if properties.get(key, {}).get("type") == "string" and not properties[key].keys() & {"const", "enum"}:
                return self._filled(schema, properties, {key: text})
        return None

    def _filled(self, schema: dict[str, Any], properties: dict[str, dict[str, Any]], given: dict[str, Any]) -> Any:
        required = schema.get("required", list(properties))
        keys = [key for key in properties if key in given or key in required]
        filled = {key: given[key] if key in given else self._least(properties[key]) for key in keys}
        return filled | given

    def _least(self, schema: dict[str, Any]) -> Any:
        """The smallest value of `schema`."""
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        if branches := self.branches(schema):
            return self._least(branches[0])
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            return self._filled(schema, {k: self.resolve(p) for k, p in schema.get("properties", {}).items()}, {})
        return {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}.get(str(kind))


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()
