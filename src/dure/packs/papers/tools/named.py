"""`papers_named` and `papers_conditions`: which papers a text names, and what of it can be a condition on papers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dure.packs.papers import TEXTS
from dure.packs.papers.library.conditions import conditions as conditions_in
from dure.tooling import Tool, ToolContext, ToolResult, an_object

if TYPE_CHECKING:
    from dure.packs.papers.library.base import Papers
    from dure.packs.papers.library.glossary import Glossary
    from dure.packs.papers.record import FoundPaper, Paper

_MOST = 12
_PLAIN = 0.9
"""From this evidence on nearly all of a question stands in a text."""
_TEXT = {"type": "string"}
_NEAR = {"type": "integer", "minimum": 0, "maximum": _MOST, "description": "papers it may mean besides"}
_PARAMETERS = an_object({"text": _TEXT, "near": _NEAR}, "near")
_NONE = TEXTS.one("tools_named.none")
_WHAT = "Which authors, venues, tags and collections of the library of papers a text names, and which terms."


def named_tools(papers: "Papers", glossary: "Glossary") -> list[Tool]:
    """`papers_named` {text, near?}: `papers` whose title, short name, arXiv id or DOI it holds, in its order; with
    `near` as many that it may mean, by their authors or by what they say, and `told`: that whose whole text holds
    nearly all of it, if any. `papers_conditions` {text}: `author`, `venue`, `tag`, `collection` and `terms`: authors as
    they stand in it, terms in Korean and English."""

    async def named(args: dict[str, Any], context: ToolContext) -> ToolResult:
        text: str = args["text"]
        folded = text.casefold()
        found = (await papers.resolve(context.owner, text))[:_MOST]

        def place(paper: Any) -> int:
            names = [paper.title, *paper.aliases, paper.arxiv_id, paper.doi]
            places = [folded.find(name.casefold()) for name in names if name]
            return min((at for at in places if at >= 0), default=len(folded))

        found.sort(key=place)
        near: Sequence[Paper] = []
        told: Sequence[FoundPaper] = []
        if args.get("near"):
            near = await papers.near(context.owner, text, args["near"])
            told = await papers.search(context.owner, [text], 1, full_text=True)
        lines = [f"- {paper.title} ({paper.year or '?'}): {paper.id}" for paper in [*found, *near]]
        data = {"papers": [paper.as_dict() for paper in found], "near": [paper.as_dict() for paper in near]}
        data["told"] = [each.paper.as_dict() for each in told if each.evidence >= _PLAIN]
        return ToolResult("\n".join(lines) or _NONE[context.language], data=data)

    async def conditions(args: dict[str, Any], context: ToolContext) -> ToolResult:
        found = await papers.read(conditions_in, context.owner, args["text"])
        lines = [f"- {name}: {', '.join(values)}" for name, values in found.items() if values]
        looked = await glossary.lookup(context.owner, args["text"])
        terms = [[each.term_ko, each.term_en] for each in looked.terms]
        return ToolResult("\n".join(lines), data={**found, "terms": terms})

    return [
        Tool("papers_named", "Which papers of the library a text names.", _PARAMETERS, named),
        Tool("papers_conditions", _WHAT, an_object({"text": _TEXT}), conditions),
    ]
