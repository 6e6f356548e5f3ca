"""Texts of any length in a model's window: read in parts, of which notes are made, and notes on the notes until they
fit. A request holds at most a third of the window of text, at two characters a token."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from dure.errors import DureError
from dure.knowledge.sentences import cut_at
from dure.messages import system, user
from dure.packs.papers.stages import prompt
from dure.teams.stages.stage import Stage

_AT_ONCE = 4
_QUESTION = 1000
_LEAST = 200
_SHORT = 1000
"""Characters that fit into every model's window."""

Piece = tuple[str, str]
"""A mark and a text: the mark stands before each part of the text."""


async def window(stage: Stage, wanted: int) -> int:
    """Characters of text that one request may hold, of those `wanted`."""
    model, way = stage.run.model, stage.run.way
    if way.window is not None:
        return way.window
    if wanted > _SHORT:
        # Until the server was asked, its window is a guess; whoever is away is met again by the question itself.
        with suppress(DureError):
            await model.facts()
    return max(2 * model.context // 3, _LEAST)


def question(stage: Stage) -> str:
    """The request of the message, cut where it is a text itself."""
    return (stage.known.request or stage.run.message)[:_QUESTION]


async def fit(
    stage: Stage, pieces: list[Piece], *, name: str, head: str = "", texts: int = 1, together: bool = False
) -> tuple[str, float]:
    """Bring a text into the window, or into its share of it where texts are told of `together` in one request; what it
    comes to, and how much of it was read, from its beginning, 0 to 1.

    name: of the text, for the record; head: what a part of it is told to be of; texts: how many the answer is of.
    Raises the model's errors.
    """
    wide = await window(stage, texts * sum(len(text) for _, text in pieces))
    room = max(wide // texts, _LEAST) if together else wide
    chunks = _packed(pieces, room)
    if len(chunks) < 2:
        return "".join(chunks), 1.0
    chunks = _packed(pieces, wide)
    whole = sum(map(len, chunks))
    chunks = chunks[: max(stage.run.way.parts // texts, 1)]
    share = sum(map(len, chunks)) / whole
    # A third of what is read at once at most: so each round of notes is shorter than the one before.
    longest = min(wide // 3 - 2, room)
    level = 0
    while True:
        notes = [("", note) for note in await _notes(stage, chunks, f"{name}.{level}", head, longest)]
        if len(fitting := _packed(notes, room)) < 2:
            return "".join(fitting) or chunks[0][:room], share
        chunks = _packed(notes, wide)
        level += 1


async def _notes(stage: Stage, chunks: list[str], name: str, head: str, longest: int) -> list[str]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def note(number: int, chunk: str) -> str:
        async with gate:
            asked = await stage.run.ask(
                "notes",
                [system(prompt("reading.notes")), user(f"{question(stage)}\n\n{head}\n{chunk}")],
                max_tokens=min(stage.run.way.tokens["notes"], longest // 2),
                agent=stage.agent.name,
                # Named for its part: parts that are read side by side overtake each other.
                work_id=f"{stage.work_id}.{name}.{number}",
            )
        said = asked.reply.content.strip()
        return said[: cut_at(said, 0, longest)]

    notes = await asyncio.gather(*(note(number, chunk) for number, chunk in enumerate(chunks)))
    return [each for each in notes if each]


def _packed(pieces: Iterable[Piece], room: int) -> list[str]:
    """Texts in their order, as many together as fit into `room` characters; one that goes beyond is cut."""
    chunks: list[str] = []
    free = 0
    for mark, rest in pieces:
        while rest := rest.strip():
            if not chunks or len(mark) + min(len(rest), room // 4) > free:
                chunks.append("")
                free = room
            part = rest[: cut_at(rest, 0, free - len(mark))]
            chunks[-1] += f"{mark}{part}\n\n"
            free -= len(mark) + len(part) + 2
            rest = rest[len(part) :]
    return [chunk.rstrip() for chunk in chunks]
