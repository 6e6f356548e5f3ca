"""The owner's documents: `search_knowledge_base` finds passages, `read_document` reads one passage after passage."""

from collections.abc import Iterable
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dure.knowledge.called import named, nearest
from dure.storage.only import Only
from dure.texts import TEXTS
from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.knowledge.base import Knowledge

SEARCH = "search_knowledge_base"
READ = "read_document"
_COUNT = 6
_MAX_QUERIES = 3
_MAX_QUERY_CHARS = 500

_SEARCHED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "queries": {
            "type": "array",
            "items": {"type": "string"},
            "description": "1-3: a question's phrasings, one in the documents' language; or several questions",
        },
        "count": {"type": "integer", "minimum": 1, "maximum": 20, "description": "6 without it"},
        "kind": {"type": "string", "description": "pdf, xlsx, hwp, …"},
        "folder": {"type": "string"},
        "tag": {"type": "string"},
        "author": {"type": "string"},
    },
    "required": ["queries"],
}

_READ: dict[str, Any] = {
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

_FOUND = TEXTS["toolsets_knowledge.text"]
_TOLD = TEXTS["toolsets_reading.text"]


def knowledge_tool(knowledge: "Knowledge") -> Tool:
    """The search tool over `knowledge`; six passages a call unless it asks for another count, best first.

    The result's `passages` are numbered by the run, which may have found others before; `data` holds the queries,
    how strong the evidence is (0 to 1) and what each arm found, for the record, and `unembedded`: of how many documents
    the vectors are still being made.
    """

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        queries = [each.strip()[:_MAX_QUERY_CHARS] for each in args["queries"] if each.strip()][:_MAX_QUERIES]
        if not queries:
            return ToolResult(_FOUND["nothing"][context.language].format(queries="–"))
        given = {name: args[name].strip() for name in ("kind", "folder", "tag", "author") if args.get(name, "").strip()}
        only = Only(**given | ({"kind": given["kind"].lower()} if "kind" in given else {}))
        count = args.get("count") or _COUNT
        # What was shown is found again for its number, and takes no place of others.
        most = count + min(count, len(context.shown))
        found, text = await knowledge.search(context.owner, queries, most, only), ""
        narrowed = ", ".join(f"{name}: {value}" for name, value in given.items())
        if given and not found.passages:
            # Small models name a folder or an author where nobody did: what there is elsewhere is told as such.
            found = await knowledge.search(context.owner, queries, most)
            text = _FOUND["elsewhere"][context.language].format(narrowed=narrowed)
        found = found.beyond(context.shown, count)
        data = {"queries": queries, "evidence": found.evidence, "arms": found.arms}
        if unembedded := await knowledge.unembedded(context.owner):
            data["unembedded"] = unembedded
        if found.passages:
            return ToolResult(text, passages=found.passages, data=data)
        documents = await knowledge.list(context.owner)
        if not documents:
            return ToolResult(_FOUND["empty"][context.language], data=data)
        text = _FOUND["nothing"][context.language].format(queries=", ".join(filter(None, [*queries, narrowed])))
        if pending := sum(each.status in ("queued", "indexing") for each in documents):
            text += " " + _FOUND["pending"][context.language].format(count=pending)
        if unembedded:
            text += " " + _FOUND["unembedded"][context.language].format(count=unembedded)
        return ToolResult(text, data=data)

    about = "Search the user's documents; gives numbered passages. Filters only as the user names them."
    return Tool(SEARCH, about, _SEARCHED, run, untrusted=True, languages=knowledge.languages)


def reading_tool(knowledge: "Knowledge") -> Tool:
    """The tool over `knowledge`: as many passages in order as have room in `context.room` characters, and how to go on.

    The passages are numbered by the run as those of a search are; `data`: `{document, from, to, of}`. A name that no
    document has is an error that tells the nearest ones. Without a name: those of all documents, as many as have room;
    `data`: `{of}`."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        say = partial(_TOLD.say, language=context.language)
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
    return Tool(READ, about, _READ, run, untrusted=True, beside=SEARCH)


def _fitting(lengths: Iterable[int], room: int) -> int:
    """How many of them, from the first on, have so many characters together."""
    return sum(length <= room for length in accumulate(lengths))
