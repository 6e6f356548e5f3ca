"""`read_paper`: a paper's card, its sections, or one section of its full text."""

from typing import TYPE_CHECKING, Any

from dure.errors import Language, NotFound, ToolInputError
from dure.packs.papers.texts import TEXTS
from dure.packs.papers.tools.search import line, public
from dure.sources import Passage
from dure.tooling import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from dure.packs.papers.library import Paper, Papers, Section

_PIECE = 2_000
"""Characters of a passage: what a citation points into."""
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "paper": {"type": "string", "description": "its id, title, short name, arXiv id or DOI"},
        "section": {"type": "string", "description": "a section's title; without it, what the paper is and has"},
    },
    "required": ["paper"],
    "additionalProperties": False,
}
_DESCRIPTION = "Read a paper of the library: what is known of it and its sections, or the text of one section."
_TEXT = TEXTS["tools_read.text"]


def read_tool(papers: "Papers") -> Tool:
    """The tool `read_paper` {paper, section?}. `data`: `{"paper", "full", "sections": [titles]}`; the text comes as
    passages that can be cited. Without `section`: the card, or the names of the full text's sections."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        language = context.language
        paper = await _found(papers, context.owner, args["paper"], language)
        text = await papers.text(context.owner, paper.id)
        titles = [section.title for section in text.sections]
        data = {"paper": public(paper), "full": text.full, "sections": titles if text.full else []}
        wanted = args.get("section")
        if not wanted:
            told = _say("sections", language, titles=" / ".join(titles)) if text.full else _say("card", language)
            passages = [] if text.full else [p for section in text.sections for p in _pieces(paper, section)]
            return ToolResult(f"{line(paper)}\n{told}", passages=passages, data=data)
        sections = [s for s in text.sections if s.title == wanted] or [
            s for s in text.sections if wanted.casefold() in s.title.casefold()
        ]
        if not sections:
            titles_told = " / ".join(titles)
            raise ToolInputError(
                **{lang: _say("no_section", lang, section=wanted, titles=titles_told) for lang in ("ko", "en")}
            )
        return ToolResult("", passages=[p for section in sections for p in _pieces(paper, section)], data=data)

    return Tool("read_paper", _DESCRIPTION, _PARAMETERS, run, untrusted=True)


async def _found(papers: "Papers", owner: str, named: str, language: Language) -> "Paper":
    try:
        return await papers.get(owner, named)
    except NotFound:
        found = await papers.resolve(owner, named)
    if not found:
        raise ToolInputError(**{lang: _say("unknown", lang, paper=named[:200]) for lang in ("ko", "en")})
    if len(found) > 1 and found[0].title.casefold() not in named.casefold():
        titles = " / ".join(f"{p.title} ({p.id})" for p in found[:5])
        raise ToolInputError(**{lang: _say("several", lang, paper=named[:200], titles=titles) for lang in ("ko", "en")})
    return found[0]


def _pieces(paper: "Paper", section: "Section") -> list[Passage]:
    """The section as passages of at most `_PIECE` characters, cut at ends of lines or sentences where there are any."""
    pieces, at, text = [], 0, section.text
    while at < len(text):
        end = min(at + _PIECE, len(text))
        if end < len(text):
            cut = max(text.rfind("\n", at + _PIECE // 2, end), text.rfind(". ", at + _PIECE // 2, end))
            end = cut + 1 if cut > 0 else end
        start = section.start + at
        pieces.append(Passage(section.document_id, paper.title, section.page, start, section.start + end, text[at:end]))
        at = end
    return pieces


def _say(key: str, language: Language, **values: str) -> str:
    return _TEXT[key][language].format(**values)
