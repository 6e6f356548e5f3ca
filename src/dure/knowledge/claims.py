"""What a statement claims: its figures and names have to stand together in one sentence or row of a source."""

import re
from collections.abc import Iterable

from dure.knowledge.numbers import unsupported_numbers

_NAME = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z-]*\d)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")


def names(text: str) -> list[str]:
    """Names of letters and digits, as of models, parts and cases: `DH-240`, `NVK-R32-28`, `E7`. They are the same in
    all languages."""
    return list(dict.fromkeys(_NAME.findall(text)))


def absent(text: str, sources: Iterable[str]) -> list[str]:
    """The names of `text` that stand in none of `sources`, however they are hyphenated there."""
    known = "\n".join(sources)
    found = []
    for name in names(text):
        written = r"[-\s]?".join(map(re.escape, re.findall(r"[A-Za-z]+|\d+", name)))
        if not re.search(rf"(?<![A-Za-z0-9]){written}(?![A-Za-z0-9]|-\d)", known, re.IGNORECASE):
            found.append(name)
    return found


def missing(statement: str, *sources: str) -> list[str]:
    """The figures and names of a statement that stand in none of `sources`: a sentence or row, what it stands under,
    and what was asked, whose figures and names may be said again."""
    if not any(map(str.isdigit, statement)):
        return []
    return [*absent(statement, sources), *unsupported_numbers(_NAME.sub(" ", statement), sources)]
