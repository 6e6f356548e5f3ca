"""`summarize`: one paper from its full text where it is there, several compared, or a text that the user gives.

A text longer than the model reads at once is read in parts: notes are made of each, side by side, and the summary is
written from the notes. Passages keep their numbers all the way, so that the summary cites the very places.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from dure.agents.prompts import NO_ANSWER
from dure.sources import Passage
from dure.teams.stages.known import NAMED, Paper, look
from dure.teams.stages.papers import TOOL as SEARCH
from dure.teams.stages.papers import credit, found_in
from dure.teams.stages.pointing import places
from dure.teams.stages.stage import Done, Stage
from dure.teams.stages.texts import text

READ = "read_paper"
_MOST = 4
"""Papers that are compared."""
_PARTS = 24
"""Parts of a long text that notes are made of; later ones are left out, and that is said."""
_SMALL_ROOM = 1500
"""Characters that a small model reads at once: some 15 s on two cores."""
_SMALL_PARTS = 3
_AT_ONCE = 4
_COMPARE = re.compile(r"비교|차이|다른\s?점|\bcompar|\bdiffer|\bversus\b|\bvs\b", re.IGNORECASE)
_BESIDES = re.compile(r"references|bibliography|acknowledge?ment|appendi|참고\s?문헌|부록|감사", re.IGNORECASE)
"""Sections that a summary needs not."""
_SOURCED = "Use only what stands in the text, cite its passages as [1]."
_SUMMARY = f"Summarise the paper for the message: the problem, the idea, how it was tested, what came out. {_SOURCED}"
_COMPARISON = f"Compare the papers for the message: what each does, what they share, where they differ. {_SOURCED}"
_GIVEN = "Summarise the text in the message, as the message asks. Add nothing of your own."
_NOTES = """Note what this part of a paper says that matters for the message, in at most eight short lines. Keep \
numbers and marks such as [1]."""


@dataclass(slots=True)
class _Read:
    """What could be read of a paper."""

    paper: Paper
    full: bool
    passages: list[Passage]


async def summarize(stage: Stage) -> Done:
    """Find out what is meant, read it, write."""
    run = stage.run
    stage.whole = True
    named = {paper["id"] for paper in stage.known.named}
    # Of what was found, what the message names comes first.
    found = sorted(stage.papers(), key=lambda paper: paper["id"] not in named)
    if not found and stage.before():
        task = "Summarise the results for the message. Keep marks such as [1]."
        return stage.done(await stage.write(task, f"{run.message}\n\nResults:\n{stage.before()}") or stage.before())
    if not found and stage.known.given:
        request, given = stage.known.request or run.message, stage.known.text
        material = run.message if given in run.message else f"{request}\n\nText:\n{given}"
        return stage.done(await stage.write(_GIVEN, material) or NO_ANSWER[run.language])
    if not found and places(stage.known.request) and not stage.known.meant():
        listed = len(stage.known.listed or stage.known.earlier)
        return stage.done(text("no_place" if listed else "no_list", run.language, count=listed))
    several = _COMPARE.search(run.message) is not None
    papers = found[: _MOST if several else 1] or await _meant(stage, several)
    if papers is None:
        return stage.waiting()
    if not papers:
        return stage.nothing(text("no_paper", run.language))
    read = [await _read(stage, paper) for paper in papers]
    if any(each is None for each in read):
        return stage.waiting()
    texts = [each for each in read if each is not None and each.passages]
    if not texts:
        return stage.nothing(text("no_paper", run.language))
    if run.model.small and not any(each.full for each in texts) and (told := _cards(stage, texts)):
        return stage.done(told, papers=[each.paper for each in texts])
    room = _room(stage) // len(texts)
    parts = [await _part(stage, each, room) for each in texts]
    answer = await stage.write(_COMPARISON if len(texts) > 1 else _SUMMARY, "\n\n".join([run.message, *parts]))
    if not answer:
        answer = "\n\n".join(parts)
    names = "\n".join(f"- **{each.paper['title']}** — {credit(each.paper)}" for each in texts)
    notes = [] if any(each.full for each in texts) else [text("card_only", run.language)]
    return stage.done("\n\n".join([names, answer, *notes]), papers=[each.paper for each in texts])


def _cards(stage: Stage, texts: list[_Read]) -> str:
    """The summaries on the papers' cards, where all have one in the user's language: a small model would only say the
    same in worse words."""
    language = stage.run.language
    if not all(each.paper.get(f"summary_{language}") for each in texts):
        return ""
    told = [
        f"**{each.paper['title']}** — {credit(each.paper)}\n\n{each.paper[f'summary_{language}']} "
        f"[{stage.run.number(each.passages[0])}]"
        for each in texts
    ]
    return "\n\n".join([*told, text("card_only", language)])


async def _meant(stage: Stage, several: bool) -> list[Paper] | None:
    """The papers that the message means: named, pointed to, else the best that a search finds for it."""
    known = stage.known
    if not known.settled and NAMED in stage.run.tools:
        known = await look(stage.run)
    if known.settled:
        # One that the library does not have is not replaced by another.
        return known.meant()[:_MOST]
    if SEARCH not in stage.tools:
        return []
    result = await stage.call(SEARCH, queries=[stage.run.message[:500]])
    if result is None:
        return None
    return [] if result.is_error else found_in(result)[: _MOST if several else 1]


async def _read(stage: Stage, paper: Paper) -> _Read | None:
    """The paper's text: section by section where its full text is there, else its card."""
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
    places = dict.fromkeys((p.document_id, p.start, p.end) for p in passages)
    once = {(p.document_id, p.start, p.end): p for p in passages}
    return _Read(paper, bool(data.get("full")), [once[place] for place in places])


def _room(stage: Stage) -> int:
    """Characters of text in one request: a third of the window, at two characters a token."""
    return _SMALL_ROOM if stage.run.model.small else 2 * stage.run.model.context // 3


async def _part(stage: Stage, read: _Read, room: int) -> str:
    """What the summary is written from: the text itself, or notes on its parts."""
    head = f"# {read.paper['title']}"
    parts = list(_chunks(stage, read.passages, room))
    if len(parts) == 1:
        return f"{head}\n{parts[0]}"
    parts = parts[: _SMALL_PARTS if stage.run.model.small else _PARTS]
    gate = asyncio.Semaphore(_AT_ONCE)

    async def note(number: int, part: str) -> str:
        async with gate:
            asked = await stage.run.ask(
                "notes",
                [
                    {"role": "system", "content": _NOTES},
                    {"role": "user", "content": f"{stage.run.message}\n\n{head}\n{part}"},
                ],
                max_tokens=200 if stage.run.model.small else 500,
                agent=stage.agent.name,
                # Named for its part: parts that are read side by side overtake each other.
                work_id=f"{stage.work_id}.{read.paper['id']}.{number}",
            )
        return asked.reply.content.strip()

    notes = await asyncio.gather(*(note(number, part) for number, part in enumerate(parts)))
    return "\n".join([head, *filter(None, notes)])


def _chunks(stage: Stage, passages: list[Passage], room: int) -> "list[str]":
    """Passages with their numbers, as many together as fit into `room` characters."""
    chunks = [""]
    for passage in passages:
        shown = f"[{stage.run.number(passage)}] {passage.text[:room]}\n\n"
        if chunks[-1] and len(chunks[-1]) + len(shown) > room:
            chunks.append("")
        chunks[-1] += shown
    return [chunk.rstrip() for chunk in chunks]
