"""Search inside one paper, whose passages are all about the same matter: what tells them apart is a single sentence."""

import re
from collections.abc import Sequence

import numpy as np

from dure.knowledge.nearest import apart
from dure.knowledge.sentences import sentences
from dure.models import Embedder
from dure.sources import Passage

_WORD = re.compile(r"[\w-]{2,}")
_SHORTEST = 8
"""Characters of a sentence that can tell something."""


def without_names(question: str, names: Sequence[str]) -> str:
    """The question without words of the paper's own names, which lead to wherever it speaks of itself."""
    words = {word for name in names for word in _WORD.findall(name)}
    # Particles follow a name; `in` of a title is no part of `training`.
    pattern = rf"(?<![^\W_])(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?![A-Za-z0-9])"
    return (re.sub(pattern, " ", question, flags=re.IGNORECASE) if words else "").strip() or question


async def by_sentences(question: str, found: Sequence[Passage], embedder: Embedder | None) -> list[Passage]:
    """Passages that a search found, best first by its scores and by the sentence of each that is nearest to the
    question. They stay as they are where no quick embedder is there."""
    second = embedder.second if embedder is not None else None
    texts = [[each.text[a:b] for a, b in sentences(each.text) if b - a > _SHORTEST] or [each.text] for each in found]
    if second is None or len(found) < 2:
        return list(found)
    asked = (await second.queries([question]))[0]
    rows = await second.passages([sentence for text in texts for sentence in text])
    ends = np.cumsum([len(text) for text in texts])
    nearest = [part.max() for part in np.split(rows @ asked, ends[:-1])]
    both = apart(np.array([[each.score for each in found], nearest], np.float32))
    return [found[at] for at in np.argsort(-both, kind="stable")]
