"""The mechanism of formats that put whole JSON calls, or Python-like ones, behind a tag.

The closing tag is often lost, being the last token; several objects in one tag and a list are read as well.
"""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.json_call import ALSO, read_json
from dure.dialects.formats.pythonic import read_lines, read_list
from dure.dialects.json_scan import Json
from dure.dialects.source import BrokenOff, Source

_JSON = re.compile(r"\s*(?:```(?:json)?\s*)?(?=[\[{｛])")
_LIST = re.compile(r"\s*(?=\[)")
_BETWEEN = re.compile(r"\s*+[,;]?\s*+(?=[\[{])")
_END = re.compile(
    r"\s*+[}\])]*+\s*+(?:```)?\s*+(?:<[/|]{1,2}(?:longcat_)?(?:tool_calls?|toolcall|TOOLCALL|function_?call|tools|tool_use)\|?>)"
)
_EXTRA = re.compile(r"\s*[}\])]*\s*(?:```)?")


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
        between = src.match(_BETWEEN, at, reach=24)
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
        extra = src.match(_EXTRA, at, reach=8)
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
