"""The bytes of a chat completion as JSON values, whether they come as server-sent events or as one JSON object, and
OpenAI's chunks of it as `Delta`s, with what servers get wrong about them evened out."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from dure.dialects.json_scan import clean
from dure.errors import ModelError, phrase
from dure.messages import Delta, ToolCallDelta, Usage


def load(data: bytes) -> Any:
    """JSON of a server. Lone surrogates, which some servers write, become U+FFFD. Raises ModelError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return clean(json.loads(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        raise ModelError(reason=phrase("models_deltas.json", data=shown(data))) from None


_TITLE = re.compile(r"(?is)<title>\s*([^<]+)")


def shown(data: bytes | bytearray, limit: int = 120) -> str:
    """The beginning of unusable bytes, of a web page its title, printable, for an error message."""
    text = data[: limit * 4].decode("utf-8", "replace")
    text = next(iter(_TITLE.findall(text)), text)
    printable = "".join(c if c.isprintable() else " " for c in text)[:limit]
    return repr(" ".join(printable.split()))


_LONG_SECRET = 8
"""Characters of a key that no word has by chance."""


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets; a short one is cut out where it stands alone: it may be a part of any word."""
    for secret in filter(None, secrets):
        found = re.escape(secret) if len(secret) >= _LONG_SECRET else rf"(?<!\w){re.escape(secret)}(?!\w)"
        text = re.sub(found, "***", text)
    return text


_LENGTH = {"max_tokens", "max_output_tokens", "model_context_window_exceeded"}
_FILTERED = {"refusal", "safety", "recitation", "blocklist", "prohibited_content", "content_filtered"}
_FILTERED |= {"guardrail_intervened", "spii"}


def outcome_of(said: str | None) -> str | None:
    """Why a reply ended, in OpenAI's words: `length`, `content_filter`, or as the provider says."""
    low = (said or "").lower()
    return "length" if low in _LENGTH else "content_filter" if low in _FILTERED else said or None


def error_of(value: Any) -> ModelError | None:
    """The error that an error object tells of, in the shapes that servers send; None when it is none.

    `upstream` in its details: the HTTP status inside the object, where there is one."""
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if not error and value.get("object") == "error":
        error = value
    if not error and "choices" not in value and "detail" in value:
        error = value["detail"]
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else value.get("code")
    if isinstance(error, dict):
        error = error.get("message") or error
    reason = error if isinstance(error, str) else orjson.dumps(error, default=str).decode()
    return ModelError(reason=reason[:1000], **({"upstream": code} if isinstance(code, int) else {}))


def unread(value: Any) -> str | None:
    """The reply that an error object tells, since the server could not read its calls (Groq: `tool_use_failed`)."""
    error = value.get("error") if isinstance(value, dict) else None
    said = error.get("failed_generation") if isinstance(error, dict) else None
    return said if isinstance(said, str) and said else None


_MOST_TOKENS = 1_000_000_000
_FIELDS = (b"event:", b"id:", b"retry:", b":")


class ReplyBytes:
    """Feed it blocks of bytes as they come; the label (Content-Type) is not trusted, the first byte decides.

    `done`: the stream's own end (`data: [DONE]`) has come."""

    def __init__(self) -> None:
        self.done = False
        self._rest = bytearray()
        self._whole: bool | None = None

    def feed(self, block: bytes) -> list[Any]:
        """The values that became complete. Raises ModelError for a web page or anything else unreadable."""
        self._rest += block
        if self._whole is None:
            self._rest = self._rest.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not self._rest:
                return []
            if self._rest.startswith(b"<"):
                raise ModelError(reason=phrase("models_sse.page", data=shown(self._rest)))
            self._whole = self._rest.startswith(b"{")
        if self._whole or b"\n" not in self._rest:
            return []
        lines = bytes(self._rest).split(b"\n")
        self._rest = bytearray(lines.pop())
        return self._values(lines)

    def finish(self) -> list[Any]:
        """What the last bytes held."""
        rest, self._rest = bytes(self._rest.strip()), bytearray()
        if not rest:
            return []
        if self._whole:
            self.done = True
            return [load(rest)]
        return self._values([rest])

    def _values(self, lines: list[bytes]) -> list[Any]:
        values = []
        for line in filter(None, lines):
            if self.done:
                break
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    self.done = True
                elif data:
                    values.append(load(data))
            elif line.startswith(b"error:"):
                # llama.cpp's server wrote errors this way for some time.
                values.append({"error": load(line[6:].strip())})
            elif line.strip() and not line.startswith(_FIELDS):
                raise ModelError(reason=phrase("models_sse.line", data=shown(line)))
        return values


class Chunks:
    """Reads the chunks of one reply in order. `finished`: a finish_reason has come."""

    def __init__(self) -> None:
        self.finished = False
        self.usage: Usage | None = None
        self._ids: dict[int, str] = {}
        self._unnumbered = False

    def joined(self, chunks: Iterable[Any]) -> Iterator[Delta]:
        """What came at once, in as few Deltas as its order allows. Raises ModelError for an error behind that."""
        joined: list[Delta] = []
        try:
            for each in filter(None, map(self.read, chunks)):
                if not joined or (each.reasoning and joined[-1].text):
                    joined.append(each)
                    continue
                held = joined[-1]
                held.text += each.text
                held.reasoning += each.reasoning
                held.tool_calls += each.tool_calls
                held.finish_reason = each.finish_reason or held.finish_reason
                held.tokens += each.tokens
        finally:
            yield from joined

    def read(self, chunk: Any) -> Delta | None:
        """The chunk as a Delta; None when it adds nothing. Raises ModelError for an error object."""
        if not isinstance(chunk, dict):
            raise ModelError(reason=phrase("models_deltas.chunk", data=shown(orjson.dumps(chunk))))
        if "choices" not in chunk or chunk.get("error") or chunk.get("object") == "error":
            # Looked at closely only then: there is a chunk for each token.
            if (said := unread(chunk)) is not None:
                self.finished = True
                return Delta(said, finish_reason="stop")
            if (error := error_of(chunk)) is not None:
                raise error
        try:
            return self._read(chunk)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise ModelError(reason=phrase("models_deltas.chunk", data=shown(orjson.dumps(chunk)))) from None

    def _read(self, chunk: dict[str, Any]) -> Delta | None:
        if isinstance(used := chunk.get("usage"), dict):
            # Some servers repeat the running total in every chunk: the last one counts.
            self.usage = _usage(used)
        choices = chunk.get("choices")
        if not choices:
            return None
        choice = choices[0]
        message, finish = choice.get("delta") or choice.get("message") or {}, choice.get("finish_reason") or None
        if finish:
            self.finished, finish = True, outcome_of(finish)
        text, thought = text_of(message.get("content"))
        thought += message.get("reasoning_content") or message.get("reasoning") or ""
        text = text or message.get("refusal") or ""
        called = message.get("tool_calls")
        calls = [self._call(each) for each in called] if called else []
        if not (text or thought or calls or finish):
            return None
        delta = Delta(text, thought, calls, finish)
        if (sure := choice.get("logprobs")) and (tokens := sure.get("content")):
            told = [(str(each.get("token", "")), each.get("logprob")) for each in tokens]
            delta.tokens = [(text, math.exp(min(0.0, p))) for text, p in told if isinstance(p, int | float)]
        return delta

    def _call(self, data: dict[str, Any]) -> ToolCallDelta:
        function = data.get("function") or {}
        arguments = function.get("arguments")
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            arguments = orjson.dumps(arguments).decode()
        call_id, name = data.get("id") or "", function.get("name") or ""
        return ToolCallDelta(self._index(data.get("index"), call_id, name), call_id, name, arguments)

    def _index(self, index: int | None, call_id: str, name: str) -> int:
        """The call's number. Where servers give no index or number all calls 0, a new id with a name is a new one."""
        last = max(self._ids, default=-1)
        if name and call_id and index is not None and self._ids.get(index, call_id) != call_id:
            self._unnumbered = True
        if index is None or self._unnumbered:
            index = last + 1 if name or last < 0 else last
        if name or index not in self._ids:
            self._ids[index] = call_id
        return index


def _usage(data: dict[str, Any]) -> Usage:
    """What is no number of tokens counts as none."""

    def count(name: str, within: str = "") -> int:
        told = data.get(within) or {} if within else data
        try:
            found = int(told.get(name) or 0)
        except (AttributeError, TypeError, ValueError, OverflowError):
            return 0
        return found if 0 <= found <= _MOST_TOKENS else 0

    cached = count("cached_tokens", "prompt_tokens_details")
    reasoning = count("reasoning_tokens", "completion_tokens_details")
    return Usage(1, count("prompt_tokens"), count("completion_tokens"), cached, reasoning)


def text_of(content: Any) -> tuple[str, str]:
    """Text and reasoning of a content field: a string, or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        return "", ""
    text = thought = ""
    for part in content:
        if isinstance(part, str):
            text += part
        elif part.get("type") in ("thinking", "reasoning"):
            inner = part.get("thinking") or part.get("reasoning") or part.get("text") or part.get("summary")
            thought += inner if isinstance(inner, str) else text_of(inner)[0]
        else:
            text += part.get("text") or ""
    return text, thought
