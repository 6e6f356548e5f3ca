"""`read_document`: reads one of the owner's documents from its beginning, passage after passage."""

from collections.abc import Iterable
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dure.knowledge.called import named, nearest
from dure.texts import TEXTS
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets.knowledge import SEARCH

if TYPE_CHECKING:
    from dure.knowledge.base import Knowledge

READ = "read_document"

_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "document": {
            "type": "string",
            "description": "its name as search gives it, or its id; without it: what there is",
        },
        "from": {"type": "integer", "minimum": 1, "description": "its passage to begin with; 1 without it"},
        "page": {"type": "integer", "minimum": 1, "description": "its page to begin with, instead"},
    },
}

_TEXT = TEXTS["toolsets_reading.text"]


def reading_tool(knowledge: "Knowledge") -> Tool:
    """The tool over `knowledge`: as many passages in order as have room in `context.room` characters, and how to go on.

    The passages are numbered by the run as those of a search are; `data`: `{document, from, to, of}`. A name that no
    document has is an error that tells the nearest ones. Without a name: those of all documents, as many as have room;
    `data`: `{of}`."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        say = partial(_TEXT.say, language=context.language)
        wanted, there = args.get("document"), await knowledge.list(context.owner)
        if not wanted:
            every = sorted(each.name for each in there if each.status != "failed")
            shown = every[: _fitting((len(each) + 2 for each in every), context.room)]
            text = say("all", count=len(every), names="; ".join(shown)) if every else say("none")
            left = len(every) - len(shown)
            return ToolResult(text + (say("more", count=left) if left else ""), data={"of": len(every)})
        found = named(there, wanted)
        if len(found) != 1:
            near = found or nearest(there, wanted)
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
        # One in any case.
        end = begin + max(1, _fitting((len(each.text) for each in passages[begin:]), context.room))
        text = say("read", name=document.name, first=begin + 1, last=end, count=len(passages))
        if end < len(passages):
            text += " " + say("on", next=end + 1)
        data = {"document": document.id, "from": begin + 1, "to": end, "of": len(passages)}
        return ToolResult(text, passages=passages[begin:end], data=data)

    about = (
        "Read a document of the user's from its beginning, or from a passage or page: for a summary, or all of it. "
        "Without a name: which documents there are."
    )
    return Tool(READ, about, _PARAMETERS, run, untrusted=True, beside=SEARCH)


def _fitting(lengths: Iterable[int], room: int) -> int:
    """How many of them, from the first on, have so many characters together."""
    return sum(length <= room for length in accumulate(lengths))
