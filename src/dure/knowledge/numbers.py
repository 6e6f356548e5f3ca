"""The numbers of an answer that its sources don't give."""

import re
from collections.abc import Iterable

from dure.knowledge.sentences import sentences
from dure.numbers import scan

_MARKER = re.compile(r"[\[【]\d[\d\s,;-]*[\]】](?!\()")
_ITEM = re.compile(r"^[^\S\n]*(?:[-*•]\s*)?\(?\d{1,2}[.)]\s", re.MULTILINE)


def unsupported_numbers(answer: str, quotes: Iterable[str]) -> list[str]:
    """The numbers of `answer`, as written, that stand in none of `quotes`.

    Citation markers and the numbers of list items don't count, nor do numbers in words. `20만` and `200,000` are one
    number; in the quotes, number words count too (`이틀`, `three`). Signs don't: `5% 감소` is `-5%`. Give the question
    as one of the quotes to allow its numbers.
    """
    known = {value.copy_abs() for quote in quotes for each in scan(quote) for value in (each.value, *each.others)}
    plain = _ITEM.sub(" ", _MARKER.sub(" ", answer))
    said = {plain[each.start : each.end]: each.value.copy_abs() for each in scan(plain)}
    return [written for written, value in said.items() if value not in known and any(map(str.isdigit, written))]


def without_unsupported(answer: str, quotes: Iterable[str]) -> str:
    """The answer without the sentences that hold such numbers."""
    known = "\n".join(quotes)
    if not unsupported_numbers(answer, [known]):
        return answer
    kept, at = "", 0
    for start, end in sentences(answer):
        if not unsupported_numbers(answer[start:end], [known]):
            kept += answer[at:end]
        at = end
    return kept.strip()
