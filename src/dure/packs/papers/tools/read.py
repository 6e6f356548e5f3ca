"""`read_paper`: a paper's card, its sections, or one section of its full text."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dure.errors import ToolInputError
from dure.knowledge.sentences import cut_at
from dure.knowledge.split import sentence_end
from dure.packs.papers import TEXTS
from dure.packs.papers.library import lookup
from dure.packs.papers.library.base import Papers
from dure.packs.papers.record import Paper
from dure.packs.papers.tools.save import FORMATS
from dure.packs.papers.tools.search import line
from dure.sources import Passage
from dure.tooling import Tool, ToolContext, ToolResult, an_object

_PIECE = 2_000
"""Characters of a passage: what a citation points into."""
_STOPS = " .:—-\n"
"""Around a heading, which is called without them."""
_WHOLE = 200_000
"""Characters of a text that is read in one call."""
_OWN = {"whole": {"type": "boolean", "description": "for code: all sections at once, where they are no book"}}
_PARAMETERS = an_object(
    {
        "paper": {"type": "string", "description": "its id, title, short name, arXiv id or DOI"},
        "section": {"type": "string", "description": "a section's title; without it, what the paper is and has"},
        "question": {"type": "string", "description": "what is looked for in it, instead of a section"},
        "passages": {"type": "integer", "minimum": 1, "description": "for a question: at most how many; 12 without it"},
        **_OWN,
    },
    "section",
    "question",
    "passages",
    *_OWN,
)
_DESCRIPTION = "Read a paper of the library: what is known of it and its sections, or the text of one section."
_MOST = 12
"""Passages that are nearest to a question, where no number is given."""
_ABBREVIATION = re.compile(r"(?<![A-Za-z0-9-])([A-Z]{2,})s?(?![A-Za-z0-9-])")
_TEXT = TEXTS["tools_read.text"]


def read_tool(papers: Papers) -> Tool:
    """The tool `read_paper` {paper, section?, question?, passages?; for code: whole?}. `data`: `{"paper", "full",
    "sections": [titles], "cited_by": [papers], "cites": [papers]}`, both of the library; the text comes as passages
    that can be cited. With `question` the nearest passages, best first, and `absent`: abbreviations of the question
    that stand nowhere in the paper. Without either: the card, or the names of the full text's sections; with `whole`
    all of these that `_WHOLE` characters hold, and `within`: the section of each passage."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        language = context.language
        paper = await _found(papers, context.owner, args["paper"])
        if asked := args.get("question"):
            found, whole, full = await papers.within(context.owner, paper.id, asked, args.get("passages") or _MOST)
            held = {"paper": paper.as_dict(), "full": full, "absent": _absent(asked, whole)}
            return ToolResult("", passages=list(found), data=held)
        text = await papers.text(context.owner, paper.id)
        titles = [section.title for section in text.sections]
        held = {
            "paper": paper.as_dict(),
            "full": text.full,
            "sections": titles if text.full else [],
            **{
                of.__name__: [each.as_dict() for each in await papers.read(of, context.owner, paper.id)]
                for of in (lookup.cited_by, lookup.cites)
            },
        }
        sections, said, at_once = text.sections, "", False
        if wanted := args.get("section"):
            sections = [s for s in text.sections if s.title == wanted]
            sections = sections or [s for s in text.sections if wanted.casefold() in s.title.casefold()]
            if not sections:
                raise ToolInputError(**_TEXT["no_section"].filled(section=wanted, titles=" / ".join(titles)))
        else:
            at_once = bool(text.full and args.get("whole") and sum(len(s.text) for s in sections) <= _WHOLE)
            told = _TEXT.say("sections" if text.full else "card", language, titles=" / ".join(titles))
            sections = [] if text.full and not at_once else sections
            said = line(paper) if at_once else f"{line(paper)}\n{told}"
        pieces = [(section.title, piece) for section in sections for piece in _pieces(paper, section, text.pages)]
        within = {"within": [title for title, _ in pieces]} if at_once else {}
        return ToolResult(said, passages=[piece for _, piece in pieces], data=held | within)

    return Tool("read_paper", _DESCRIPTION, _PARAMETERS, run, own=frozenset(_OWN), untrusted=True)


async def _found(papers: Papers, owner: str, named: str) -> Paper:
    found = await papers.meant(owner, named)
    if not found:
        raise ToolInputError(**_TEXT["unknown"].filled(paper=named[:200]))
    if len(found) > 1 and found[0].title.casefold() not in named.casefold():
        titles = " / ".join(f"{p.title} ({p.id})" for p in found[:5])
        raise ToolInputError(**_TEXT["several"].filled(paper=named[:200], titles=titles))
    return found[0]


def _absent(question: str, text: str) -> list[str]:
    """Abbreviations and names of measures in a question (`MAE`, `MRR@10`) that nowhere stand in a text. They are the
    same in all languages; names of files that are asked for are none."""
    if question.isupper():
        return []
    found = dict.fromkeys(match[1] for match in _ABBREVIATION.finditer(question) if match[1].lower() not in FORMATS)
    return [each for each in found if not re.search(rf"(?<![A-Za-z]){each}s?(?![A-Za-z])", text)]


def _pieces(paper: Paper, section: Passage, pages: Sequence[tuple[int | None, int]]) -> list[Passage]:
    """The section as passages of at most `_PIECE` characters, cut at ends of lines or sentences where there are any,
    and behind the last sentence that begins on a page; each with the page of its first character. A heading goes with
    what stands below it."""
    text, spans, at, page = section.text, list[tuple[int, int, int | None]](), 0, section.page
    for number, start in pages:
        if not at < (begin := start - section.start) < len(text):
            continue
        if text[at:begin].strip(_STOPS) != section.title.strip(_STOPS):
            end = sentence_end(text, at, begin)
            spans.append((at, end, page))
            at = end
        page = number
    pieces = []
    for first, last, of in [*spans, (at, len(text), page)]:
        at = first
        while at < last:
            end = min(cut_at(text, at, _PIECE), last)
            piece = replace(section, title=paper.title, page=of, text=text[at:end])
            pieces.append(replace(piece, start=section.start + at, end=section.start + end))
            at = end
    return pieces
