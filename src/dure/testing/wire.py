"""A scripted reply as OpenAI's chat completion, whole or as server-sent events."""

from typing import Any

import orjson

from dure.testing.wording import Call


def tokens(text: str) -> int:
    """Tokens of `text` by the scripted server's rule: one for every 4 bytes of UTF-8, rounded up.

    No real tokenizer: deterministic, about right for English, and proportional for Korean."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


def prompt_tokens(body: dict[str, Any]) -> int:
    """Tokens of a request: its texts and call arguments, 4 for each message's frame, and the tools as JSON."""
    total = 0
    for message in body.get("messages", ()):
        said = message.get("content") or ""
        total += 4 + tokens("".join(part.get("text", "") for part in said) if isinstance(said, list) else said)
        for each in message.get("tool_calls") or ():
            total += tokens(each["function"]["name"]) + tokens(each["function"]["arguments"])
    if body.get("tools"):
        total += tokens(orjson.dumps(body["tools"]).decode())
    return total


def usage(body: dict[str, Any], text: str, reasoning: str, calls: list[Call]) -> dict[str, int]:
    """The `usage` object of a reply."""
    prompt = prompt_tokens(body)
    completion = tokens(text) + tokens(reasoning)
    for name, args in calls:
        completion += tokens(name) + tokens(orjson.dumps(args).decode())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def completion(
    head: dict[str, Any], text: str, reasoning: str, calls: list[Call], finish: str, used: dict[str, int]
) -> bytes:
    """The body of a reply that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": text if text or not calls else None}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [_wire_call(head["id"], i, each) for i, each in enumerate(calls)]
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return orjson.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": used})


def _wire_call(reply_id: str, index: int, call: Call) -> dict[str, Any]:
    function = {"name": call[0], "arguments": orjson.dumps(call[1]).decode()}
    return {"id": f"call_{reply_id}_{index}", "type": "function", "function": function}


class Events:
    """The events of one streamed reply. `size`: characters in each piece of text."""

    def __init__(self, head: dict[str, Any], size: int) -> None:
        self._before = orjson.dumps({**head, "object": "chat.completion.chunk"})[:-1] + b',"choices":['
        self._head = head
        self._size = size

    def opening(self) -> bytes:
        return self._event({"role": "assistant", "content": ""})

    def text(self, text: str, key: str = "content") -> list[bytes]:
        return [self._event({key: piece}) for piece in _pieces(text, self._size)]

    def calls(self, calls: list[Call]) -> list[bytes]:
        """Name first, then the arguments in pieces, as engines stream them."""
        events = []
        for index, each in enumerate(calls):
            whole = _wire_call(self._head["id"], index, each)
            arguments = whole["function"]["arguments"]
            whole["function"]["arguments"] = ""
            events.append(self._event({"tool_calls": [{"index": index, **whole}]}))
            for piece in _pieces(arguments, self._size):
                events.append(self._event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        return events

    def closing(self, finish: str, used: dict[str, int] | None) -> bytes:
        last = self._event({}, finish)
        if used is not None:
            whole = {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": used}
            last += b"data: " + orjson.dumps(whole) + b"\n\n"
        return last + b"data: [DONE]\n\n"

    def error(self, message: str) -> bytes:
        return b"data: " + orjson.dumps({"error": {"message": message, "code": 500}}) + b"\n\n"

    def _event(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = orjson.dumps({"index": 0, "delta": delta, "finish_reason": finish})
        return b"data: " + self._before + choice + b"]}\n\n"


def _pieces(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]
