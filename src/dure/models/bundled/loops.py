"""Noticing that a small model has fallen into saying the same again and again."""

_SHORTEST, _LONGEST = 10, 240
"""Characters of what is repeated."""
_TIMES = 3
EVERY = 40
"""Characters after which to look again."""


def loop_start(text: str) -> int | None:
    """Where the first repetition begins when `text` ends in three or more copies of the same piece; else None.

    `text[:loop_start]` then holds the piece once. At most some hundred comparisons of short strings.
    """
    for period in range(_SHORTEST, min(_LONGEST, len(text) // _TIMES) + 1):
        piece = text[-period:]
        if text.endswith(piece * _TIMES) and len(set(piece)) > 3:
            start = len(text) - period
            while start >= period and text[start - period : start] == piece:
                start -= period
            return start + period
    return None
