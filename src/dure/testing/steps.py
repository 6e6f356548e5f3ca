"""What a scripted model does on a request: one `Step` each, made by the functions below."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Step:
    """One reply of the scripted model. Make it with `say`, `call`, `fail` and the other functions."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    exact: bool = False
    """Send `text` as it stands, whatever the dialect of the request."""
    reasoning: str = ""
    status: int = 200
    """Other than 200: an error with `body`."""
    body: bytes = b""
    """Sent instead of a reply."""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    truncated: bool = False
    """Drop the connection after `text`."""
    in_stream_error: str = ""
    """After `text`, an error object inside the stream that began with status 200."""
    delay: float = 0.0
    """Seconds before the first byte."""
    stall: float = 0.0
    """Seconds of silence after `text`, before the end of the reply."""
    gate: asyncio.Event | None = None
    """Wait for this before the first byte."""
    halfway: asyncio.Event | None = None
    """Wait for this in the middle of a streamed reply: for tests that look at what is there by then."""
    finish: str | None = None
    """`finish_reason`; without it `stop`, or `tool_calls` for native calls."""
    needle: str | None = None

    def when(self, needle: str) -> "Step":
        """Only for a request whose messages hold the text `needle`; for requests that come in any order."""
        return replace(self, needle=needle)

    def thinking(self, reasoning: str) -> "Step":
        """With reasoning before it, in the field `reasoning_content`."""
        return replace(self, reasoning=reasoning)

    def after(self, gate: asyncio.Event) -> "Step":
        """Only once `gate` is set: for tests that need a request to be under way."""
        return replace(self, gate=gate)

    def ending(self, finish_reason: str) -> "Step":
        """With this `finish_reason`, e.g. `length`."""
        return replace(self, finish=finish_reason)


def say(text: str) -> Step:
    """Answer with `text`, worded as the dialect of the request has it."""
    return Step(text=text)


def call(name: str, /, **args: Any) -> Step:
    """Call one tool, in the dialect of the request."""
    return Step(calls=((name, args),))


def calls(*each: tuple[str, dict[str, Any]]) -> Step:
    """Call several tools at once: `calls(("search", {"query": "a"}), ("search", {"query": "b"}))`."""
    return Step(calls=each)


def raw(text: str) -> Step:
    """Answer with exactly this text, whatever was asked."""
    return Step(text=text, exact=True)


def json(value: Any) -> Step:
    """Answer with this value as JSON text."""
    return raw(orjson.dumps(value).decode())


def fail(status: int, message: str = "the scripted server fails", *, retry_after: float | None = None) -> Step:
    """An HTTP error in OpenAI's shape, optionally with a Retry-After header in seconds."""
    body = orjson.dumps({"error": {"message": message, "type": "scripted", "code": status}})
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return Step(status=status, body=body, headers=headers)


def fail_in_stream(text_before: str, message: str) -> Step:
    """An error object inside a stream that began well, as engines send when they run out of memory."""
    return Step(text=text_before, exact=True, in_stream_error=message)


def cut(text_before: str = "") -> Step:
    """Begin to answer, then drop the connection."""
    return Step(text=text_before, exact=True, truncated=True)


def html(text: str = "<html><body><h1>It works!</h1></body></html>") -> Step:
    """A web page where a reply should be, as a proxy or a wrong address gives."""
    return Step(body=text.encode(), content_type="text/html")


def rubbish() -> Step:
    """Bytes that are neither JSON nor a stream of events, under a JSON label."""
    return Step(body=b"\x00\xff\xfe{]not json at all\n\ndata: {\n\n")


def slow(seconds: float, then: Step) -> Step:
    """`then`, after `seconds` without a byte."""
    return replace(then, delay=seconds)


def stall(text_before: str, seconds: float) -> Step:
    """Begin to answer, fall silent for `seconds`, then end."""
    return Step(text=text_before, exact=True, stall=seconds)
