"""Runs calls as models write them: whatever goes wrong becomes a result that the model can read, never an exception;
what is longer than it can read is cut, and it is told so."""

import asyncio
import difflib
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from dure.errors import DureError, Language, install_line
from dure.messages import ToolCall, json_bytes, short
from dure.texts import TEXTS
from dure.tooling import Asks, Tool, ToolContext, ToolResult, as_result
from dure.toolsets.arguments import InvalidArguments, valid
from dure.toolsets.toolset import Toolset, Wrapper

log = logging.getLogger(__name__)

_MOST_TOLD = 600
"""Characters of a schema or a reason."""
MAX_RESULT_CHARS = 16_000
"""Longest result text handed to a model; about 4,000 to 10,000 tokens."""

_TEXT = TEXTS["toolsets_execute.text"]
_FITTED = TEXTS["toolsets_fitted.text"]


async def run_call(
    tools: Mapping[str, Tool], call: ToolCall, context: ToolContext, *, max_chars: int = MAX_RESULT_CHARS
) -> ToolResult:
    """Run `call` with the tool of its name.

    The result's text is in `context.language` where it is ours, at most `max_chars` characters plus a note, and valid
    UTF-8. Nothing is raised but CancelledError, when the calling task itself is cancelled, and a tool's own Asks.
    """
    started = time.perf_counter()
    call = prepared(tools, call, context.language)
    if call.error:
        result = ToolResult(call.error, is_error=True)
    else:
        result = await _outcome(tools[call.name], call, context)
    return _fitted(replace(result, seconds=time.perf_counter() - started), max_chars, context.language)


class Fitted(Wrapper):
    """The tools of another toolset with results of at most `most` characters plus a note, fit to be stored."""

    def __init__(self, wrapped: Toolset, most: int = MAX_RESULT_CHARS) -> None:
        super().__init__(wrapped)
        self._most = most

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        return _fitted(await self.wrapped.call(call, context), self._most, context.language)


def _fitted(result: ToolResult, most: int, language: Language) -> ToolResult:
    text = result.text
    if len(text) > most:
        text = text[:most] + _FITTED.say("cut", language, length=len(text), limit=most)
    # Lone surrogates are no UTF-8, and NUL no PostgreSQL text.
    text = text.encode("utf-8", "replace").decode().replace("\0", "�")
    if not text.strip() and not result.passages:
        text = _FITTED["empty"][language]
    return replace(result, text=text, data=_plain(result.data))


def _plain(data: Any) -> Any:
    try:
        orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):
        # As it will be read again.
        return orjson.loads(json_bytes(data))
    return data


def prepared(tools: Mapping[str, Tool], call: ToolCall, language: Language) -> ToolCall:
    """The call with arguments as its tool wants them, or with `error`: why it cannot run. A prepared one stays so."""
    if call.error:
        return call
    tool = tools.get(call.name)
    if tool is None:
        folded = {each.casefold(): each for each in tools}
        near = difflib.get_close_matches(call.name.casefold()[:64], folded, n=1)
        hint = _TEXT.say("hint", language, near=folded[near[0]]) if near else ""
        known = ", ".join(sorted(tools)) or _TEXT.say("none", language)
        return replace(call, error=_TEXT.say("unknown", language, name=call.name[:64], hint=hint, known=known))
    try:
        args = valid(tool.parameters, call.args)
        if tool.takes is not None:
            tool.takes(args)
        return replace(call, args=args)
    except InvalidArguments as error:
        faults = error.faults.said(language)
        told = _TEXT.say("arguments", language, faults=faults, schema=short(tool.shown, _MOST_TOLD))
    except Exception as error:
        told = _failure(tool.name, error, language)
    return replace(call, error=told)


async def _outcome(tool: Tool, call: ToolCall, context: ToolContext) -> ToolResult:
    language = context.language
    if tool.lacks:
        told = _TEXT.say("lacks", language, library=tool.lacks, install=install_line("office"))
        return ToolResult(told, is_error=True)
    scope = asyncio.timeout(tool.timeout)
    if not getattr(tool.run, "hands_over", False):
        context.hand_over()
    try:
        async with scope:
            return as_result(await tool.run(call.args, context))
    except TimeoutError as error:
        told = _TEXT.say(
            "timeout" if scope.expired() else "own_timeout", language, name=tool.name, seconds=tool.timeout
        )
        told = error.message(language) if isinstance(error, DureError) else told
        return ToolResult(told, is_error=True, ended="timeout")
    except asyncio.CancelledError as error:
        # Something inside the tool was cancelled, not we: that is the tool's failure.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return ToolResult(_failure(tool.name, error, language), is_error=True)
    except Asks:
        raise
    except (Exception, SystemExit) as error:
        return ToolResult(_failure(tool.name, error, language), is_error=True)


def _failure(name: str, error: BaseException, language: Language) -> str:
    if isinstance(error, DureError):
        return error.message(language)
    # The trace is for whoever runs the server; the model gets the sentence.
    log.info("tool %s failed", name, exc_info=error)
    reason, kind = short(str(error), _MOST_TOLD), type(error).__name__
    return _TEXT.say("failed", language, name=name, reason=f"{kind}: {reason}" if reason else kind)
