"""Runs one call of a model: whatever goes wrong becomes a result that the model can read, never an exception."""

import asyncio
import difflib
import logging
import time
from collections.abc import Mapping
from dataclasses import replace

import orjson

from dure.errors import DureError, Language
from dure.messages import ToolCall, json_bytes
from dure.tooling import Tool, ToolContext, ToolResult, as_result
from dure.tools.arguments import InvalidArguments, checked, signature

log = logging.getLogger(__name__)

MAX_RESULT_CHARS = 16_000
"""Longest result text handed to a model; about 4,000 to 10,000 tokens."""
_MAX_REASON_CHARS = 600

_TEXT: dict[str, dict[Language, str]] = {
    "unknown": {
        "ko": "'{name}' 도구는 없습니다.{hint} 쓸 수 있는 도구: {known}",
        "en": "There is no tool '{name}'.{hint} Tools that exist: {known}",
    },
    "hint": {"ko": " '{near}'을(를) 뜻했나요?", "en": " Did you mean '{near}'?"},
    "none": {"ko": "없음", "en": "none"},
    "arguments": {
        "ko": "인자가 맞지 않아 도구를 실행하지 않았습니다.\n{faults}\n올바른 형식: {signature}",
        "en": "The tool was not run: its arguments are not valid.\n{faults}\nExpected: {signature}",
    },
    "failed": {"ko": "도구 '{name}' 실행에 실패했습니다: {reason}", "en": "The tool '{name}' failed: {reason}"},
    "timeout": {
        "ko": "도구 '{name}'이(가) {seconds:g}초 안에 끝나지 않아 중단했습니다.",
        "en": "The tool '{name}' was given up: it did not finish within {seconds:g} seconds.",
    },
    "own_timeout": {
        "ko": "도구 '{name}'이(가) 기다리던 응답이 제때 오지 않았습니다.",
        "en": "The tool '{name}' waited for an answer that did not come in time.",
    },
    "cut": {
        "ko": "\n… [결과가 길어 전체 {length}자 중 앞 {limit}자만 보여 줍니다]",
        "en": "\n… [the result was cut: the first {limit} of {length} characters are shown]",
    },
    "empty": {"ko": "(결과 없음)", "en": "(no output)"},
}


async def run_call(
    tools: Mapping[str, Tool], call: ToolCall, context: ToolContext, *, max_chars: int = MAX_RESULT_CHARS
) -> tuple[str, ToolResult, float]:
    """Run `call` with the tool of its name.

    Returns (status, result, seconds); status is `ok`, `error` or `timeout`. The result's text is in
    `context.language` where it is ours, at most `max_chars` characters plus a note, and valid UTF-8.
    Nothing is raised but CancelledError, when the calling task itself is cancelled.
    """
    started = time.perf_counter()
    status, result = await _outcome(tools, call, context)
    _tidy(result, max_chars, context.language)
    return status, result, time.perf_counter() - started


def prepared(tools: Mapping[str, Tool], call: ToolCall, language: Language) -> ToolCall:
    """The call with its arguments as its tool wants them, or with `error`: why it cannot run. Of a prepared call, the
    same."""
    if call.error:
        return call
    tool = tools.get(call.name)
    if tool is None:
        return replace(call, error=unknown_tool(call.name, tools, language))
    try:
        return replace(call, args=checked(tool, call.args, language))
    except InvalidArguments as error:
        told = _say("arguments", language, faults=error.faults, signature=signature(tool))
    except Exception as error:
        told = _failure(tool.name, error, language)
    return replace(call, error=told)


async def _outcome(tools: Mapping[str, Tool], call: ToolCall, context: ToolContext) -> tuple[str, ToolResult]:
    language = context.language
    call = prepared(tools, call, language)
    if call.error:
        return _error(call.error)
    tool = tools[call.name]
    scope = asyncio.timeout(tool.timeout)
    try:
        async with scope:
            result = as_result(await tool.run(call.args, context))
    except TimeoutError as error:
        if isinstance(error, DureError):
            return "timeout", ToolResult(error.message(language), is_error=True)
        key = "timeout" if scope.expired() else "own_timeout"
        return "timeout", ToolResult(_say(key, language, name=tool.name, seconds=tool.timeout), is_error=True)
    except asyncio.CancelledError as error:
        # Something inside the tool was cancelled, not we: that is the tool's failure.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return _error(_failure(tool.name, error, language))
    except (Exception, SystemExit) as error:
        return _error(_failure(tool.name, error, language))
    return ("error" if result.is_error else "ok"), result


def unknown_tool(name: str, known: Mapping[str, Tool], language: Language) -> str:
    """Tells the model that `name` does not exist, with the nearest name that does."""
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold()[:64], folded, n=1)
    hint = _say("hint", language, near=folded[near[0]]) if near else ""
    names = ", ".join(sorted(known)) or _say("none", language)
    return _say("unknown", language, name=name[:64], hint=hint, known=names)


def _say(key: str, language: Language, **details: object) -> str:
    return _TEXT[key][language].format(**details)


def _error(text: str) -> tuple[str, ToolResult]:
    return "error", ToolResult(text, is_error=True)


def _failure(name: str, error: BaseException, language: Language) -> str:
    if isinstance(error, DureError):
        return error.message(language)
    # The trace is for whoever runs the server; the model gets the sentence.
    log.info("tool %s failed", name, exc_info=error)
    reason = " ".join(str(error).split())
    if len(reason) > _MAX_REASON_CHARS:
        reason = reason[:_MAX_REASON_CHARS] + "…"
    kind = type(error).__name__
    return _say("failed", language, name=name, reason=f"{kind}: {reason}" if reason else kind)


def _tidy(result: ToolResult, max_chars: int, language: Language) -> None:
    """Cap the text and make it fit to be stored: lone surrogates are no UTF-8, and NUL no PostgreSQL text."""
    text = result.text
    if len(text) > max_chars:
        text = text[:max_chars] + _say("cut", language, length=len(text), limit=max_chars)
    text = text.encode("utf-8", "replace").decode().replace("\0", "�")
    result.text = text if text.strip() or result.passages else _say("empty", language)
    if result.data is not None:
        try:
            orjson.dumps(result.data, default=str, option=orjson.OPT_NON_STR_KEYS)
        except (TypeError, ValueError):
            # As it will be read again.
            result.data = orjson.loads(json_bytes(result.data))
