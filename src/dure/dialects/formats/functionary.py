"""`>>>N` and the arguments on the next line: Functionary 3.2. `>>>all` is a word to the user."""

import re

from dure.dialects.formats.base import Call, Format, Found
from dure.dialects.source import Source

_HEAD = re.compile(r"\n>>>([A-Za-z_][\w.-]{0,127})\s*\n\s*")


def scan(src: Source, at: int, marker: str) -> Found | None:
    head = src.match(_HEAD, at, reach=160)
    if head is None:
        return None
    name = head.group(1)
    if name == "all":
        return Found(head.end())
    if src.tools.resolve(name)[0] not in src.tools.schemas:
        return None
    found = src.json(head.end())
    if found is None:
        return None
    if found.cut is not None and found.cut.inside:
        return Found(len(src.text), unfinished=name)
    return Found(found.end, [Call(name, found.value, list(found.repairs))])


FORMAT = Format("functionary", ("\n>>>",), scan)
