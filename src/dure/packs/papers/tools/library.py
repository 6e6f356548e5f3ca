"""All tools over the library of papers and the glossary; here those that change them, and `lookup_term`."""

from dataclasses import asdict
from typing import Any

from dure.data.sandbox import Sandbox
from dure.errors import ToolInputError
from dure.pack import Parts
from dure.packs.papers import TEXTS
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import MOST, Glossary, Term
from dure.packs.papers.storage.library import shelves
from dure.packs.papers.storage.marks import NAME, NOTE
from dure.packs.papers.tools.read import read_tool
from dure.packs.papers.tools.save import save_tool, saved_tool
from dure.packs.papers.tools.search import full_texts_tool, named_tools, search_tool
from dure.packs.papers.tools.sql import statistics_tool
from dure.tooling import Tool, ToolContext, ToolResult, an_object
from dure.toolsets import Tools

_TERMS, _MARKS = TEXTS["tools_glossary.text"], TEXTS["tools_marks.text"]
_TERM, _FORM = "tools_glossary.form", "tools_marks.form"
_LOOKUP = an_object({"term": {"type": "string", "maxLength": 4000, "description": "a term, or a text that holds some"}})
_NAME = {"type": "string", "maxLength": MOST["term_en"]}
_ALIASES = {"type": "array", "items": _NAME, "maxItems": MOST["aliases"]}
_ADDED: dict[str, Any] = {
    name: _ALIASES
    if name == "aliases"
    else {"type": "string", "maxLength": most, "description": TEXTS.phrase(f"{_TERM}.{name}")}
    for name, most in MOST.items()
}
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": NAME}}
_GIVEN: dict[str, Any] = {
    "papers": {**_NAMES, "minItems": 1, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.papers")},
    "tags": {**_NAMES, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.tags")},
    "untag": {**_NAMES, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.untag")},
    "note": {"type": "string", "maxLength": NOTE, "description": TEXTS.phrase(f"{_FORM}.note")},
}


def open_library(parts: Parts) -> "LibraryTools":
    """The tools over the papers and the glossary of `parts`."""
    papers = Papers(parts.database, parts.knowledge)
    parts.closing(papers.close)
    parts.knowledge.share(shelves)
    sandbox = Sandbox()
    parts.closing(sandbox.close)
    return LibraryTools(papers, Glossary(parts.database), sandbox)


class LibraryTools(Tools):
    """The tools over `papers` and `glossary`. Statistics run in processes of the sandbox."""

    def __init__(self, papers: Papers, glossary: Glossary, sandbox: Sandbox) -> None:
        self.papers = papers
        self.glossary = glossary
        reading = [search_tool(papers), full_texts_tool(papers), read_tool(papers), *named_tools(papers, glossary)]
        counting = statistics_tool(papers, sandbox)
        super().__init__([*reading, counting, save_tool(), saved_tool(), *glossary_tools(glossary), marks_tool(papers)])


def glossary_tools(glossary: Glossary) -> list[Tool]:
    """`lookup_term` {term} and `add_term` {term_ko, …}. Adding is a write: a person is asked first.

    Their `data`: {"terms": […], "near": […], "misspelled": bool} with all definitions in both languages, `terms` those
    that are named, `misspelled` whether the first of `near` is spelled nearly like what was asked; {"term": …}.
    """

    async def lookup(args: dict[str, Any], context: ToolContext) -> ToolResult:
        asked: str = args["term"].strip()
        found = await glossary.lookup(context.owner, asked)
        language = context.language
        # A wrong letter is no reason to leave the question unanswered; what else is near is only named.
        shown, others = found.terms, found.near
        lines = []
        if not shown and found.misspelled:
            shown, others = others[:1], others[1:]
            lines.append(_TERMS.say("misspelled", language, asked=asked))
        if not shown:
            lines.append(_TERMS.say("missing", language, asked=asked))
        lines += [each.entry(language, "easy", "expert") for each in shown]
        if others:
            lines.append(_TERMS.say("near", language, names=", ".join(each.name(language) for each in others)))
        return ToolResult("\n\n".join(lines), data=asdict(found))

    async def add(args: dict[str, Any], context: ToolContext) -> ToolResult:
        term = await glossary.add(context.owner, Term(**args))
        text = _TERMS.say("added", context.language, term=term.name(context.language))
        return ToolResult(text, data={"term": term.as_dict()})

    what = "What a term of AI papers means, from the glossary: in plain words and for experts."
    return [
        Tool("lookup_term", what, _LOOKUP, lookup),
        Tool("add_term", "Add a term to the user's glossary.", an_object(_ADDED, *_ADDED), add, effect="write"),
    ]


def marks_tool(papers: Papers) -> Tool:
    """The tool `mark_papers` {papers, tags?, untag?, note?}. A write: a person is asked first. Data: `{"papers": […]}`
    as they are then. A name that no paper has, or several have, changes nothing at all."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        owner, note, ids = context.owner, args.get("note", "").strip(), dict[str, str]()
        for name in args["papers"]:
            found = await papers.meant(owner, name)
            if len(found) != 1:
                titles = "; ".join(each.title for each in found[:5]) or "-"
                raise ToolInputError(**TEXTS.one("tools_marks.text.unclear").filled(name=name, titles=titles))
            ids[found[0].id] = found[0].title
        for id in ids:
            await papers.mark(owner, id, "tag", add=args.get("tags", ()), drop=args.get("untag", ()))
            if note:
                await papers.note(owner, id, note)
        marked = [await papers.get(owner, id) for id in ids]
        lines = [
            _MARKS.say("marked", context.language, title=each.title, tags=", ".join(each.tags) or "-",
                      notes=" / ".join(text for _, text in each.notes) or "-")
            for each in marked
        ]  # fmt: skip
        return ToolResult("\n".join(lines), data={"papers": [each.as_dict() for each in marked]})

    what = "Put the user's own tags or a note on papers of the library, or take tags off."
    return Tool("mark_papers", what, an_object(_GIVEN, "tags", "untag", "note"), run, effect="write")
