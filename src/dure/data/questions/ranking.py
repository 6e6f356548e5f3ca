"""What a question says of an order: what is first or last, one place of it, which of several has more."""

import re

from dure.data.questions.figures import MOST, Found
from dure.data.questions.linking import Link, Links
from dure.data.questions.words import WORD, function_words

_NEXT = re.compile(r"[가-힣]{0,2}\s([가-힣]{2,})")
"""Behind a value, the next word."""


def compared(links: Links) -> str:
    """The field of whose values the question asks which one is more or less: `A하고 B 중에 더 큰 쪽`, `A가 많아 B가
    많아`; empty where it asks so of none."""
    values: dict[str, dict[str, int]] = {}
    for each in links.values:
        if not each.ops:
            values.setdefault(each.field, {}).setdefault(each.value, each.end)
    several = {name: list(ends.values()) for name, ends in values.items() if len(ends) > 1}
    words = {word.casefold() for word in WORD.findall(links.question)}
    if words & {"than", "how"} or any(said in links.question for said in ("보다", "비해", "몇", "얼마")):
        return ""  # How much more one has than another is a difference.
    more = {each.removesuffix("r") + "st" for each in words & function_words() if each.endswith("er")}
    said = "더" in words or not more.isdisjoint(function_words()) or not words.isdisjoint(("more", "less", "fewer"))
    for name, ends in several.items():
        one, two = (_NEXT.match(links.question, end) for end in ends[:2])
        if said or (one and two and one[1] == two[1]):
            return name
    return ""


def ranked(links: Links) -> bool:
    """Whether the question says that it is about what is first or last of all, or of a place: `가장`, `oldest`, 2위."""
    if links.place:
        return True
    said = [each for each in MOST.finditer(links.question) if not _over(each.span(), links)]
    # Words that say nothing else have both forms, oldest and older: forest has none.
    return any(each[1] is None or f"{each[1].lower()}er" in function_words() for each in said)


def _over(span: tuple[int, int], links: Links) -> bool:
    read: list[Link | Found] = [*links.values, *links.fields, *links.numbers, *links.dates]
    return any(each.start < span[1] and span[0] < each.end for each in read)
