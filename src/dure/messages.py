"""Messages in the shape of OpenAI's chat completions: what state, transcripts, requests and records hold.

Plain dictionaries, so that a message goes from the transcript into a request body and into a record without
conversion; LangChain reads the same shape (`langchain_core.messages.convert_to_messages`).
"""

import json
import re
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, NotRequired, TypedDict

import orjson

from dure.errors import Language

_LOOSE = " ,;:·–-(["
"""What no name ends in."""
_HANGUL = re.compile("[가-힣ㄱ-ㆎ\u1100-\u11ff]")


class FunctionCall(TypedDict):
    name: str
    arguments: str
    """The arguments as JSON text, as the wire has them."""


class WireToolCall(TypedDict):
    id: str
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str | None
    tool_calls: NotRequired[list[WireToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    """Of a tool message: the tool's name."""
    images: NotRequired[list[str]]
    """Of a user's or a tool's message: the names of the pictures that go with it."""


@dataclass(slots=True)
class ToolCall:
    """A call that a model asked for, read from its reply by a dialect."""

    name: str
    args: dict[str, Any]
    id: str = ""
    error: str | None = None
    """Why the call cannot run as written (unknown name, arguments that are no JSON object); for the model."""
    reader: str = ""
    """What read it: `native`, `schema`, or a format's name."""
    unfamiliar: bool = False
    """This model's calls were never read by that before."""


@dataclass(slots=True)
class Usage:
    """Tokens of one or more model calls; a server that reports none leaves zeros."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompts', those that the server had read before."""
    reasoning_tokens: int = 0
    """Of the completions', those of thoughts."""

    def add(self, other: "Usage") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def as_dict(self) -> dict[str, int]:
        """Cached and reasoning tokens where there are any."""
        always = ("model_calls", "prompt_tokens", "completion_tokens")
        counts = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: count for name, count in counts.items() if count or name in always}


@dataclass(slots=True)
class ToolCallDelta:
    """A fragment of a native tool call; fragments with the same index belong together."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Delta:
    """One fragment of a model's reply, as the chat client hands it on."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCallDelta] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Usage | None = None
    tokens: list[tuple[str, float]] = field(default_factory=list)
    """Of the text, each with its probability, 0 to 1, where the request asks for `logprobs`."""


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str | None, calls: list[WireToolCall] | None = None) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    return message


def tool_result(call_id: str, name: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": text}


def wire_call(call: ToolCall) -> WireToolCall:
    """A call as it stands in an assistant's message."""
    try:
        arguments = orjson.dumps(call.args).decode()
    except TypeError:
        # Integers beyond 64 bits and lone surrogates, which a model may well write.
        arguments = json.dumps(call.args, default=str)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def json_bytes(value: Any, option: int = 0) -> bytes:
    """Any value as JSON in UTF-8; option: orjson's.

    What JSON or UTF-8 cannot carry is written as text: numbers beyond 64 bits as their digits, so that no reader rounds
    them, lone surrogates as U+FFFD, what is nested too deep and what is no data as Python shows it.
    """
    option |= orjson.OPT_NON_STR_KEYS
    try:
        return orjson.dumps(value, default=str, option=option)
    except TypeError:
        return orjson.dumps(_plain(value, _DEEPEST), option=option)


def canonical(value: Any) -> bytes:
    """As `json_bytes` with keys in order: the same for values that are the same once stored and read again."""
    return json_bytes(value, orjson.OPT_SORT_KEYS)


_DEEPEST = 200
"""Levels of nesting; orjson refuses more than 254."""


def _plain(value: Any, levels: int) -> Any:
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if levels and isinstance(value, dict):
        return {_plain(key, 0): _plain(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list | tuple):
        return [_plain(each, levels - 1) for each in value]
    if levels and is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name), levels - 1) for each in fields(value)}
    return well_formed(str(value))


def short(value: Any, most: int = 100) -> str:
    """A text, or a value as JSON, on one line and cut to so many characters."""
    flat = " ".join((value if isinstance(value, str) else json_bytes(value).decode()).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def named(text: str, most: int) -> str:
    """A text on one line, cut to so many characters: at a word's end, but for one longer than half of that."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    end = flat.rfind(" ", most // 2, most)
    return f"{flat[: end if end > 0 else most - 1].rstrip(_LOOSE)}…"


def well_formed(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 can carry, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def language_of(text: str) -> Language:
    """`ko` when the text holds any Hangul (also decomposed, as macOS writes it), else `en`."""
    return "ko" if _HANGUL.search(text) else "en"
