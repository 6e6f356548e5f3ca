"""Calls as plain JSON (Llama 3, Qwen2.5-Coder and others): bare, in a fence, in an array, `;`-separated, in a wrapper;
and the mechanism of formats that put whole JSON calls, or Python-like ones, behind a tag.

Shapes: `name/arguments`, `name/parameters`, `tool/args`, `tool_name/tool_input`, `action/action_input` (LangChain's
structured chat), `function/…`, OpenAI's `{"type": "function", "function": {…}}` and `{"tool_calls": […]}`, after
`<|python_tag|>` too (Llama 3's template). JSON of any other shape is an answer. A closing tag is often lost, being the
last token; several objects in one tag and a list are read as well.
"""

import json
import re
from typing import Any

from dure.dialects.formats.base import BrokenOff, Call, Format, Found, Source
from dure.dialects.formats.pythonic import read_lines, read_list
from dure.dialects.json_scan import Json

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
_SEPARATOR = re.compile(r"\s*+[;,]?\s*+(?=[\[{])")
_START = re.compile(r"(?:\[\s*+)?[{｛]\s*+[\"'“”‘’＂`]?([\w ]{1,24})[\"'“”‘’＂`]?\s*+[:：]")
_SECOND = re.compile(
    r'(?:\[\s*+)?\{\s*+"\w{1,24}"\s*+:\s*+(?:"(?:[^"\\\n]|\\.){0,200}"|\d{1,20})\s*+,\s*+"([^"\\]{1,64})"\s*+:'
)
"""An object whose first value is short, up to its second key."""
FIRST_KEYS = {*_NAMES, *_ARGS, *_LISTS, *ALSO, "function_call", "tool_call", "content", "role"}


def as_calls(value: Any) -> list[Call]:
    """The calls a JSON value stands for; empty where it is an answer."""
    if isinstance(value, list):
        each = [as_calls(item) if isinstance(item, dict) else [] for item in value]
        return [call for calls in each for call in calls] if all(each) else []
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
        args = function.get("arguments", function.get("parameters"))
        return None if others else _call(function["name"], args, 0)
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
    if args is None or isinstance(args, dict):
        return Call(name, args or {})
    return Call(name, args, _encoding(args, expected), certain) if isinstance(args, str) else None


def _encoding(text: str, expected: int) -> list[str]:
    """A note for every time the text was encoded more often than the shape asks for."""
    if expected:
        return ["arguments encoded twice"]
    try:
        return ["arguments encoded twice"] if isinstance(json.loads(text), str) else []
    except (ValueError, RecursionError):
        return []


def read_json(src: Source, at: int) -> tuple[Json, list[Call]] | None:
    """The JSON value at `at` and the calls it stands for; None where no JSON stands there."""
    found = src.json(at)
    if found is None:
        return None
    calls = as_calls(found.value)
    for call in calls:
        call.repairs += found.repairs
    return found, calls


def read_bare(src: Source, at: int) -> Found | None:
    """Bare JSON: one or more call objects, however separated."""
    start = src.match(_START, at, reach=64)
    if start is None or start.group(1).strip() not in FIRST_KEYS or _is_data(src, at):
        return None
    calls: list[Call] = []
    repairs: list[str] = []
    end = at
    here = at
    while True:
        read = read_json(src, here)
        if read is None or not read[1]:
            break
        found, more = read
        if found.inside:
            unfinished = more[-1].name
            return Found(len(src.text), calls, unfinished=unfinished, last=True) if _plausible(src, more) else None
        calls += more
        repairs += found.repairs
        end = found.end
        separator = src.match(_SEPARATOR, end, reach=64)
        if separator is None:
            break
        here = separator.end()
    if len(calls) == 1:
        answer = final_answer(calls[0], src)
        if answer is not None:
            return Found(end, text=answer, answer=True)
    if not calls or not _plausible(src, calls):
        return None
    for call in calls:
        call.certain = call.certain and isinstance(call.args, dict)
    if extra := src.match(_EXTRA, end, reach=4):
        repairs.append("a bracket too many")
        end = extra.end()
    return Found(end, calls, repairs=repairs, last=True)


def _is_data(src: Source, at: int) -> bool:
    """Whether an object's second key, or an array's first element, already tells that no call stands here."""
    second = _SECOND.match(src.text, at)
    if second is not None and second.group(1) not in FIRST_KEYS:
        return True
    if src.final or src.text[at] != "[":
        return False
    first = src.json(src.space(at + 1))
    return first is not None and not first.repairs and not as_calls(first.value)


def final_answer(call: Call, src: Source) -> str | None:
    """The answer where a "call" is none: LangChain's `{"action": "Final Answer", "action_input": "…"}`."""
    if _FINAL.fullmatch(call.name) is None or call.name in src.tools.schemas:
        return None
    given = call.args.values() if isinstance(call.args, dict) else [call.args]
    texts = [value for value in given if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


_FINAL = re.compile(r"(?i)final[ _]?answer|최종 ?답변")
_EXTRA = re.compile(r"[}\]]+(?=\s*$|\s*```|\s*\n|\s*<)")


def _plausible(src: Source, calls: list[Call]) -> bool:
    """Whether one of the names is on offer, or all look like calls for certain."""
    names = src.tools.schemas if all("missing arguments" in call.repairs for call in calls) else src.tools
    known = any(src.tools.resolve(call.name)[0] in names for call in calls)
    return known or all(call.certain for call in calls)


_JSON = re.compile(r"\s*(?:```(?:json)?\s*)?(?=[\[{｛])")
_LIST = re.compile(r"\s*(?=\[)")
_END = re.compile(
    r"\s*+[}\])]*+\s*+(?:```)?\s*+(?:<[/|]{1,2}(?:longcat_)?(?:tool_calls?|toolcall|TOOLCALL|function_?call|tools|tool_use)\|?>)"
)
_MORE = re.compile(r"\s*[}\])]*\s*(?:```)?")


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
    calls: list[Call] = []
    repairs: list[str] = []
    while True:
        read = read_json(src, at)
        if read is None:
            break
        found, more = read
        more = more or _keyed(src, found)
        if not more:
            break
        if found.inside:
            return Found(len(src.text), calls, unfinished=more[-1].name)
        calls += more
        repairs += found.repairs
        at = found.end
        for call in more:
            call.certain = True
            src.name(call.name)
        between = src.match(_SEPARATOR, at, reach=24)
        if between is None:
            break
        at = between.end()
    if not calls and read is not None and read[0].cut:
        end = src.match(_END, read[0].end, reach=40)
        return Found(end.end() if end else read[0].end, unfinished="?")
    if not calls:
        return None
    end = src.match(_END, at, reach=40)
    if end is None:
        extra = src.match(_MORE, at, reach=8)
        return Found(extra.end() if extra else at, calls, repairs=["a lost closing tag"] if closed else repairs)
    if "}" in end.group():
        repairs.append("a bracket too many")
    return Found(end.end(), calls, repairs=repairs)


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
        return [Call(name, given[0], unread=beside)] if given else []
    if len(found.value) == 1:
        [(name, args)] = found.value.items()
        if name in src.tools and isinstance(args, dict):
            return [Call(name, args, ["the name as a key"])]
    return []
