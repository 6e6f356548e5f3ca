"""Whether words mean the same, in whatever language: by their vectors."""

from collections.abc import Sequence

from dure.data.questions.description import Description, called
from dure.data.questions.linking import Link, Links
from dure.data.questions.words import PARTICLE, WORD, cuts, function_words, span, within
from dure.models import Embedder

NEAR = 0.65
"""Cosine (multilingual USE) of what means the same: of 75 columns' names in another language 23 of 25 above it are near
the right column, 21 of 50 below."""
SAME = 0.78
"""Cosine of two names of the same things: 직원 and employee have .84, 여직원 (women among them) .77."""
_FAR = 0.25
"""How much liker a word is to the value that it translates than to the next: 출고 has .80 to Delivered and .63 to
Pending, 채팅 .82 to Chat and .39 to Email."""
_IDLE = (0.985, 0.96)
"""Cosines (multilingual E5, USE) of a question with and without a word, from which on the word says nothing of which
rows count: `tests/data/questions/test_likeness.py` has words of either sort."""


class Likeness:
    """What texts mean to the encoder of short texts, and to that of passages beside it."""

    def __init__(self, embedder: Embedder, short: Embedder) -> None:
        self._embedder = embedder
        self._short = short

    async def __call__(self, texts: Sequence[str], others: Sequence[str]) -> list[float]:
        """Of each text how like it is to the nearest of the others, -1 to 1."""
        return [max(each, default=-1.0) for each in await self.all(texts, others)]

    async def all(self, texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
        """Of each text how like it is to each of the others, -1 to 1."""
        if not texts or not others:
            return [[] for _ in texts]
        rows = await self._short.queries([*texts, *others])
        return [list(map(float, each)) for each in rows[: len(texts)] @ rows[len(texts) :].T]

    async def idle(self, question: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
        """Whether the question means the same without each of its words. An encoder whose cosines are not known says
        of none."""
        if not spans or "e5" not in self._embedder.name.lower():
            return [False] * len(spans)
        texts = [question, *(f"{question[:start]} {question[end:]}" for start, end in spans)]
        texts = [" ".join(text.split()) for text in texts]
        both = [await each.queries(texts) for each in (self._embedder, self._short)]
        return [
            all(float(rows[0] @ rows[at]) >= least for rows, least in zip(both, _IDLE, strict=True))
            for at in range(1, len(texts))
        ]


def likeness(embedder: Embedder | None) -> Likeness | None:
    """None where there is no encoder of short texts."""
    return Likeness(embedder, embedder.second) if embedder and embedder.second else None


async def translated(description: Description, links: Links, like: Likeness) -> list[Link]:
    """Values that the question names in another script than the cells, 하드웨어 for Hardware, and columns, without a
    value, that it names in another word: insurance for Insured."""
    known = {
        value: (each.name, value) for each in description.fields if each.kind == "category" for value in each.values
    }
    # A column that is called No is none that a word means.
    names = {name: (each.name, "") for each in description.fields for name in called(each)}
    known = {name: key for name, key in names.items() if name.casefold() not in function_words()} | known
    spans = [span(each) for each in (*links.values, *links.fields)]
    words = [
        each
        for each in WORD.finditer(links.question)
        if len(each[0]) > 1
        and each[0].casefold() not in function_words()
        and not within((each.start(), each.start() + 1), spans)
    ]
    found = []
    # 바이올린하고 ends with a particle, 마리나에 with one and not with two: the liker form tells.
    forms = [{PARTICLE.sub("", each[0]), [*cuts(each[0])][-1]} for each in words]
    near = iter(await like.all([form for each in forms for form in each], list(known)))
    for word, those in zip(words, forms, strict=True) if known else ():
        each = max((next(near) for _ in those), key=max)
        best, (name, key) = max(zip(each, known.items(), strict=True))
        others = [cosine for cosine, other in zip(each, known.values(), strict=True) if other != key]
        same = key[1] and (name[0] < "가") == (word[0] < "가")
        if not same and best >= max([SAME, *(cosine + _FAR for cosine in others)]):
            found.append(Link(*key, *word.span(), sure=False))
    return found
