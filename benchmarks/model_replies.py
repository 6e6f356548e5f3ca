"""Replies of the bundled model, kept in a file: what was asked before is answered from there, and costs nothing.

A benchmark run again after a change asks the model only what the change made new. A reply that fits a schema which was
narrowed since is the reply to that too: what it forbids was not what the model liked best. Of what is kept the times
say nothing.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
from jsonschema import Draft202012Validator

from dure.errors import ModelUnavailable
from dure.messages import Delta, Message, Usage
from dure.models.bundled.model import BundledClient
from dure.models.json_reply import json_in

_NOT_SAID = {"response_format", "logprobs", "top_logprobs"}
"""What of a request does not change the reply that a model likes best."""


def keep(file: Path | None, *, only: bool = False, put: Callable[[type, str, Any], None] = setattr) -> Counter[str]:
    """Keep replies in `file`, if any, from now on, a line each; `only`: ask nothing new. put: sets what is changed for
    that, so that a test can take it back. Gives what comes: calls and tokens."""
    count: Counter[str] = Counter()
    kept: dict[str, list[dict[str, Any]]] = {}
    for line in file.read_bytes().splitlines() if file is not None and file.exists() else []:
        held = orjson.loads(line)
        kept.setdefault(held["key"], []).append(held)
    ask, ready, before = BundledClient.stream, BundledClient.ready, BundledClient.read

    async def stream(self: BundledClient, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        count["calls"] += 1
        form = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        said = {name: each for name, each in body.items() if name not in _NOT_SAID}
        key = hashlib.sha256(orjson.dumps([self.model, said], option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
        held = next((each for each in kept.get(key, [])[::-1] if fits(each, form)), None)
        if held is not None:
            count["kept"] += 1
        elif only:
            count["not kept"] += 1
            raise ModelUnavailable(reason="not kept")
        else:
            text, used, tokens = "", Usage(1), list[tuple[str, float]]()
            async with aclosing(ask(self, body)) as reply:
                async for delta in reply:
                    text, used, tokens = text + delta.text, delta.usage or used, [*tokens, *delta.tokens]
            held = {"key": key, "text": text, "usage": asdict(used), "tokens": tokens}
            count["asked"] += 1
            if file is not None:
                kept.setdefault(key, []).append(held)
                with file.open("ab") as out:
                    out.write(orjson.dumps(held) + b"\n")
        count["tokens read"] += held["usage"]["prompt_tokens"]
        count["tokens written"] += held["usage"]["completion_tokens"]
        yield Delta(held["text"], tokens=held["tokens"])
        yield Delta(usage=Usage(**held["usage"]))

    async def started(self: BundledClient) -> None:
        # The engine starts with the first question that nobody asked before.
        if file is None:
            await ready(self)

    async def read(self: BundledClient, head: Sequence[Message]) -> None:
        # The same.
        if file is None:
            await before(self, head)

    for name, instead in (("stream", stream), ("ready", started), ("read", read)):
        put(BundledClient, name, instead)
    return count


def fits(held: dict[str, Any], form: dict[str, Any] | None) -> bool:
    """Whether it is what a model writes under the form, its keys in their order."""
    if form is None:
        return True
    text = json_in(held["text"])
    if text is None:
        return False
    said, forms = orjson.loads(text), form.get("anyOf", [form])
    met = (each["properties"] for each in forms if Draft202012Validator(each).is_valid(said))
    return any(list(said) == [key for key in keys if key in said] for keys in met)
