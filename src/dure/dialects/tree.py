"""Many words as one regular expression that looks at no character twice."""

import re
from collections.abc import Callable, Iterable


def tree(words: Iterable[str], char: Callable[[str], str] = re.escape) -> str:
    """A pattern for any of the words, the longest first. char: the pattern for one character."""
    branches: dict[str, list[str]] = {}
    ends = False
    for word in words:
        if word:
            branches.setdefault(word[0], []).append(word[1:])
        else:
            ends = True
    if not branches:
        return ""
    parts = [char(first) + tree(rest, char) for first, rest in sorted(branches.items())]
    body = parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join(parts)})"
    return f"{body}?" if ends else body
