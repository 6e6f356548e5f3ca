"""What a server's refusal is about, by the sentences that servers are known to send."""

import re
from collections.abc import Iterable

from dure.errors import ModelRefused, phrase

_TOOLS = re.compile(
    r"--enable-auto-tool-choice|tool-call-parser"  # vLLM, SGLang
    r"|does not support (tool|function calling)"  # Ollama
    r"|requires --jinja"  # llama.cpp: "tools param requires --jinja flag"
    r"|(tools?|tool (use|calling|choice)|function calling) (is|are) not (supported|enabled)"
    r"|no endpoints found that support tool use"  # OpenRouter
    r"|(unsupported parameter|unrecognized request argument supplied|unknown field):? ['`]?tools\b"
)
_SCHEMA = (
    "response_format",
    "json_schema",
    "guided_json",
    "guided decoding",
    "structured output",
    "failed to parse grammar",  # llama.cpp, a schema it cannot turn into a grammar
    "failed to initialize samplers",
    "json schema conversion failed",
)
_UNSUPPORTED = ("unsupported", "not support", "unrecognized", "unknown", "extra", "not permitted", "unexpected")


def refuses_tools(reason: str) -> bool:
    """Whether a server said that it takes no `tools`."""
    return _TOOLS.search(reason.lower()) is not None


def refuses_schema(reason: str) -> bool:
    """Whether a server said that it takes no JSON Schema in `response_format`, or not this one."""
    low = reason.lower()
    return any(phrase in low for phrase in _SCHEMA)


def refused_parameter(reason: str, names: Iterable[str]) -> str | None:
    """Which of the parameters `names` the server will not take, where its sentence names one as unsupported."""
    low = reason.lower()
    if not any(word in low for word in _UNSUPPORTED):
        return None
    places = {name: found.start() for name in names if (found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", low))}
    return min(places, key=places.__getitem__, default=None)


def is_final(reason: str) -> bool:
    """Whether a 5xx says that the request itself will never do, so that repeating it is no use: llama.cpp answers
    500 to requests with tools or schemas that it cannot serve."""
    low = reason.lower()
    return refuses_tools(reason) or any(phrase in low for phrase in ("grammar", "json schema", "failed to parse"))


def wrong_key(status: int) -> ModelRefused:
    """What a 401 or 403 means."""
    return ModelRefused(http_status=status, reason=phrase("models_refusals.key"))
