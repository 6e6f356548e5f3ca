"""`search_knowledge_base`: finds passages in the owner's documents."""

from typing import TYPE_CHECKING, Any

from dure.storage.only import Only
from dure.texts import TEXTS
from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.knowledge.base import Knowledge

SEARCH = "search_knowledge_base"
_MAX_QUERIES = 3
_MAX_QUERY_CHARS = 500

_PARAMETERS: dict[str, Any] = {
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

_TEXT = TEXTS["toolsets_knowledge.text"]


def knowledge_tool(knowledge: "Knowledge", *, k: int = 6) -> Tool:
    """The search tool over `knowledge`; `k` passages a call unless it asks for another count, best first.

    The result's `passages` are numbered by the run, which may have found others before; `data` holds the queries,
    how strong the evidence is (0 to 1) and what each arm found, for the record, and `unembedded`: of how many documents
    the vectors are still being made.
    """

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        queries = [each.strip()[:_MAX_QUERY_CHARS] for each in args["queries"] if each.strip()][:_MAX_QUERIES]
        if not queries:
            return ToolResult(_TEXT["nothing"][context.language].format(queries="–"))
        given = {name: args[name].strip() for name in ("kind", "folder", "tag", "author") if args.get(name, "").strip()}
        only = Only(**given | ({"kind": given["kind"].lower()} if "kind" in given else {}))
        found, text = await knowledge.search(context.owner, queries, args.get("count") or k, only), ""
        narrowed = ", ".join(f"{name}: {value}" for name, value in given.items())
        if given and not found.passages:
            # Small models name a folder or an author where nobody did: what there is elsewhere is told as such.
            found = await knowledge.search(context.owner, queries, args.get("count") or k)
            text = _TEXT["elsewhere"][context.language].format(narrowed=narrowed)
        data = {"queries": queries, "evidence": found.evidence, "arms": found.arms}
        if unembedded := await knowledge.unembedded(context.owner):
            data["unembedded"] = unembedded
        if found.passages:
            return ToolResult(text, passages=found.passages, data=data)
        documents = await knowledge.list(context.owner)
        if not documents:
            return ToolResult(_TEXT["empty"][context.language], data=data)
        text = _TEXT["nothing"][context.language].format(queries=", ".join(filter(None, [*queries, narrowed])))
        if pending := sum(each.status in ("queued", "indexing") for each in documents):
            text += " " + _TEXT["pending"][context.language].format(count=pending)
        if unembedded:
            text += " " + _TEXT["unembedded"][context.language].format(count=unembedded)
        return ToolResult(text, data=data)

    about = "Search the user's documents; gives numbered passages. Filters only as the user names them."
    return Tool(SEARCH, about, _PARAMETERS, run, untrusted=True, languages=knowledge.languages)
