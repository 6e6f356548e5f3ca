"""`[TOOL_CALLS]`: Mistral. An array of JSON calls (tokenizer v3), or `name[ARGS]{…}` for each call (v11, v13).

`name[CALL_ID]id[ARGS]{…}` and `name{…}` occur as well, and `name[ARGS]{…}` alone where the server strips the token.
"""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.hermes import read_block
from dure.dialects.source import Source

_MARKER = "[TOOL_CALLS]"
_JSON = re.compile(r"\s*(?=[\[{])(?!\[(?:ARGS|CALL_ID)\])")
_NAMED = re.compile(
    r"\s*+([A-Za-z_가-힣][^\s\[\]{}<>\"]{0,127})\s*+(?:\[CALL_ID\]\s*+([\w-]{1,64})\s*+)?(?:\[ARGS\])?\s*+(?=\{)"
)
_NEXT = re.compile(
    r"\s*+(?:,\s*+)?(?:\[TOOL_CALLS\]\s*+)?(?=[A-Za-z_가-힣][^\s\[\]{}<>\"]{0,127}\s*+(?:\[ARGS\]|\[CALL_ID\]|\{))"
)
_ALONE = re.compile(r"\s*([A-Za-z_][\w.\-/]{0,127})\s*(?:\[ARGS\]\s*)?$")
_STRAY = re.compile(r"[}\]]*(?:</s>)?")


def scan(src: Source, at: int, marker: str) -> Found | None:
    here = at + len(marker)
    if src.space(here) >= len(src.text):
        return Found(len(src.text), unfinished="?")
    array = src.match(_JSON, here, reach=16)
    if array is not None:
        found = read_block(src, array.end(), closed=False)
        return found if found is not None else Found(here)
    found = read_named(src, here)
    if found is not None:
        return found
    alone = src.match(_ALONE, here, reach=160)
    if alone is not None:
        return Found(len(src.text), unfinished=alone.group(1))
    return Found(here)


def read_named(src: Source, at: int) -> Found | None:
    """`name[ARGS]{…}`, one or more."""
    calls: list[Call] = []
    here = at
    while True:
        head = src.match(_NAMED, here, reach=240)
        if head is None:
            break
        name = head.group(1)
        found = src.json(head.end())
        if found is None or not isinstance(found.value, dict):
            break
        if found.cut is not None and found.cut.inside:
            return Found(len(src.text), calls, unfinished=name)
        src.name(src.tools.resolve(name)[0])
        calls.append(Call(name, found.value, list(found.repairs)))
        stray = src.match(_STRAY, found.end, reach=4)
        here = stray.end() if stray else found.end
        following = src.match(_NEXT, here, reach=240)
        if following is None:
            break
        here = following.end()
    return Found(here, calls) if calls else None


FORMAT = Format("mistral", (_MARKER,), scan)
