"""A scripted reply: worded in the dialect that is read off the request, as a model would follow it; and on the wire, as
OpenAI's chat completion, whole or as server-sent events."""

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
            return _text({key: given.get(key, _LEAST.get(str(each.get("type")))) for key, each in properties.items()})
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


def tokens(text: str) -> int:
    """Tokens of `text` by the scripted server's rule: one for every 4 bytes of UTF-8, rounded up.

    No real tokenizer: deterministic, about right for English, and proportional for Korean."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


def prompt_tokens(body: dict[str, Any]) -> int:
    """Tokens of a request: its texts and call arguments, 4 for each message's frame, and the tools as JSON."""
    told = tokens(_text(body["tools"])) if body.get("tools") else 0
    return told + sum(4 + _message_tokens(each) for each in body.get("messages", ()))


def _message_tokens(message: dict[str, Any]) -> int:
    said = message.get("content") or ""
    texts = ["".join(part.get("text", "") for part in said) if isinstance(said, list) else said]
    for each in message.get("tool_calls") or ():
        texts += each["function"]["name"], each["function"]["arguments"]
    return sum(map(tokens, texts))


def message(reply_id: str, text: str, reasoning: str, calls: list[Call]) -> dict[str, Any]:
    """A reply in OpenAI's shape."""
    made: dict[str, Any] = {"role": "assistant", "content": text if text or not calls else None}
    if reasoning:
        made["reasoning_content"] = reasoning
    if calls:
        functions = [{"name": name, "arguments": _text(args)} for name, args in calls]
        made["tool_calls"] = [
            {"id": f"call_{reply_id}_{i}", "type": "function", "function": each} for i, each in enumerate(functions)
        ]
    return made


def usage(body: dict[str, Any], reply: dict[str, Any]) -> dict[str, int]:
    """The `usage` object of a reply, a `message`, to the request `body`."""
    prompt, completion = prompt_tokens(body), _message_tokens(reply) + tokens(reply.get("reasoning_content", ""))
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def completion(head: dict[str, Any], reply: dict[str, Any], finish: str, used: dict[str, int]) -> bytes:
    """The body of a reply that is not streamed."""
    choice = {"index": 0, "message": reply, "finish_reason": finish}
    return orjson.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": used})


def events(head: dict[str, Any], reply: dict[str, Any], size: int) -> list[bytes]:
    """The events of a streamed reply but for its end: texts in pieces of `size` characters, of calls the name first and
    then the arguments in pieces, as engines stream them."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for key in ("reasoning_content", "content"):
        deltas += [{key: piece} for piece in _pieces(reply.get(key) or "", size)]
    for index, each in enumerate(reply.get("tool_calls", ())):
        function = each["function"]
        begun = {"index": index, **each, "function": {**function, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": piece}} for piece in _pieces(function["arguments"], size)]
        deltas += [{"tool_calls": [part]} for part in (begun, *rest)]
    return [_event(head, delta) for delta in deltas]


def ending(head: dict[str, Any], finish: str, used: dict[str, int] | None) -> bytes:
    """The last events, with the usage where that is wanted."""
    last = _event(head, {}, finish)
    if used is not None:
        last += _data({**head, "object": "chat.completion.chunk", "choices": [], "usage": used})
    return last + b"data: [DONE]\n\n"


def error(message: str) -> bytes:
    """The event of an error inside a stream."""
    return _data({"error": {"message": message, "code": 500}})


def _event(head: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({**head, "object": "chat.completion.chunk", "choices": [choice]})


def _data(value: Any) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _pieces(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]
