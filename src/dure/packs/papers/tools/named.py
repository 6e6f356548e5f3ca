"""`papers_named`: which papers of the library a text names."""

from typing import TYPE_CHECKING, Any

from dure.packs.papers.texts import TEXTS
from dure.packs.papers.tools.search import public
from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.packs.papers.library import Papers

_MOST = 12
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "near": {"type": "integer", "minimum": 0, "maximum": _MOST, "description": "papers it may mean besides"},
    },
    "required": ["text"],
    "additionalProperties": False,
}
_NONE = TEXTS.one("tools_named.none")


def named_tool(papers: "Papers") -> Tool:
    """The tool `papers_named` {text, near?}: papers whose title, short name, arXiv id or DOI it holds, in its order;
    with `near` as many that it may mean, by their authors or by what they say."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        text: str = args["text"]
        folded = text.casefold()
        found = (await papers.resolve(context.owner, text))[:_MOST]

        def place(paper: Any) -> int:
            names = [paper.title, *paper.aliases, paper.arxiv_id, paper.doi]
            places = [folded.find(name.casefold()) for name in names if name]
            return min((at for at in places if at >= 0), default=len(folded))

        found.sort(key=place)
        near = await papers.near(context.owner, text, args["near"]) if args.get("near") else []
        lines = [f"- {paper.title} ({paper.year or '?'}): {paper.id}" for paper in [*found, *near]]
        data = {"papers": list(map(public, found)), "near": list(map(public, near))}
        return ToolResult("\n".join(lines) or _NONE[context.language], data=data)

    return Tool("papers_named", "Which papers of the library a text names.", _PARAMETERS, run)
