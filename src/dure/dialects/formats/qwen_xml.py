"""`<function=N><parameter=K>value</parameter></function>`: Qwen3-Coder, Qwen3.5, Step 3.5, MiMo, Nemotron 3, Seed-OSS.

The outer `<tool_call>` is often missing. Values are raw text, typed by the tool's schema, with a newline on either side
as layout. Llama 3.1's and Functionary's `<function=N>{…}</function>` holds JSON instead.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.formats.elements import Syntax, read_arguments
from dure.dialects.source import Source

_OUTER = r"</?(?:seed:)?(?:tool_calls?|function_calls?)>"
_SYNTAX = Syntax(
    opening=r"<parameter(?:=| name=)\"?(?P<key>[^>\n\"]{1,200})\"?>",
    closing=r"</parameter>",
    ends=r"</function>",
    behind=rf"{_OUTER}|<function[= ]|</?think>",
    trim=True,
).compiled()
_HEAD = re.compile(
    r"(?:<(?:seed:)?(?:tool_call|function_call)>\s*)?"
    r"<function(?:=| name=)\s*+[\"']?([^>\n\"'<{]{1,200}?)[\"']?\s*+(?:>|(?=\{))"
)
_NEXT = re.compile(r"\s*(?=<function(?:=| name=))")
_CLOSE = re.compile(r"\s*</(?:seed:)?(?:tool_call|function_call)>")
_JSON = re.compile(r"\s*(?=\{)")
_FUNCTION_END = re.compile(r"\s*</function>")


def scan(src: Source, at: int, marker: str) -> Found | None:
    calls: list[Call] = []
    repairs: list[str] = []
    if not src.text.startswith("<function", at) or src.text.startswith("<function_call>", at):
        inner = src.space(src.find(">", at) + 1)
        if not src.starts("<function=", inner) and not src.starts("<function ", inner):
            return None
    while True:
        head = src.match(_HEAD, at, reach=260)
        if head is None:
            break
        name = head.group(1).strip()
        src.name(src.tools.resolve(name)[0])
        call, end = _body(src, name, head.end())
        if call is None:
            return Found(len(src.text), calls, unfinished=name)
        calls.append(call)
        at = end
        following = src.match(_NEXT, at, reach=40)
        if following is None:
            break
        at = following.end()
    if not calls:
        return None
    close = src.match(_CLOSE, at, reach=40)
    return Found(close.end() if close else at, calls, repairs=repairs)


def _body(src: Source, name: str, at: int) -> tuple[Call | None, int]:
    start = src.match(_JSON, at, reach=24)
    if start is not None:
        found = src.json(start.end())
        if found is not None and isinstance(found.value, dict):
            if found.cut is not None and found.cut.inside:
                return None, at
            end = src.match(_FUNCTION_END, found.end, reach=24)
            repairs = list(found.repairs) if end else [*found.repairs, "a lost closing tag"]
            return Call(name, found.value, repairs), end.end() if end else found.end
    resolved = src.tools.resolve(name)[0]

    def typed(opening: re.Match[str], raw: str) -> Any:
        return src.tools.typed(resolved, opening.group("key").strip(), raw)

    arguments = read_arguments(src, at, name, _SYNTAX, typed)
    if arguments is None:
        return None, at
    return Call(name, arguments.values, arguments.repairs), arguments.end


FORMAT = Format(
    "qwen_xml", ("<tool_call>", "<function=", "<function name=", "<seed:tool_call>", "<function_call>"), scan
)
