"""What a question says of an order: what is first or last, one place of it, which of several has more, and how much."""

import re
from collections.abc import Set
from typing import NamedTuple

from dure.data.questions.description import Description, Field
from dure.data.questions.figures import LESS, MORE, MOST, TOP, Found
from dure.data.questions.linking import Links
from dure.data.questions.words import WORD, Placed, function_words, over, span
from dure.knowledge.claims import negated

DIFFERENCE = re.compile(r"차이(?!점)|\bdifference\b", re.IGNORECASE)
_HOW_MUCH, _HOW_MANY = re.compile(r"얼마|\bhow much\b", re.IGNORECASE), re.compile(r"몇|\bhow many\b", re.IGNORECASE)
_SHARE = re.compile(r"\s?(?:%|[퍼프]|per)")
"""Behind a number that is so many of a hundred: `상위 10%`."""
MOST_ROWS = 50
"""Of a list."""
_MORE = frozenset(("more", "higher", "greater", "larger", "bigger", "longer", "later"))
_LESS = frozenset(("less", "fewer", "lower", "smaller", "shorter", "cheaper", "earlier"))
_NEXT = re.compile(r"[가-힣]{0,2}\s([가-힣]{2,})")
"""Behind a value, the next word."""
_THAN = re.compile(r"(?:\s[가-힣]{1,4}?)?보다")


class Versus(NamedTuple):
    """Whether another value of `field` is `op`, > or <, `than` this one; an empty `op`: nobody can tell which."""

    field: str
    than: str
    op: str


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
    said = _is_more(words)
    for name, ends in several.items():
        one, two = (_NEXT.match(links.question, end) for end in ends[:2])
        if said or (one and two and one[1] == two[1]):
            return name
    return ""


def _is_more(words: Set[str]) -> bool:
    """Whether one of these words says that something is more or less than something else."""
    more = {each.removesuffix("r") + "st" for each in words & function_words() if each.endswith("er")}
    return "더" in words or not more.isdisjoint(function_words()) or not words.isdisjoint(("more", "less", "fewer"))


def many(links: Links) -> Found | None:
    """How many the question asks for of a ranking, or which place: the one number behind what says what is first, or
    beside `top`; None where it says neither."""
    if links.place:
        return links.place
    first = min((each.end() for each in MOST.finditer(links.question)), default=len(links.question))
    said = [each for each in links.numbers if not (each.ops or each.to) and each.value.isdigit()]
    said = [each for each in said if each.start >= first or TOP.search(links.question[: each.start])]
    # 한 is one, or did: `제일 많이 한 사람`.
    said = [each for each in said if each.value != "1" or links.question[each.start] == "1"]
    said = [each for each in said if not _SHARE.match(links.question, each.end)]
    return said[0] if len(said) == 1 and 0 < int(said[0].value) <= MOST_ROWS else None


def ranked(links: Links) -> bool:
    """Whether the question says that it is about what is first or last of all, or of places: `가장`, `oldest`, 2위,
    `top 3`."""
    if links.place or any(TOP.search(links.question[: each.start]) for each in links.numbers):
        return True
    read: list[Placed] = [*links.values, *links.fields, *links.numbers, *links.dates]
    said = [each for each in MOST.finditer(links.question) if not over(each.span(), map(span, read))]
    # Words that say nothing else have both forms, oldest and older: forest has none.
    return any(each[1] is None or f"{each[1].lower()}er" in function_words() for each in said)


def choice(description: Description, links: Links) -> Field | None:
    """The field of whose values the question asks which one is more or less: a group, or what tells rows apart."""
    which = description.known.get(compared(links))
    named = which is not None and which.kind in ("category", "text")
    return which if which and named and not against(which.name, links) else None


def against(field: str, links: Links) -> bool:
    """Whether one value of the field is told from another's: `부산보다`, `부산 주문보다`, `than Busan`."""
    own = [each for each in (*links.values, *links.fields) if each.field == field]
    before = [links.question[: each.start].casefold().removesuffix("the ").split()[-1:] for each in own]
    return ["than"] in before or any(_THAN.match(links.question, each.end) for each in own)


def two_of(links: Links) -> str:
    """The field of two values of which the question tells one from the other."""
    values = {
        each.field: {v.value for v in links.values if v.field == each.field and not v.ops} for each in links.values
    }
    return next((name for name, found in values.items() if len(found) == 2 and against(name, links)), "")


def versus(links: Links) -> Versus | None:
    """What the question asks for that asks whether one of two values has more than the other: `A가 B보다 많아?`."""
    name, asked = two_of(links), links.question
    if not name or _HOW_MUCH.search(asked) or _HOW_MANY.search(asked):
        return None
    values = sorted((each for each in links.values if each.field == name), key=lambda each: each.start)
    english = re.search(r"\bthan\b", asked, re.IGNORECASE)
    at = english.end() if english else asked.index("보다")
    beside = [v for v in values if v.start >= at][:1] if english else [v for v in values if v.end <= at][-1:]
    if not beside or negated(asked[0 if english else at :]):
        return Versus(name, beside[0].value if beside else "", "")
    if english:
        said = {*asked[:at].casefold().split()}
        return Versus(name, beside[0].value, "<" if said & _LESS else ">" if said & _MORE else "")
    found = re.search(f"({MORE})|{LESS}", asked[at:])
    return Versus(name, beside[0].value, "" if found is None else ">" if found[1] else "<")


def of_times(links: Links) -> bool:
    """Whether the question tells one of two years, months or days from the other."""
    said = {each.value for each in links.dates if not (each.ops or each.to)}
    said |= {each.value for each in links.numbers if each.value.isdigit() and len(each.value) == 4}
    words = {word.casefold() for word in WORD.findall(links.question)}
    return len(said) == 2 and ("보다" in links.question or "than" in words or _is_more(words))


def is_amount(links: Links) -> bool:
    """Whether the question asks how much, and not how many."""
    return bool(_HOW_MUCH.search(links.question)) and not _HOW_MANY.search(links.question)


def ranks(description: Description, links: Links) -> bool:
    """Whether the question asks which one is first or last, of all or of several that it names."""
    return ranked(links) or choice(description, links) is not None
