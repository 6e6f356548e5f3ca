"""`papers_conditions`: what of a text can be a condition on papers."""

from typing import TYPE_CHECKING, Any

from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.packs.papers.library import Glossary, Papers

_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
_DESCRIPTION = "Which authors, venues, tags and collections of the library of papers a text names, and which terms."


def conditions_tool(papers: "Papers", glossary: "Glossary") -> Tool:
    """The tool `papers_conditions` {text}. `data`: `author`, `venue`, `tag`, `collection` and `terms`, each a list:
    authors as they stand in it, terms in Korean and English."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        found = await papers.conditions(context.owner, args["text"])
        lines = [f"- {name}: {', '.join(values)}" for name, values in found.items() if values]
        looked = await glossary.lookup(context.owner, args["text"])
        terms = [[each.term_ko, each.term_en] for each in looked.terms]
        return ToolResult("\n".join(lines), data={**found, "terms": terms})

    return Tool("papers_conditions", _DESCRIPTION, _PARAMETERS, run)
