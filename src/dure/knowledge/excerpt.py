"""Which sentences and rows of passages are nearest to a question: those that a model which reads little is shown, or
that are nearest to it in several phrasings."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import exp, log
from operator import attrgetter
from typing import TYPE_CHECKING

from dure.knowledge.question import QUANTITY, content_terms
from dure.knowledge.units import COLUMN, units_of
from dure.knowledge.versions import changing, other_figures, replaced
from dure.sources import Passage
from dure.storage.terms import counter, normal

if TYPE_CHECKING:
    from dure.knowledge.vectors import Floats
    from dure.models import Embedder

_PASSAGE, _MEANING, _LIKE = 0.25, 0.25, 0.5
"""What counts beside a sentence's own words, which count 1: its passage's rank; by how many standard deviations its
meaning stands above the others'; its likeness as the second model sees it. Of 37 questions of a culture centre, to
which nothing was fitted, all that answers is among the few shown for 22; for 18 by words and the second model alone."""
CLOSELY = 24
"""Sentences whose meaning is looked at closely, those nearest by all else: 50 ms of CPU each."""
_ABOVE = 0.5
"""What a word of the question counts that stands in the headings above a sentence, not in it."""
_SAME = 0.5
"""Of the question's words in a rule, the share that a sentence which changes it has."""
_BY_WORDS, _BY_LIKENESS, _BY_MEANING, _RANK, _FIGURE, _ROW = 0.6, 0.4, 0.8, 1.2, 1.2, 0.4
"""What makes a sentence or row more probable: by how many standard deviations its words, its likeness and its meaning
stand above the others', its passage's place (1 of the first, a third four places on), a figure where one is asked for,
that it is a row. Weights of a conditional logit (McFadden 1974) of which line tells, fitted to 48 questions about
papers with a small model's guess of what answers them as another phrasing; of 40 others the line is then among the
first five for 28, for 14 by `excerpt` without a guess. Of documents' sentences, where several tell together, these
weights show no more than `excerpt` does (35 for 33 of 45 questions, 20 for 22 of 37)."""
_FALLS = 4
"""Places on which a passage's rank counts a third."""
_FARTHEST = -1.0
"""Standard deviations of the meaning of all others, at most."""
_DIGIT = re.compile(r"\d")


async def excerpt(
    question: str, passages: Sequence[Passage], room: int, embedder: "Embedder | None" = None
) -> list[Passage]:
    """The sentences and rows of `passages` (best first) nearest to the question, `room` characters in all, as passages
    of their own in the order of their documents; `score`: how near, mostly up to 2. Rows of a Markdown table come with
    its head. `embedder` compares by meaning; without one words alone count. Raises what it raises."""
    units = [unit for passage in passages for unit in units_of(passage)]
    was = replaced(units)
    units = [unit for i, unit in enumerate(units) if i not in was]
    if not units:
        return []
    best = max(passage.score for passage in passages) or 1.0
    held = words(question, units)
    scores = [_PASSAGE * unit.score / best + word for unit, word in zip(units, held, strict=True)]
    if embedder is not None:
        if embedder.second is not None:
            [likeness] = await likenesses([question], units, embedder.second)
            scores = [score + _LIKE * float(each) for score, each in zip(scores, likeness, strict=True)]
        closely = sorted(range(len(units)), key=lambda i: -scores[i])[:CLOSELY]
        meant = await likenesses([question], [units[i] for i in closely], embedder)
        for i, each in zip(closely, apart(meant), strict=True):
            scores[i] += _MEANING * max(0.0, float(each))
    for i, j in changing(units):
        # What changes a rule is as near as the rule, if it is about the same.
        if held[j] >= _SAME * held[i] or other_figures(units[i], units[j]):
            scores[j] = max(scores[j], scores[i])
    chosen: set[int] = set()
    for i in sorted(range(len(units)), key=lambda i: -scores[i]):
        wanted = {i, _head(units, i)} - chosen
        size = sum(len(units[n].text) + 1 for n in wanted)
        if size <= room or not chosen:
            chosen |= wanted
            room -= size
    first: dict[str, int] = {}
    for rank, passage in enumerate(passages):
        first.setdefault(passage.document_id, rank)
    shown = [replace(units[i], score=scores[i]) for i in chosen]
    return sorted(shown, key=lambda unit: (first[unit.document_id], unit.start))


async def nearest(
    phrasings: Sequence[str], passages: Sequence[Passage], embedder: "Embedder | None" = None
) -> list[Passage]:
    """The sentences and rows of `passages` (best first), in their order, as passages of their own with `score`: how
    near, 1 the nearest. phrasings: the question, and others of it, or what may be its answer. `embedder` compares by
    meaning; without one words alone count. Raises what the embedder raises."""
    of = [(unit, rank) for rank, passage in enumerate(passages) for unit in units_of(passage)]
    if not of:
        return []
    import numpy as np

    units, figure = [unit for unit, _ in of], QUANTITY.search(phrasings[0]) is not None
    near = _BY_WORDS * apart(np.array([words(phrasing, units) for phrasing in phrasings]))
    for i, (unit, rank) in enumerate(of):
        near[i] += _RANK * exp(-rank / _FALLS) + _ROW * (COLUMN in unit.text)
        near[i] += _FIGURE * (figure and _DIGIT.search(unit.text) is not None)
    if embedder is not None:
        if embedder.second is not None:
            near += _BY_LIKENESS * apart(await likenesses(phrasings, units, embedder.second))
        closely = np.argsort(-near, kind="stable")[:CLOSELY]
        closest = apart(await likenesses(phrasings, [units[i] for i in closely], embedder))
        meaning = np.full(len(units), min(_FARTHEST, float(closest.min())))
        meaning[closely] = closest
        near += _BY_MEANING * meaning
    shown = [replace(unit, score=float(score)) for unit, score in zip(units, np.exp(near - near.max()), strict=True)]
    return sorted(shown, key=lambda unit: (unit.document_id, unit.start))


def apart(likeness: "Floats") -> "Floats":
    """Ways × units → by how many standard deviations each unit stands above the others, as the mean of the ways."""
    import numpy as np

    spread = likeness.std(axis=1, keepdims=True)
    found: Floats = ((likeness - likeness.mean(axis=1, keepdims=True)) / np.where(spread, spread, 1.0)).mean(axis=0)
    return found


async def likenesses(phrasings: Sequence[str], units: Sequence[Passage], embedder: "Embedder") -> "Floats":
    """Phrasings × units → how like each is to each. Raises what the embedder raises."""
    asked = await embedder.queries(phrasings)
    found: Floats = asked @ (await embedder.passages([f"{unit.context}\n{unit.text}" for unit in units])).T
    return found


def told(units: Iterable[Passage], heading: Callable[[Passage], str] = attrgetter("heading")) -> str:
    """Sentences and rows, each on one line, under what they stand under."""
    lines, above = "", ""
    for unit in units:
        if heading(unit) != above:
            above = heading(unit)
            lines += f"\n\n# {above}"
        lines += f"\n{' '.join(unit.text.split())}"
    return lines.strip()


def _head(units: Sequence[Passage], i: int) -> int:
    """The head of the Markdown table that a unit is a row of; itself where it is none."""
    while i and units[i].text.startswith("|") and units[i - 1].text.startswith("|"):
        i -= 1
    return i


def words(question: str, units: Sequence[Passage]) -> list[float]:
    """The share of the question's words, the rare ones counting more, that stand in each unit or above it."""
    found = [0.0] * len(units)
    whole = 0.0
    texts = [(normal(unit.text), normal(unit.heading)) for unit in units]
    for times in map(_found, content_terms(question)):
        held = [1.0 if times(text) else _ABOVE if times(above) else 0.0 for text, above in texts]
        inside = held.count(1.0)
        weight = log(1 + (len(units) - inside + 0.5) / (inside + 0.5))
        whole += weight
        found = [score + weight * each for score, each in zip(found, held, strict=True)]
    return [score / whole if whole else 0.0 for score in found]


def _found(term: str) -> Callable[[str], object]:
    """Tells whether a term stands in a `normal` text: a number as a whole, not as a part of `20.2` or `20,000`."""
    return re.compile(rf"(?<!\d)(?<!\d[.,]){term}(?![.,]?\d)").search if term.isdigit() else counter(term)
