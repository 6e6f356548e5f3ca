"""How a model writes calls, learnt from its own chat template: a known call is rendered, and what stands around its
name, keys and values are the format's delimiters. Nothing is learnt where the formats of the table read it already.

The template is rendered in a child process, where a hostile one can do no harm: `python -m dure.dialects.learnt`.
"""

import json
import re
from functools import lru_cache
from itertools import takewhile
from typing import Any

from dure.child import Child, ChildLost
from dure.dialects.formats.base import THINK, Format
from dure.dialects.formats.json_call import as_calls, json_block
from dure.dialects.formats.tagged import Elements, Form, Json, tagged
from dure.dialects.json_scan import read
from dure.dialects.labels import Gathered
from dure.dialects.offered import Offered
from dure.dialects.parser import read_reply
from dure.dialects.quotations import Heard
from dure.dialects.scan import Reading
from dure.serving import serve
from dure.tooling import openai_tool

READER = "template"
"""The name of the format that was learnt, whichever model's."""
_NAMES = ("dure_find_first", "dure_find_second")
_ARGS = {"dure_key_a": "value of a", "dure_key_b": "value of b"}
_LONGEST_CALLS = 4000
"""Characters of a rendered call and of a pair of them: more is no format."""
_RANGE = re.compile(
    r"\{\{-?\s*range\s+(?:[^{}]{0,60}:=\s*)?\.ToolCalls\s*-?\}\}(?P<call>(?s:.){1,2000}?)\{\{-?\s*end\s*-?\}\}"
)
"""Where a template in Go's syntax writes calls."""
_FILLED = re.compile(r"\{\{-?\s*(?:\$\w{1,30})?\.Function(\.Name|\.Arguments)\s*-?\}\}")
_UNCLOSED = re.compile(r"[<\[][^<>\[\]]*$")
_MARKER = re.compile(r"<[^<>\s]+>?|\[[^\[\]\s]{2,}\]|[^\s\w]\S*")
_TAKES = {"type": "object", "properties": {key: {"type": "string"} for key in _ARGS}}
_TOOLS = [openai_tool(name, "Finds.", _TAKES) for name in _NAMES]
_ASKED = {"role": "user", "content": "Find it."}
_SAID = {"role": "assistant", "content": "It is found."}


async def learn(template: str) -> tuple[dict[str, str] | None, bool]:
    """The delimiters of the calls that a chat template writes, for `own_format`, None where nothing is to be learnt;
    and whether its prompt opens the model's reasoning, so that replies begin inside of it."""
    if not 0 < len(template) <= LONGEST:
        return None, False
    if ranged := _RANGE.search(template):
        return _delimiters(_by_ollama(template, ranged, _NAMES[:1]), _by_ollama(template, ranged, _NAMES)), False
    asked, said, *wrote = await _renderings(template)
    reading = Reading(Offered(()), Gathered())
    reading.read(asked.rpartition(_ASKED["content"])[2])
    thinks = reading.region is not None and reading.region.kind == "reasoning"
    begun, _, ending = said.partition(_SAID["content"])
    for pair, single in zip(wrote[::2], wrote[1::2], strict=True):
        replies = (_reply((asked, begun), each.removesuffix(ending)) for each in (single, pair))
        found = _delimiters(*replies) if single else None
        if found is not None:
            return found, thinks
    return None, thinks


def _by_ollama(template: str, ranged: re.Match[str], names: tuple[str, ...]) -> str:
    """Calls of `names` as Ollama's template, in Go's syntax, writes them; "" where it fills in more parts."""
    before, behind = template[: ranged.start()].rpartition("}}")[2], template[ranged.end() :].partition("{{")[0]
    calls = ""
    for name in names:
        given = {".Name": name, ".Arguments": json.dumps(_ARGS)}
        calls += _FILLED.sub(lambda match, given=given: given[match.group(1)], ranged["call"])
    return "" if "{{" in calls else f"{before}{calls}{behind}"


def _called(*names: str, encode: bool) -> dict[str, Any]:
    args: Any = json.dumps(_ARGS) if encode else _ARGS
    calls = [
        {"id": f"dureid{at:03}", "type": "function", "function": {"name": name, "arguments": args}}
        for at, name in enumerate(names)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


# Some templates write the arguments as JSON themselves, others expect them so; some take one call at a time.
_CHATS = [
    [_ASKED],
    [_ASKED, _SAID],
    *([_ASKED, _called(*names, encode=each)] for each in (False, True) for names in (_NAMES, _NAMES[:1])),
]


def _reply(beginnings: tuple[str, str], whole: str) -> str:
    """What the model wrote of a rendered conversation: behind the longer beginning of it; "" of an empty one."""
    text = whole[max(len(_common(each, whole)) for each in beginnings) :]
    for opening, closing in THINK.items():
        text = re.sub(rf"^\s*{re.escape(opening)}\s*{re.escape(closing)}", "", text)
    return text


def _common(one: str, other: str) -> str:
    """What both begin with, but for a tag that is not the same to its end."""
    shared = "".join(a for a, b in takewhile(lambda two: two[0] == two[1], zip(one, other, strict=False)))
    return shared if shared in (one, other) else _UNCLOSED.sub("", shared)


def _delimiters(single: str, pair: str) -> dict[str, str] | None:
    """What stands around the parts of the call in `single`. pair: the same with a second call, "" for none."""
    if len(single) + len(pair) > _LONGEST_CALLS or _comes_back(single, None):
        return None
    at = single.find(_NAMES[0])
    for find in (_object, _head):
        found = find(single, at, pair)
        if found is not None and _comes_back(single, found) and (not pair or _comes_back(pair, found)):
            return found
    return None


def _object(text: str, at: int, pair: str) -> dict[str, str] | None:
    """Delimiters of a call that is one JSON value."""
    for start in (each for each in range(1, at) if text[each] in "{["):
        found = read(text, start)
        if found and [call.name for call in as_calls(found.value)] == [_NAMES[0]]:
            close = _MARKER.match(text[found.end :].strip())
            return {"head": text[:start].strip(), "close": close.group() if close else ""}
    return None


def _head(text: str, at: int, pair: str) -> dict[str, str] | None:
    """Delimiters of a call whose name stands before its arguments."""
    named = at + len(_NAMES[0])
    brace = text.find("{", named)
    found = read(text, brace) if at >= 0 and brace >= 0 else None
    written: dict[str, str] = {}
    if found is not None and found.value == _ARGS:
        written["mid"], end = text[named:brace], found.end
    else:
        places = [text.find(word, named) for argument in _ARGS.items() for word in argument]
        if at < 0 or min(places) < 0 or places != sorted(places):
            return None
        (key, value), (_, last) = _ARGS.items()
        written["assign"] = text[places[0] + len(key) : places[1]]
        between, rest = text[places[1] + len(value) : places[2]], text[places[3] + len(last) :]
        written["shut"] = _common(between, rest)
        written["open"] = between[len(written["shut"]) :]
        written["mid"] = text[named : places[0]].removesuffix(written["open"])
        end = places[3] + len(last) + len(written["shut"])
    behind, head = text[end:], text[:at]
    gap = pair[end : pair.find(_NAMES[1], end)] if pair else ""
    close = _common(gap, behind) if pair else behind
    section = head.removesuffix(gap[len(close) :]) if pair else ""
    parts = {"section": section, "head": head[len(section) :], "close": close, "last": behind[len(close) :]}
    return {**written, **{part: each.strip() for part, each in parts.items()}}


def _comes_back(text: str, written: dict[str, str] | None) -> bool:
    """Whether the calls in a rendered reply are read as they were made, and nothing of it is shown."""
    reply = read_reply(text, Offered(_TOOLS), heard=Heard(own=own_format(written)))
    calls = [(call.name, call.args) for call in reply.tool_calls if call.error is None]
    listed = all(call.reader != "anchored" for call in reply.tool_calls)
    return bool(calls) and calls == [(name, _ARGS) for name in _NAMES[: len(calls)]] and not reply.content and listed


def own_format(written: dict[str, str] | None) -> Format | None:
    """The format with these delimiters; None without any, or where they begin with nothing that tells a call."""
    return _format(tuple(sorted(written.items()))) if written else None


@lru_cache(maxsize=16)
def _format(items: tuple[tuple[str, str], ...]) -> Format | None:
    written = dict(items)
    head, close = written["head"], written["close"]
    marker = _MARKER.match(written.get("section") or head)
    if marker is None or len(marker.group()) < 3:
        return None
    if "mid" not in written:
        return json_block(READER, {head: close})
    ends = _loose(close) or "$"
    body: Any = Json(rf"\s*{ends}", sure=bool(close))
    follows = r"(?=\{)"
    if "assign" in written:
        assign = re.escape(written["assign"].rstrip("\n"))
        opening = rf"{_loose(written['open'])}(?P<key>[\w.-]{{1,100}}){assign}"
        body = Elements(opening, _loose(written["shut"]), ends, trim=True)
        follows = rf"(?={_loose(written['open'])}|{ends})"
    form = Form(rf"\s*+{_loose(head)}\s*+(?P<name>[\w.:-]{{1,128}}?)\s*+{_loose(written['mid'])}\s*+{follows}", body)
    section, last = written["section"], written["last"]
    closing = rf"\s*{_loose(last)}" if last else ""
    return tagged(READER, (marker.group(),), form, opening=f"(?:{_loose(section)})?", more="", closing=closing)


def _loose(text: str) -> str:
    """A pattern for a delimiter, whatever the white space within."""
    inner = r"\s*+".join(map(re.escape, text.split()))
    return inner + r"\s*+" * text.endswith(" ")


SECONDS = 5.0
MEMORY = 1 << 30
"""Bytes of address space."""
LONGEST = 300_000
"""Characters of a template, and of what it renders."""


async def _renderings(template: str) -> list[str]:
    """Each of `_CHATS` as the template writes it, with the beginning of a reply where it ends in a user's message; ""
    for one that it refuses, and for all of a template that is too slow."""
    child = Child("dure.dialects.learnt")
    try:
        [found] = await child.ask({"template": template, "seconds": SECONDS})
    except (TimeoutError, ChildLost):
        return [""] * len(_CHATS)
    finally:
        await child.close()
    return [str(text) for text in found["texts"]]


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """`{template}` → `{texts}`."""
    return {"texts": [_rendered(request["template"], chat) for chat in _CHATS]}


def _rendered(template: str, chat: list[dict[str, Any]]) -> str:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    # What else a template calls, such as `raise_exception`, refuses what it writes.
    environment.filters["tojson"] = lambda value, indent=None, **others: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    environment.globals["strftime_now"] = lambda form: "2026-01-01"
    try:
        text = environment.from_string(template).render(
            messages=chat, tools=_TOOLS, bos_token="", eos_token="", add_generation_prompt=chat[-1]["role"] == "user"
        )
    except Exception:
        # Whatever a template does: one that cannot be rendered tells nothing.
        return ""
    return text if len(text) <= LONGEST else ""


if __name__ == "__main__":
    serve(answered, memory=MEMORY)
