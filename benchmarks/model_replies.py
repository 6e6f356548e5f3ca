"""Replies of the bundled model, kept in a folder: what was asked before is answered from there, and costs nothing.

A benchmark run again after a change asks the model only what the change made new. A reply that fits a schema which was
narrowed since is the reply to that too: what it forbids was not what the model liked best. Of what is kept the times
say nothing.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
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


def keep(folder: Path | None, *, only: bool = False) -> Counter[str]:
    """Keep replies in `folder`, if any, from now on; `only`: ask nothing new. Gives what comes: calls and tokens."""
    count: Counter[str] = Counter()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    ask, ready, before = BundledClient.stream, BundledClient.ready, BundledClient.read

    async def stream(self: BundledClient, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        count["calls"] += 1
        form = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        said = {name: each for name, each in body.items() if name not in _NOT_SAID}
        key = hashlib.sha256(orjson.dumps([self.model, said], option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
        path = folder / f"{key}.jsonl" if folder is not None else None
        lines = path.read_bytes().splitlines() if path is not None and path.exists() else []
        held = next((each for each in map(orjson.loads, lines[::-1]) if fits(each, form)), None)
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
            held = {"text": text, "usage": asdict(used), "tokens": tokens}
            count["asked"] += 1
            if path is not None:
                path.write_bytes(b"\n".join([*lines, orjson.dumps(held), b""]))
        count["tokens read"] += held["usage"]["prompt_tokens"]
        count["tokens written"] += held["usage"]["completion_tokens"]
        yield Delta(held["text"], tokens=held.get("tokens") or [(held["text"], held.get("least", 1.0))])
        yield Delta(usage=Usage(**held["usage"]))

    async def started(self: BundledClient) -> None:
        # The engine starts with the first question that nobody asked before.
        if folder is None:
            await ready(self)

    async def read(self: BundledClient, head: Sequence[Message]) -> None:
        # The same.
        if folder is None:
            await before(self, head)

    BundledClient.stream, BundledClient.ready, BundledClient.read = stream, started, read  # type: ignore[method-assign]
    return count


def fits(held: dict[str, Any], form: dict[str, Any] | None) -> bool:
    """Whether it is what a model writes under the form, its keys in their order."""
    if form is None:
        return True
    text = json_in(held["text"])
    if text is None or "tokens" not in held:
        return False
    said, forms = orjson.loads(text), form.get("anyOf", [form])
    met = (each["properties"] for each in forms if Draft202012Validator(each).is_valid(said))
    return any(list(said) == [key for key in keys if key in said] for keys in met)
