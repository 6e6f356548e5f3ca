"""`lookup_term` and `add_term`: the glossary."""

from dataclasses import asdict
from typing import Any

from dure.packs.papers import TEXTS
from dure.packs.papers.library.glossary import Glossary, Term
from dure.tooling import Tool, ToolContext, ToolResult, an_object

_TEXT = TEXTS["tools_glossary.text"]

_LOOKUP = an_object({"term": {"type": "string", "maxLength": 4000, "description": "a term, or a text that holds some"}})
_NAME = {"type": "string", "maxLength": 200}
_DEFINITION = {"type": "string", "maxLength": 4000}
_ADDED: dict[str, Any] = {
    "term_ko": {**_NAME, "description": TEXTS.phrase("tools_glossary.form.term_ko")},
    "term_en": {**_NAME, "description": TEXTS.phrase("tools_glossary.form.term_en")},
    "aliases": {"type": "array", "items": _NAME, "maxItems": 30},
    "field": {"type": "string", "maxLength": 64, "description": TEXTS.phrase("tools_glossary.form.field")},
    "easy_ko": {**_DEFINITION, "description": TEXTS.phrase("tools_glossary.form.easy_ko")},
    "easy_en": {**_DEFINITION, "description": TEXTS.phrase("tools_glossary.form.easy_en")},
    "expert_ko": {**_DEFINITION, "description": TEXTS.phrase("tools_glossary.form.expert_ko")},
    "expert_en": {**_DEFINITION, "description": TEXTS.phrase("tools_glossary.form.expert_en")},
}
_ADD = an_object(_ADDED, *_ADDED)


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
            lines.append(_TEXT.say("misspelled", language, asked=asked))
        if not shown:
            lines.append(_TEXT.say("missing", language, asked=asked))
        lines += [each.entry(language, "easy", "expert") for each in shown]
        if others:
            lines.append(_TEXT.say("near", language, names=", ".join(each.name(language) for each in others)))
        return ToolResult("\n\n".join(lines), data=asdict(found))

    async def add(args: dict[str, Any], context: ToolContext) -> ToolResult:
        term = await glossary.add(context.owner, Term(**args))
        text = _TEXT.say("added", context.language, term=term.name(context.language))
        return ToolResult(text, data={"term": term.as_dict()})

    what = "What a term of AI papers means, from the glossary: in plain words and for experts."
    return [
        Tool("lookup_term", what, _LOOKUP, lookup),
        Tool("add_term", "Add a term to the user's glossary.", _ADD, add, effect="write"),
    ]
