"""`<｜tool▁call▁begin｜>…<｜tool▁sep｜>…`: DeepSeek V3, R1 and V3.1.

V3 and R1: `function<｜tool▁sep｜>N` and the arguments in a ```json fence; V3.1: `N<｜tool▁sep｜>{…}`. R1 often leaves
out the outer tokens. Step 3 has the same tokens with plain underscores around `<steptml:invoke …>`.
"""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import read_arguments
from dure.dialects.formats.invoke import syntax
from dure.dialects.source import Source

_BAR = "[｜|]"
_US = r"(?:▁|_|\\_| )"
_SECTION = re.compile(rf"<{_BAR}tool{_US}calls(?:{_US}begin)?{_BAR}>\s*")
_BEGIN = re.compile(rf"\s*<{_BAR}tool{_US}call{_US}begin{_BAR}>\s*")
_HEAD = re.compile(rf"([^<>\n]{{0,200}}?)\s*<{_BAR}tool{_US}sep{_BAR}>[ \t]*")
_NAME = re.compile(r"([^\n`{<]{1,200}?)\s*(?:\n|(?=```|\{)|$)")
_FENCE = re.compile(r"\s*(?:```[a-z]*\s*)?")
_FENCE_END = re.compile(r"\s*[}\])]*\s*(?:```)?\s*")
_END = re.compile(rf"\s*<{_BAR}tool{_US}call{_US}end{_BAR}>")
_SECTION_END = re.compile(rf"\s*<{_BAR}tool{_US}calls{_US}end{_BAR}>")
_STEP = re.compile(r"\s*<steptml:invoke\s+name=\"([^\"<>\n]{1,200})\"\s*>")


def scan(src: Source, at: int, marker: str) -> Found | None:
    section = src.match(_SECTION, at, reach=40)
    here = section.end() if section else at
    calls: list[Call] = []
    while True:
        begin = src.match(_BEGIN, here, reach=40)
        if begin is None:
            break
        named = len(src.named)
        read = _call(src, begin.end())
        if read is None:
            break
        call, here = read
        if call is None:
            return Found(len(src.text), calls, unfinished=src.named[-1] if len(src.named) > named else "?")
        calls.append(call)
    if section is None and not calls:
        return None
    close = src.match(_SECTION_END, here, reach=40)
    if close is not None:
        return Found(close.end(), calls)
    if not calls:
        # A section that holds no call: nothing of it is for the reader.
        ending = src.search(_SECTION_END, here)
        return Found(ending.end() if ending else len(src.text), unfinished="" if ending else "?")
    return Found(here, calls)


def _call(src: Source, at: int) -> tuple[Call | None, int] | None:
    """One call and where the text goes on. The call is None where the text breaks off in it."""
    head = src.match(_HEAD, at, reach=260)
    if head is None:
        return (None, at) if src.broken_off(at) else None
    here = head.end()
    step = src.match(_STEP, here, reach=240)
    if step is not None:
        return _step(src, step)
    name = head.group(1).strip()
    if src.text[here : here + 1] not in ("{", "`", "\n"):
        named = src.match(_NAME, here, reach=220)
        if named is None:
            return None
        name, here = named.group(1).strip(), named.end()
    src.name(src.tools.resolve(name)[0])
    fence = src.match(_FENCE, here, reach=24)
    here = fence.end() if fence else here
    found = src.json(here)
    if found is None:
        end = src.match(_END, here, reach=40)
        if end is not None:
            return Call(name, None, ["missing arguments"]), end.end()
        return None if src.text[here : here + 1] else (None, here)
    if found.cut is not None and found.cut.inside:
        return None, found.end
    fence_end = src.match(_FENCE_END, found.end, reach=12)
    here = fence_end.end() if fence_end else found.end
    end = src.match(_END, here, reach=40)
    args = found.value if isinstance(found.value, dict) else None
    return Call(name, args, list(found.repairs)), end.end() if end else here


def _step(src: Source, step: re.Match[str]) -> tuple[Call | None, int]:
    name = step.group(1)
    resolved = src.tools.resolve(name)[0]
    src.name(resolved)
    arguments = read_arguments(
        src,
        step.end(),
        name,
        syntax("steptml:", rf"<{_BAR}tool{_US}calls?{_US}\w+{_BAR}>"),
        lambda opening, raw: src.tools.typed(resolved, opening.group("key"), raw),
    )
    if arguments is None:
        return None, len(src.text)
    end = src.match(_END, arguments.end, reach=40)
    return Call(name, arguments.values, arguments.repairs), end.end() if end else arguments.end


_MARKERS = tuple(
    f"<{bar}tool{us}{what}{bar}>"
    for bar in "｜|"
    for us in ("▁", "_", "\\_", " ")
    for what in (f"calls{us}begin", f"call{us}begin", "calls")
    # Plain bars and underscores are Kimi's and Solar's, but for the section's beginning.
    if bar == "｜" or us != "_" or what == f"calls{us}begin"
)
FORMAT = Format("deepseek", _MARKERS, scan)
