"""Calls as plain JSON (Llama 3, Qwen2.5-Coder and others): bare, in a fence, in an array, `;`-separated, in a wrapper;
and the mechanism of formats that put whole JSON calls, or Python-like ones, behind a tag.

Shapes: `name/arguments`, `name/parameters`, `tool/args`, `tool_name/tool_input`, `action/action_input` (LangChain's
structured chat), `function/…`, OpenAI's `{"type": "function", "function": {…}}` and `{"tool_calls": […]}`, after
`<|python_tag|>` too (Llama 3's template). JSON of any other shape is an answer. A closing tag is often lost, being the
last token; several objects in one tag and a list are read as well.
"""

import json
from contextlib import suppress
from typing import Any

from dure.dialects.formats.base import BrokenOff, Call, Format, Found, Source
from dure.dialects.formats.pythonic import read_lines, read_list
from dure.dialects.json_scan import Json
from dure.patterns import later

_NAMES = (
    "name", "tool", "tool_name", "toolName", "action", "function", "function_name", "recipient_name", "api", "도구",
)  # fmt: skip
_ARGS = (
    "arguments", "parameters", "args", "params", "input", "tool_input", "toolInput", "action_input", "actionInput",
    "tool_args", "tool_arguments", "kwargs", "argument", "parameter", "입력",
)  # fmt: skip
_LISTS = ("tool_calls", "tool_uses", "function_calls", "calls", "tools", "actions")
ALSO = {"id", "type", "index", "call_id", "tool_call_id", "thought", "reasoning", "thoughts", "explanation", "strict"}
_KINDS = ("function", "tool_use", "tool_call", "function_call")
_SEPARATOR = later(r"\s*+[;,]?\s*+(?=[\[{])")
_START = later(r"(?:\[\s*+)?[{｛]\s*+[\"'“”‘’＂`]?([\w ]{1,24})[\"'“”‘’＂`]?\s*+[:：]")
FIRST_KEYS = {*_NAMES, *_ARGS, *_LISTS, *ALSO, "function_call", "tool_call", "content", "role"}
_CALLS_KEY = rf'"(?:{"|".join(sorted(FIRST_KEYS))})"'
_ANSWER = later(
    rf'(?:\[\s*+)?\{{?\s*+(?:{_CALLS_KEY}\s*+:\s*+(?:"(?:[^"\\\n]|\\.){{0,200}}"|\d{{1,20}})\s*+,\s*+)*+'
    rf'(?!{_CALLS_KEY})"[^"\\]{{1,64}}"\s*+:'
)
"""One of the first keys of an object, with short values before it, is none of a call's."""


def as_calls(value: Any) -> list[Call]:
    """The calls a JSON value stands for; empty where it is an answer."""
    if isinstance(value, list):
        each = [as_calls(item) if isinstance(item, dict) else [] for item in value]
        row = [call for calls in each for call in calls] if all(each) else []
        # Names in a row, none with arguments, are a list of what there is.
        return [] if len(row) > 1 and all("missing arguments" in call.repairs for call in row) else row
    if not isinstance(value, dict) or not value:
        return []
    for key in _LISTS:
        if isinstance(value.get(key), list) and value[key] and set(value) <= {key, *ALSO, "content", "role"}:
            return as_calls(value[key])
    call = _one(value)
    return [call] if call else []


def _one(value: dict[str, Any]) -> Call | None:
    function = value.get("function")
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        # OpenAI's own wrapper, whose arguments are JSON in a string.
        others = set(value) - {"function"} - ALSO
        return None if others else _call(function["name"], function.get("arguments", function.get("parameters")), 0)
    call = value.get("function_call", value.get("tool_call"))
    if isinstance(call, dict) and len(set(value) - ALSO - {"content", "role"}) == 1:
        return _one(call)
    name_key = next((key for key in _NAMES if isinstance(value.get(key), str) and value[key]), None)
    if name_key is None:
        return None
    args_key = next((key for key in _ARGS if key in value), None)
    others = set(value) - {name_key} - ALSO - ({args_key} if args_key else set())
    if args_key is None:
        # A name alone is a call only where the key says so and nothing else is there.
        sure = name_key not in ("name", "api", "function") or value.get("type") in _KINDS or set(value) == {"name"}
        return Call(value[name_key], None, ["missing arguments"], certain=False) if sure and not others else None
    if others - {"name", "tool", "action"}:
        return None
    return _call(value[name_key], value[args_key], 1, certain=name_key != "name")


def _call(name: str, args: Any, expected: int, *, certain: bool = True) -> Call | None:
    """expected: how often arguments that are text are encoded where nothing is wrong."""
    if defines(args):
        return None
    if args is None or isinstance(args, dict):
        return Call(name, args or {})
    if not isinstance(args, str):
        return None
    with suppress(ValueError, RecursionError):
        expected += expected == 0 and isinstance(json.loads(args), str)
    return Call(name, args, ["arguments encoded twice"] * expected, certain)


def defines(args: Any) -> bool:
    """Whether what stands where arguments do is their schema: a tool is described, not called."""
    return isinstance(args, dict) and args.get("type") == "object" and isinstance(args.get("properties"), dict)


def _row(src: Source, at: int, *, tagged: bool = False) -> tuple[Found, Json | None]:
    """The calls of JSON values in a row, however separated, and the last value, in which the text may break off."""
    row = Found(at)
    while (found := src.json(at)) is not None:
        calls = as_calls(found.value) or (_keyed(src, found) if tagged else [])
        if calls and found.inside:
            row.end, row.unfinished = len(src.text), calls[-1].name
        if not calls or found.inside:
            break
        for call in calls:
            call.repairs += found.repairs
            if tagged:
                call.certain = True
                src.name(call.name)
        row.calls += calls
        row.repairs += found.repairs
        row.end = found.end
        between = src.match(_SEPARATOR, row.end)
        if between is None:
            break
        at = between.end()
    return row, found


def read_bare(src: Source, at: int) -> Found | None:
    """Bare JSON: one or more call objects."""
    start = None if _ANSWER.match(src.text, at) else src.match(_START, at)
    if start is None or start.group(1).strip() not in FIRST_KEYS:
        return None
    if not src.final and src.text[at] == "[":
        # The first of an array already tells that the whole is none.
        first = src.json(src.space(at + 1))
        if first is not None and not first.repairs and not as_calls(first.value):
            return None
    row, last = _row(src, at)
    row.last = True
    if row.unfinished:
        return row if last and _plausible(src, as_calls(last.value)) else None
    answer = final_answer(row.calls[0], src) if len(row.calls) == 1 else None
    if answer is not None:
        return Found(row.end, text=answer, answer=True)
    if not row.calls or not _plausible(src, row.calls):
        return None
    for call in row.calls:
        call.certain = call.certain and isinstance(call.args, dict)
    if extra := src.match(_EXTRA, row.end, reach=4):
        row.repairs.append("a bracket too many")
        row.end = extra.end()
    return row


def final_answer(call: Call, src: Source) -> str | None:
    """The answer where a "call" is none: LangChain's `{"action": "Final Answer", "action_input": "…"}`."""
    if _FINAL.fullmatch(call.name) is None or call.name in src.tools.schemas:
        return None
    given = call.args.values() if isinstance(call.args, dict) else [call.args]
    texts = [value for value in given if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


_FINAL = later(r"(?i)final[ _]?answer|최종 ?답변")
_EXTRA = later(r"[}\]]+(?=\s*$|\s*```|\s*\n|\s*<)")


def _plausible(src: Source, calls: list[Call]) -> bool:
    """Whether one of the names is on offer, or all look like calls for certain."""
    names = src.tools.schemas if all("missing arguments" in call.repairs for call in calls) else src.tools
    known = any(src.tools.resolve(call.name)[0] in names for call in calls)
    return known or all(call.certain for call in calls)


_JSON = later(r"\s*(?:```(?:json)?\s*)?(?=[\[{｛])")
_LIST = later(r"\s*(?=\[)")
_END = later(
    r"\s*+[}\])]*+\s*+(?:```)?(?:\s*+<[/|]{1,2}(?:\w{1,20}[_|])?"
    r"(?:tool_calls?|toolcall|TOOLCALL|function_?call|tools|tool_use)\|?>){1,2}"
)
_MORE = later(r"\s*[}\])]*\s*(?:```)?")


def json_block(name: str, tags: dict[str, str], *, closed: bool = False) -> Format:
    """A format with JSON calls behind an opening tag. tags: each with its closing tag, "" where `read_block` knows it.

    closed: without a closing tag, something was lost.
    """

    def scan(src: Source, at: int, marker: str) -> Found | None:
        here = src.space(at + len(marker))
        if here == len(src.text):
            raise BrokenOff("?")
        start = src.match(_JSON, here, reach=24) if src.text[here] in "{[｛`" else None
        found = read_block(src, start.end(), closed=closed) if start else None
        return past(src, found, tags[marker])

    return Format(name, tuple(tags), scan)


def code_block(name: str, tags: dict[str, str]) -> Format:
    """A format with Python-like calls behind an opening tag, a list or one a line. tags: as in `json_block`."""

    def scan(src: Source, at: int, marker: str) -> Found | None:
        here = at + len(marker)
        listed = src.match(_LIST, here, reach=16)
        found = read_list(src, listed.end(), certain=True) if listed else read_lines(src, here)
        if found is not None:
            found.last = False
            for call in found.calls:
                call.certain = True
                src.name(call.name)
        return past(src, found, tags[marker])

    return Format(name, tuple(tags), scan)


def past(src: Source, found: Found | None, closing: str) -> Found | None:
    """What was found, and the text goes on behind `closing` where that follows."""
    if found is not None and closing:
        end = src.space(found.end)
        if src.starts(closing, end):
            found.end = end + len(closing)
    return found


def read_block(src: Source, at: int, *, closed: bool = True) -> Found | None:
    """One or more JSON calls from `at` to a closing tag or the end. closed: without that tag, something was lost."""
    row, last = _row(src, at, tagged=True)
    if row.unfinished:
        return row
    if not row.calls:
        if last is None or not last.cut:
            return None
        row.end, row.unfinished = last.end, "?"
    if end := src.match(_END, row.end, reach=40):
        row.end = end.end()
        row.repairs += ["a bracket too many"] * ("}" in end.group())
    elif row.calls:
        extra = src.match(_MORE, row.end, reach=8)
        row.end = extra.end() if extra else row.end
        row.repairs = ["a lost closing tag"] if closed else row.repairs
    return row


def _keyed(src: Source, found: Json) -> list[Call]:
    """A call in a shape that only counts inside a tag.

    Its key is the tool's name, `{"N": {…}}`; its arguments stand beside it, `{"name": N, "K": V}`; it has keys of no
    meaning; its arguments are no object.
    """
    if isinstance(found.value, list) and found.value:
        each = [_keyed(src, found._replace(value=item)) for item in found.value]
        return [Call(call.name, call.args, unread=call.unread) for calls in each for call in calls] if all(each) else []
    if not isinstance(found.value, dict):
        return []
    name = found.value.get("name")
    if isinstance(name, str) and name:
        args = {key: value for key, value in found.value.items() if key != "name"}
        if name in src.tools.schemas and set(args) <= set(src.tools.properties(name)):
            return [Call(name, args, ["arguments beside the name"])]
        given = [value for key, value in args.items() if key in ("arguments", "parameters")]
        beside = ", ".join(key for key in args if key not in ("arguments", "parameters", *ALSO))
        return [Call(name, given[0], unread=beside or "a schema" * defines(given[0]))] if given else []
    if len(found.value) == 1:
        [(name, args)] = found.value.items()
        if name in src.tools and isinstance(args, dict):
            return [Call(name, args, ["the name as a key"])]
    return []
