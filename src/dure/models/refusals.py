"""What a server's refusal is about, by the sentences that servers are known to send."""

import re
from collections.abc import Iterable

from dure.errors import ModelRefused, phrase

_TOOLS = (
    "--enable-auto-tool-choice",  # vLLM
    "tool-call-parser",  # vLLM, SGLang
    "does not support tool",  # Ollama
    "requires --jinja",  # llama.cpp: "tools param requires --jinja flag"
    "does not support function calling",
    "tools are not supported",
    "tools is not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "tool choice is not supported",
    "function calling is not",
    "no endpoints found that support tool use",  # OpenRouter
    "unsupported parameter: 'tools'",
    "unsupported parameter: tools",
    "unrecognized request argument supplied: tools",
    "unknown field: tools",
    "unknown field `tools`",
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
    low = reason.lower()
    return any(each in low for each in _TOOLS)


def refuses_schema(reason: str) -> bool:
    """Whether a server said that it takes no JSON Schema in `response_format`, or not this one."""
    low = reason.lower()
    return any(each in low for each in _SCHEMA)


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
    return refuses_tools(reason) or any(each in low for each in ("grammar", "json schema", "failed to parse"))


def wrong_key(status: int) -> ModelRefused:
    """What a 401 or 403 means."""
    return ModelRefused(http_status=status, reason=phrase("models_refusals.key"))
