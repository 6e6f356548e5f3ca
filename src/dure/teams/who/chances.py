"""How probable it is what a message wants, and what of it tells."""

import re
from dataclasses import dataclass
from typing import Any

Key = tuple[str, ...]
"""Agents in their order."""
_RUN = re.compile(r"[가-힣]+|[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Chances:
    """What examples say of a message. `by_key`: how probable each pipeline is, the best first. `nearest`: the examples
    that are nearest, with what they want, the nearest first. `in_words`: the agents that its words alone speak for.
    `judged`: a row of numpy's, from which those of the next message go on."""

    by_key: dict[Key, float]
    nearest: list[tuple[str, Key]]
    in_words: set[str]
    judged: Any


def grams(text: str) -> set[str]:
    """What of a text is compared: words, and Hangul's pairs and triples of syllables: endings tell what is asked."""
    found: set[str] = set()
    for word in _RUN.findall(text.lower()):
        if word[0] < "가":
            found.add(word)
        else:
            found.add(f"^{word[:2]}")
            found.update(word[at : at + size] for size in (2, 3) for at in range(len(word) - size + 1))
    return found
