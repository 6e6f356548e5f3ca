"""`summarize`: papers from their full texts where they are there, each on its own or compared, or a text.

Passages keep their numbers all the way through notes on parts of them, so that the summary cites the very places. What
could not be read is said.
"""

import re
from dataclasses import dataclass
from typing import Any

from dure.agents.prompts import NO_ANSWER
from dure.packs.papers.stages.known import NAMED, Known, look, named_in
from dure.packs.papers.stages.papers import TOOL as SEARCH
from dure.packs.papers.stages.papers import credit, found_in
from dure.packs.papers.stages.pointing import compares, count, several
from dure.packs.papers.stages.reading import Fitted, fit, question
from dure.packs.papers.stages.texts import text
from dure.sources import Passage
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Paper, Stage

READ = "read_paper"
_MOST = 10
"""Papers of one answer."""
_SOME = 4
"""Papers that are taken of those found where several are asked for."""
_BESIDES = re.compile(r"references|bibliography|acknowledge?ment|appendi|참고\s?문헌|부록|감사", re.IGNORECASE)
"""Sections that a summary needs not."""
_NAME = re.compile(r"(?<![\w.-])[A-Z][\w+]*(?:-[\w+]+)*", re.ASCII)
_NO_NAMES = {"a", "i", "ai", "nlp", "llm", "ml", "gpu", "pdf", "csv", "json", "docx", "txt", "sql", "korean", "english"}
"""Words that begin with a capital and name no paper."""
_SOURCED = "Use only what stands in the text, cite its passages as [1]."
_SUMMARY = f"Summarise the paper for the message: the problem, the idea, how it was tested, what came out. {_SOURCED}"
_ONE_OF = f"{_SUMMARY} Others are summarised elsewhere: write of this paper alone, without its title."
_COMPARISON = f"Compare the papers for the message: what each does, what they share, where they differ. {_SOURCED}"
_GIVEN = "Summarise the text for the message, as it asks. Add nothing of your own."
_RESULTS = "Summarise the results for the message. Keep marks such as [1]."


@dataclass(slots=True)
class _Read:
    """What could be read of a paper."""

    paper: Paper
    full: bool
    passages: list[Passage]

    @property
    def title(self) -> str:
        return str(self.paper["title"])


async def summarize(stage: Stage) -> Done:
    """Find out what is meant, read it, write."""
    run, known = stage.run, stage.known
    stage.whole, stage.kept = True, stage.before(papers=False)
    papers = _of_found(stage)
    if not papers and not known.settled:
        if known.given:
            return await _text(stage, _GIVEN, known.text)
        papers = await _in_tables(stage)
        if not papers and stage.before():
            stage.kept = ""
            return await _text(stage, _RESULTS, stage.before())
    if not papers:
        if not known.settled and NAMED in run.tools:
            known = await look(run)
        if known.settled and not known.meant():
            listed = len(known.listed or known.earlier)
            return stage.done(text("no_place" if listed else "no_list", run.language, count=listed))
        # One that the library does not have is not replaced by another.
        searched = known.meant() or await _searched(stage)
        if searched is None:
            return stage.waiting()
        papers = searched
    read = [await _read(stage, paper) for paper in papers[:_MOST]]
    texts = [each for each in read if each is not None and each.passages]
    if any(each is None for each in read):
        return stage.waiting()
    if not texts:
        return stage.nothing(text("no_paper", run.language))
    missing = [each.title for each in read if each is not None and not each.passages]
    notes = _left_out(stage, texts, [*missing, *_unknown(known, papers)], papers[_MOST:])
    told, partly = await _told(stage, texts)
    return stage.done("\n\n".join([told, *partly, *notes]), papers=[each.paper for each in texts])


def _of_found(stage: Stage) -> list[Paper]:
    """The papers that the message names, and of those that the stages before found as many as it asks for."""
    known, found = stage.known, stage.papers()
    most = _asked(stage)
    if not known.named:
        return found[:most]
    meant = known.meant()
    named = {paper["id"] for paper in meant}
    others = [paper for paper in found if paper["id"] not in named]
    # "Compare BERT with related papers" wants more than what it names; "BERT and one that is nowhere" does not.
    more = count(known.request) or (most if len(meant) == 1 and not _unknown(known, meant) else 0)
    return [*meant, *others[: max(more - len(meant), 0)]]


async def _in_tables(stage: Stage) -> list[Paper]:
    """The papers that the tables of the stages before name, as many as the message asks for."""
    if NAMED not in stage.run.tools:
        return []
    tables = [table for each in stage.earlier if (table := each.get("table"))]
    cells = [str(cell) for table in tables for row in table["rows"][:_MOST] for cell in row if isinstance(cell, str)]
    found = await named_in(stage.run, "\n".join(cells)) if cells else []
    return found[: _asked(stage)]


async def _searched(stage: Stage) -> list[Paper] | None:
    """The best that a search finds for the message; None when people have to be asked first."""
    if SEARCH not in stage.tools:
        return []
    result = await stage.call(SEARCH, queries=[question(stage)[:500]])
    if result is None:
        return None
    return [] if result.is_error else found_in(result)[: _asked(stage)]


def _asked(stage: Stage) -> int:
    """How many papers the message asks for."""
    request = stage.known.request
    return count(request) or (_SOME if several(request) or compares(request) else 1)


async def _read(stage: Stage, paper: Paper) -> _Read | None:
    """The paper's text: section by section where its full text is there, else its card. None when people have to be
    asked first."""
    result = await stage.call(READ, paper=paper["id"] or paper["title"])
    if result is None:
        return None
    data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
    passages = list(result.passages)
    if data.get("full"):
        for title in dict.fromkeys(t for t in data.get("sections") or [] if not _BESIDES.search(t)):
            more = await stage.call(READ, paper=paper["id"], section=title)
            if more is None:
                return None
            passages += more.passages
    once = {(p.document_id, p.start, p.end): p for p in passages}
    return _Read(paper, bool(data.get("full")), list(once.values()))


async def _told(stage: Stage, texts: list[_Read]) -> tuple[str, list[str]]:
    """What the answer tells of the papers, and sentences about what was not read of them."""
    if not stage.run.way.tells and not any(each.full for each in texts) and (cards := _cards(stage, texts)):
        return cards, []
    names = [f"**{each.title}** — {credit(each.paper)}" for each in texts]
    if len(texts) > 1 and compares(stage.known.request):
        fitted = [await _fitted(stage, each, len(texts), together=True) for each in texts]
        material = [f"# {each.title}\n{part.text}" for each, part in zip(texts, fitted, strict=True)]
        head = "".join(f"- {name}\n" for name in names) + "\n"
        answer = await stage.write(_COMPARISON, "\n\n".join([question(stage), *material]), said=head)
        return head + (answer or "\n\n".join(material)), _partly(stage, texts, fitted)
    told, fitted = "", []
    for each, name in zip(texts, names, strict=True):
        part = await _fitted(stage, each, len(texts))
        fitted.append(part)
        told += f"- {name}\n\n" if len(texts) == 1 else f"{name}\n\n"
        material = [question(stage), f"# {each.title}\n{part.text}"]
        answer = await stage.write(_SUMMARY if len(texts) == 1 else _ONE_OF, "\n\n".join(material), said=told)
        told += f"{answer or part.text}\n\n"
    return told.rstrip(), _partly(stage, texts, fitted)


async def _fitted(stage: Stage, read: _Read, texts: int, *, together: bool = False) -> Fitted:
    """What is written from: the paper's text, or notes on it."""
    pieces = [(f"[{stage.run.number(passage)}] ", passage.text) for passage in read.passages]
    head = f"# {read.title}"
    return await fit(stage, pieces, name=str(read.paper["id"]), head=head, texts=texts, together=together)


async def _text(stage: Stage, task: str, given: str) -> Done:
    """Summarise a text that is no paper."""
    fitted = await fit(stage, [("", given)], name="text")
    material = f"{question(stage)}\n\nText:\n{fitted.text}" if given != stage.run.message else fitted.text
    answer = await stage.write(task, material) or NO_ANSWER[stage.run.language]
    return stage.done("\n\n".join([answer, *_partly(stage, [None], [fitted])]))


def _cards(stage: Stage, texts: list[_Read]) -> str:
    """The summaries on the papers' cards, where all have one in the user's language: a small model would only say the
    same in worse words."""
    language = stage.run.language
    if not all(each.paper.get(f"summary_{language}") for each in texts):
        return ""
    told = [
        f"**{each.title}** — {credit(each.paper)}\n\n{each.paper[f'summary_{language}']} "
        f"[{stage.run.number(each.passages[0])}]"
        for each in texts
    ]
    return "\n\n".join(told)


def _unknown(known: Known, papers: list[Paper]) -> list[str]:
    """What a message that names several papers names besides those that are known: words that look like names."""
    request = known.request
    if not known.named or not (len(known.named) > 1 or several(request) or compares(request)):
        return []
    held = " ".join(
        str(each)
        for paper in papers
        for each in (paper["title"], *(paper.get("aliases") or ()), *(paper.get("authors") or ()), paper.get("venue"))
    ).casefold()
    # The first word of a sentence begins with a capital for no reason of its own.
    words = [
        m[0]
        for m in _NAME.finditer(request)
        if m.start() and not request[: m.start()].rstrip().endswith((".", "?", "!"))
    ]
    return [word for word in dict.fromkeys(words) if word.casefold() not in _NO_NAMES and word.casefold() not in held]


def _left_out(stage: Stage, texts: list[_Read], missing: list[str], beyond: list[Paper]) -> list[str]:
    """Sentences about what the answer is not made from."""
    language = stage.run.language
    cards = [each for each in texts if not each.full]
    notes = []
    if cards and len(cards) == len(texts):
        notes.append(text("card_only", language))
    elif cards:
        notes.append(text("cards_of", language, titles=" / ".join(each.title for each in cards)))
    if missing:
        notes.append(text("missing", language, names=", ".join(missing)))
    if beyond:
        titles = " / ".join(str(paper["title"]) for paper in beyond)
        notes.append(text("too_many", language, most=_MOST, titles=titles))
    return notes


def _partly(stage: Stage, texts: list[_Read] | list[None], fitted: list[Fitted]) -> list[str]:
    """Sentences about texts of which the beginning alone was read."""
    notes = []
    for each, part in zip(texts, fitted, strict=True):
        if part.share < 1:
            percent, language = max(int(100 * part.share), 1), stage.run.language
            key = "partly_read" if each else "text_partly_read"
            notes.append(text(key, language, percent=percent, title=each.title if each else ""))
    return notes


METHOD = Method(summarize, subject="papers")
