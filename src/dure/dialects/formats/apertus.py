"""`<|tools_prefix|>[{"N": {…}}]<|tools_suffix|>`: Apertus, whose calls have the name for a key."""

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.source import Source

_OPENING = "<|tools_prefix|>"
_CLOSING = "<|tools_suffix|>"


def scan(src: Source, at: int, marker: str) -> Found | None:
    start = src.space(at + len(marker))
    found = src.json(start)
    if found is None:
        return Found(len(src.text), unfinished="?") if start >= len(src.text) else None
    items = found.value if isinstance(found.value, list) else [found.value]
    calls = [
        Call(name, args, list(found.repairs)) for item in items if isinstance(item, dict) for name, args in item.items()
    ]
    if found.cut is not None and found.cut.inside:
        return Found(len(src.text), unfinished=calls[-1].name if calls else "?")
    for call in calls:
        src.name(src.tools.resolve(call.name)[0])
    end = src.space(found.end)
    return Found(end + len(_CLOSING) if src.starts(_CLOSING, end) else found.end, calls)


FORMAT = Format("apertus", (_OPENING,), scan)
