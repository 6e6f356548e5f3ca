"""`read_document`: reads one of the owner's documents from its beginning, passage after passage."""

import difflib
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from dure.sources import SUB, Passage
from dure.texts import TEXTS
from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.knowledge.base import Knowledge
    from dure.knowledge.document import Document

READ = "read_document"
_NEAR = 5
_LIKE = 0.4
"""From how like a name has to be to be told, of 1."""

_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "document": {"type": "string", "description": "its name as search gives it, or its id"},
        "from": {"type": "integer", "minimum": 1, "description": "its passage to begin with; 1 without it"},
        "page": {"type": "integer", "minimum": 1, "description": "its page to begin with, instead"},
    },
    "required": ["document"],
}

_TEXT = TEXTS["toolsets_reading.text"]


def reading_tool(knowledge: "Knowledge") -> Tool:
    """The tool over `knowledge`: as many passages in order as have room in `context.room` characters, and how to go on.

    The passages are numbered by the run as those of a search are; `data`: `{document, from, to, of}`. A name that no
    document has is an error that tells the nearest ones."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        def say(key: str, **values: Any) -> str:
            return _TEXT[key][context.language].format(**values)

        wanted, there = args["document"], await knowledge.list(context.owner)
        found = _named(wanted, there)
        if len(found) != 1:
            near = found or _nearest(wanted, there)
            names = "; ".join(f"{each.name} ({each.id})" for each in near)
            key = "several" if found else "near" if near else "unknown"
            return ToolResult(say(key, name=wanted[:100], names=names), is_error=True)
        (document,) = found
        passages = await knowledge.passages(context.owner, document.id)
        begin = args.get("from", 1) - 1
        if (page := args.get("page")) is not None:
            begin = next((i for i, each in enumerate(passages) if (each.page or 0) >= page), len(passages))
        if begin >= len(passages):
            return ToolResult(say("beyond", name=document.name, count=len(passages)), is_error=True)
        read = _within(passages[begin:], context.room)
        end = begin + len(read)
        text = say("read", name=document.name, first=begin + 1, last=end, count=len(passages))
        if end < len(passages):
            text += " " + say("on", next=end + 1)
        data = {"document": document.id, "from": begin + 1, "to": end, "of": len(passages)}
        return ToolResult(text, passages=read, data=data)

    about = "Read a document of the user's from its beginning, or from a passage or page: for a summary, or all of it."
    return Tool(READ, about, _PARAMETERS, run, untrusted=True)


def _within(passages: Sequence[Passage], room: int) -> list[Passage]:
    """The first of them that have so many characters together; one in any case."""
    read: list[Passage] = []
    for each in passages:
        room -= len(each.text)
        if read and room < 0:
            break
        read.append(each)
    return read


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def _named(wanted: str, there: Sequence["Document"]) -> list["Document"]:
    """The documents of that id, name or title; what stands behind it in a passage's heading may stand there, too."""
    for name in (_plain(wanted), _plain(wanted.partition(SUB)[0])):
        if found := [each for each in there if name == each.id or name in _names(each)]:
            return found
    return []


def _names(document: "Document") -> list[str]:
    return [_plain(each) for each in (document.name, PurePath(document.name).stem, document.title)]


def _nearest(wanted: str, there: Sequence["Document"]) -> list["Document"]:
    name = _plain(wanted)[:200]
    of = {known: each for each in there for known in _names(each)}
    inside = [each for each in of if name in each]
    near = [*inside, *difflib.get_close_matches(name, of, _NEAR, _LIKE)]
    return list({of[each].id: of[each] for each in near}.values())[:_NEAR]
