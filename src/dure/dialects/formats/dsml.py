"""`<｜DSML｜invoke name="N"><｜DSML｜parameter name="K" string="true">V</｜DSML｜parameter>…`: DeepSeek V3.2+.

`string="true"` marks raw text, kept as it is; `"false"` marks JSON. V3.2 wraps calls in `function_calls`, V4 in
`tool_calls`, V4.1 in `calls` and with a space after the marker.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import read_arguments
from dure.dialects.formats.invoke import syntax
from dure.dialects.offered import NO_JSON, as_json
from dure.dialects.source import Source

_MARKS = ("｜DSML｜", "|DSML|")
_OPEN = re.compile(r"<([｜|]DSML[｜|] ?)(?:function_calls|tool_calls|calls)>\s*")
_HEAD = re.compile(r"\s*<([｜|]DSML[｜|] ?)invoke\s+name=\"?([^\"<>\n]{1,200})\"?\s*(/?)>")
_CLOSE = re.compile(r"\s*</[｜|]DSML[｜|] ?(?:function_calls|tool_calls|calls)>")
_BEHIND = r"</[｜|]DSML[｜|] ?\w+>"


def scan(src: Source, at: int, marker: str) -> Found | None:
    opened = src.match(_OPEN, at, reach=40)
    here = opened.end() if opened else at
    calls: list[Call] = []
    while True:
        head = src.match(_HEAD, here, reach=240)
        if head is None:
            break
        name = head.group(2)
        resolved = src.tools.resolve(name)[0]
        src.name(resolved)
        if head.group(3):
            calls.append(Call(name, {}))
            here = head.end()
            continue

        def typed(opening: re.Match[str], raw: str, resolved: str = resolved) -> Any:
            if opening.group("attribute") == "string":
                if opening.group("type") == "true":
                    return raw
                value = as_json(raw.strip())
                return raw if value is NO_JSON else value
            return src.tools.typed(resolved, opening.group("key"), raw, guess=True)

        arguments = read_arguments(src, head.end(), name, syntax(head.group(1), _BEHIND), typed)
        if arguments is None:
            return Found(len(src.text), calls, unfinished=name)
        calls.append(Call(name, arguments.values, arguments.repairs))
        here = arguments.end
    close = src.match(_CLOSE, here, reach=60)
    if close is not None:
        return Found(close.end(), calls)
    if opened is not None and not calls and here == len(src.text):
        return Found(here, unfinished="?")
    return Found(here, calls) if calls else None


FORMAT = Format("dsml", tuple(f"<{mark}" for mark in _MARKS), scan)
