"""`search_papers`, `search_full_texts`, `papers_named`, `papers_conditions`: find papers in the library by their text,
by what is known of them and by their names."""

from collections.abc import Iterable
from typing import Any

from dure.data.questions.linking import places
from dure.knowledge.sentences import sentences
from dure.packs.papers import TEXTS
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.conditions import conditions as conditions_in
from dure.packs.papers.library.glossary import Glossary
from dure.packs.papers.library.lookup import by_authors
from dure.packs.papers.record import Paper, credit
from dure.sources import Passage
from dure.tooling import Tool, ToolContext, ToolResult, an_object
from dure.toolsets import SEARCH

_MAX_QUERIES = 3
QUERY = 500
"""Characters of one."""
SHOWN = 5
"""Papers of a search that asks for no number."""
MOST = 20
"""Papers of one search, at most."""
_PASSAGES = 2
"""Passages shown of each paper."""
_YEAR = {"type": "integer", "minimum": 1800, "maximum": 2200}
_ARGUMENTS: dict[str, Any] = {
    "queries": {
        "type": "array",
        "items": {"type": "string"},
        "description": "1-3 phrasings of the topic, one in English; none to list by filters alone",
    },
    "year_from": _YEAR,
    "year_to": _YEAR,
    "author": {"type": "string", "description": "a name or its last part"},
    "venue": {"type": "string", "description": "e.g. NeurIPS, ACL"},
    "field": {"type": "string", "description": "e.g. nlp, vision, rl"},
    "tag": {"type": "string", "description": "a tag that the user put on papers"},
    "collection": {"type": "string", "description": "a collection of the user's"},
    "k": {"type": "integer", "minimum": 1, "maximum": MOST, "description": f"how many papers, {SHOWN} if left"},
}
_PARAMETERS = an_object(_ARGUMENTS, *_ARGUMENTS)
WEAKEST, _FILTERED = 0.15, 3
"""Evidence below which papers say nothing about a topic; within filters so much less is enough: of the shipped papers,
topics that they hold had 0.1 and more, others 0.03 at most."""
_FILTERS = ("year_from", "year_to", "author", "venue", "field", "tag", "collection")
_DESCRIPTION = "Search the library of research papers; gives papers with numbered passages."
_FULL_TEXTS = "Search the full texts of the library's papers; gives numbered passages."
_SAYS, _NAMED = 4.0, 2.0
"""By how much it speaks for a question about what a paper says that full texts hold evidence for it (0 to 1), and that
it names one of their papers, or an author of the one that holds most; chosen on messages of strangers."""
_NOTHING = TEXTS.one("tools_search.nothing")
_MOST_NAMED = 12
_NAME = 80
"""Characters of what may be a name."""
_PLAIN = 0.9
"""From this evidence on nearly all of a question stands in a text."""
_TEXT = {"type": "string"}
_NEAR = {"type": "integer", "minimum": 0, "maximum": _MOST_NAMED, "description": "papers it may mean besides"}
_OWN = frozenset({"documents", "name"})
"""Arguments that only code gives."""
_NAMES = an_object({"text": _TEXT, "near": _NEAR, **{each: {"type": "boolean"} for each in _OWN}}, "near", *_OWN)
_NONE = TEXTS.one("tools_named.none")
_CONDITIONS = "Which authors, venues, tags and collections of the library of papers a text names, and which terms."


def search_tool(papers: Papers) -> Tool:
    """The tool. `data`: `{"queries", "filters", "evidence", "papers": [...]}`, each paper as `Paper.as_dict`, with
    `score`. What is found with less evidence than WEAKEST, or a third of it within filters, counts as
    nothing; not so an author's papers."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        queries = [q.strip()[:QUERY] for q in args.get("queries") or [] if q.strip()][:_MAX_QUERIES]
        filters = {name: args[name] for name in _FILTERS if args.get(name) not in (None, "")}
        found = list(await papers.search(context.owner, queries, args.get("k", SHOWN), **filters))
        evidence = max((each.evidence for each in found), default=0.0)
        data: dict[str, Any] = {"queries": queries, "filters": filters, "evidence": round(evidence, 3), "papers": []}
        least = 0.0 if "author" in filters or not queries else WEAKEST / (_FILTERED if filters else 1)
        if not found or evidence < least:
            return ToolResult(_NOTHING[context.language], data=data)
        data["papers"] = [{**each.paper.as_dict(), "score": round(each.score, 4)} for each in found]
        passages = [passage for each in found for passage in each.passages[:_PASSAGES]]
        lines = [] if queries else [line(each.paper) for each in found]
        return ToolResult("\n".join(lines), passages=passages, data=data)

    return Tool("search_papers", _DESCRIPTION, _PARAMETERS, run, untrusted=True)


def full_texts_tool(papers: Papers) -> Tool:
    """`search_full_texts` {queries}: the passages of papers whose whole text is here that say most about a question.
    `data`: `{"evidence", "odds"}`, the latter by how much (logarithm of the odds) it speaks for a question about what
    such a paper says."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        queries = [q.strip()[:QUERY] for q in args["queries"] if q.strip()][:_MAX_QUERIES]
        found = list(await papers.search(context.owner, queries, SHOWN, full_text=True)) if queries else []
        asked, evidence, named = " / ".join(queries), 0.0, False
        if found:
            evidence, best = found[0].evidence, found[0].paper.id
            named = any(each.full_text_id for each in await papers.resolve(context.owner, asked))
            if not named:
                theirs = await papers.read(by_authors, context.owner, asked, _MOST_NAMED)
                named = any(each.id == best for each in theirs)
        data = {"evidence": round(evidence, 3), "odds": round(_SAYS * evidence + _NAMED * named, 3)}
        text = "" if found else _NOTHING[context.language]
        return ToolResult(text, passages=[passage for each in found for passage in each.passages], data=data)

    parameters = an_object({"queries": _ARGUMENTS["queries"]})
    return Tool("search_full_texts", _FULL_TEXTS, parameters, run, untrusted=True, beside=SEARCH, there=papers.any_read)


def named_tools(papers: Papers, glossary: Glossary) -> list[Tool]:
    """`papers_named` {text, near?; for code: documents?, name?}: `papers` whose title, short name, arXiv id or DOI it
    holds, in its order, or of which it is but a `name` (`Papers.meant`); with `near` as many that it may mean, by their
    authors or by what they say, `told`: that whose whole text holds nearly all of it, if any, and `holding`: those
    found whose whole text holds it word for word, each with the `line` that does; with `documents` the names of PDFs
    among the documents alone that it names (`Papers.under_documents`). `papers_conditions` {text}: `author`, `venue`,
    `tag`, `collection` and `terms`: authors as they stand in it, terms in Korean and English."""

    async def named(args: dict[str, Any], context: ToolContext) -> ToolResult:
        text: str = args["text"]
        if args.get("documents"):
            return ToolResult("", data={"documents": list(await papers.under_documents(context.owner, text))})
        folded = text.casefold()
        look = papers.meant if args.get("name") else papers.resolve
        found = (await look(context.owner, text))[:_MOST_NAMED]

        def place(paper: Any) -> int:
            names = [paper.title, *paper.aliases, paper.arxiv_id, paper.doi]
            places = [folded.find(name.casefold()) for name in names if name]
            return min((at for at in places if at >= 0), default=len(folded))

        found.sort(key=place)
        most = args.get("near")
        near = await papers.near(context.owner, text, most) if most else []
        told = await papers.search(context.owner, [text], most, full_text=True) if most else []
        lines = [f"- {paper.title} ({paper.year or '?'}): {paper.id}" for paper in [*found, *near]]
        data = {"papers": [paper.as_dict() for paper in found], "near": [paper.as_dict() for paper in near]}
        data["told"] = [each.paper.as_dict() for each in told[:1] if each.evidence >= _PLAIN]
        if most:
            held = [(each.paper, line_with(text, each.passages)) for each in told if len(text) <= _NAME]
            data["holding"] = [{**paper.as_dict(), "line": line} for paper, line in held if line]
        return ToolResult("\n".join(lines) or _NONE[context.language], data=data)

    async def conditions(args: dict[str, Any], context: ToolContext) -> ToolResult:
        found = await papers.read(conditions_in, context.owner, args["text"])
        lines = [f"- {name}: {', '.join(values)}" for name, values in found.items() if values]
        looked = await glossary.lookup(context.owner, args["text"])
        terms = [[each.term_ko, each.term_en] for each in looked.terms]
        return ToolResult("\n".join(lines), data={**found, "terms": terms})

    return [
        Tool("papers_named", "Which papers of the library a text names.", _NAMES, named, own=_OWN),
        Tool("papers_conditions", _CONDITIONS, an_object({"text": _TEXT}), conditions),
    ]


def line_with(text: str, passages: Iterable[Passage]) -> str:
    """The first sentence or row of the passages that holds a text as a word or words of its own; empty where none
    does."""
    lines = (each.text[start:end] for each in passages for start, end in sentences(each.text))
    return next((" ".join(found.split()) for found in lines if any(places(text, found))), "")


def line(paper: Paper) -> str:
    """A paper in one line, for models."""
    return f"- {paper.title} — {credit(paper.as_dict())} {paper.link or ''} id: {paper.id}"
