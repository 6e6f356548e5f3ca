"""Calls in a format that nobody listed: an offered name in a tag, its own keys in tags behind it, values between.

Asked only where the formats read nothing, or not all of a call. Nothing is skipped: what is neither name, key nor value
has to be markup up to the end of the reply, else no call stands there.
"""

import re
from typing import Any

from dure.dialects.formats.base import Call
from dure.dialects.json_scan import look
from dure.dialects.offered import Offered

_LONGEST = 20_000
"""Characters of a reply that are looked at, the last."""
_TAG = r"<[^<>{}\n]{1,80}>|\[/?[A-Z_]{3,30}\]"
_ENDS = re.compile(_TAG)
_ASSIGNS = re.compile(rf"(?:[\"']?\s*(?:[=:] ?|[>|]|{_TAG}))+")


def anchored(text: str, tools: Offered) -> tuple[list[Call], int] | None:
    """The calls at the end of a reply, and where they begin; None where not everything there is understood."""
    start = max(len(text) - _LONGEST, 0)
    if not tools.schemas or _ENDS.search(text, start) is None:
        return None
    names = "|".join(re.escape(name) for name in sorted(tools.schemas, key=len, reverse=True))
    found = list(re.compile(rf"(?:<|[>|=\"'\]:.])\s?({names})(?=\s?[<>|\"'=\[{{(:])").finditer(text, start))
    ends = [match.start() for match in found[1:]] + [len(text)]
    calls = []
    for match, end in zip(found, ends, strict=False):
        args = _arguments(match.group(1), text[match.end() : end], tools)
        if args is None:
            return None
        calls.append(Call(match.group(1), args, ["a format of its own"], reader="anchored"))
    if not any(call.args for call in calls):
        return None
    line = text.rfind("\n", 0, found[0].start(1)) + 1
    opening = re.compile(r"[<\[]").search(text, line, found[0].start(1))
    quoted = text[line : line + 1] in (">", "|")
    return (calls, opening.start()) if opening and not quoted else None


def _arguments(name: str, text: str, tools: Offered) -> dict[str, Any] | None:
    """The arguments in what stands behind a name; None where something else stands there too."""
    keys = "|".join(re.escape(key) for key in sorted(tools.properties(name), key=len, reverse=True)) or "(?!)"
    word = rf"(?<!\w)(?:{keys})(?!\w)"
    markup = re.compile(
        rf"(?:</[^<>]{{1,60}}>|(?!<[^<>]*{word}[^<>]*>)(?:{_TAG})|\"[a-z_]{{1,20}}\"\s*:\s*(?=\{{)|[\s=:,\"'|>\])}}/]|<$)*+"
    )
    key = re.compile(rf"(?:<[^<>{{}}]{{0,60}}?)?(?<!\w)({keys})(?!\w)")
    args: dict[str, Any] = {}
    at = 0
    while True:
        skipped = markup.match(text, at)
        at = skipped.end() if skipped else at
        if at >= len(text):
            return args
        if text[at] == "{" and not args:
            found, _ = look(text, at, True)
            if found is None or found.repairs or not isinstance(found.value, dict):
                return None
            args, at = found.value, found.end
            continue
        named = key.match(text, at)
        assigned = _ASSIGNS.match(text, named.end()) if named else None
        if named is None or assigned is None or named.group(1) in args:
            return None
        read = _value(text, assigned.end())
        if read is None:
            return None
        value, at = read
        args[named.group(1)] = tools.typed(name, named.group(1), value)


def _value(text: str, at: int) -> tuple[str, int] | None:
    """A value up to its closing quote, or to the next tag, and where that is."""
    quote = text[at : at + 1]
    end = text.find(quote, at + 1) if quote in ("'", '"') and quote else -1
    if end >= 0:
        return text[at + 1 : end], end + 1
    tag = _ENDS.search(text, at)
    if tag is None:
        return None
    value = text[at : tag.start()]
    return value[1:].removesuffix("\n") if value.startswith("\n") else value, tag.start()
