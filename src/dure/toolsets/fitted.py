"""Results that fit: what is longer than a model can read is cut, and the model is told so."""

from dataclasses import replace
from typing import Any

import orjson

from dure.messages import ToolCall, json_bytes
from dure.texts import TEXTS
from dure.tooling import ToolContext, ToolResult
from dure.toolsets.toolset import Toolset, Wrapper

MAX_RESULT_CHARS = 16_000
"""Longest result text handed to a model; about 4,000 to 10,000 tokens."""

_TEXT = TEXTS["toolsets_fitted.text"]


class Fitted(Wrapper):
    """The tools of another toolset with results of at most `most` characters plus a note, fit to be stored."""

    def __init__(self, wrapped: Toolset, most: int = MAX_RESULT_CHARS) -> None:
        super().__init__(wrapped)
        self._most = most

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        result = await self.wrapped.call(call, context)
        text = result.text
        if len(text) > self._most:
            text = text[: self._most] + _TEXT["cut"][context.language].format(length=len(text), limit=self._most)
        # Lone surrogates are no UTF-8, and NUL no PostgreSQL text.
        text = text.encode("utf-8", "replace").decode().replace("\0", "�")
        if not text.strip() and not result.passages:
            text = _TEXT["empty"][context.language]
        return replace(result, text=text, data=_plain(result.data))


def _plain(data: Any) -> Any:
    try:
        orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):
        # As it will be read again.
        return orjson.loads(json_bytes(data))
    return data
