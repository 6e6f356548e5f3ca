"""The names that a text has: of letters and digits, of parts of documents, of things that are told apart by a number or
a letter; which of them its sources don't have."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from dure.numbers.currencies import CODES
from dure.patterns import later

NAME = later(rf"(?<![A-Za-z0-9])(?!(?:{CODES})\d)(?=[A-Za-z-]*\d)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+|\.\d+)*")
PARTICLES = "[가은는이을를의에로와과도만]"
_DESIGNATED = later(rf"(?<!\S)(?<!\d\s)(?<!몇\s)[A-Z](?!{PARTICLES})[가-힣]")
"""A letter that tells one of several things apart, with the first letter of what they are. Behind a figure it is a
unit: `480 W입니다`, `몇 W야`."""
PARTS = {
    **{"part": "편", "chapter": "장", "section": "절", "paragraph": "항"},
    **dict.fromkeys(("article", "art.", "clause"), "조"),
}
"""What English calls the parts of a document, and Korean."""
_NUMBERED = r"\d+ ?[편장절관조항호](?:의 ?\d+)?"
ORDINAL = later(
    rf"제 ?{_NUMBERED}(?: ?\d+ ?[항호](?![가-힣]{{2}}))*"
    rf"|\b(?:{'|'.join(map(re.escape, PARTS))}) \d+(?:\.\d+)*(?:\(\d+\))?",
    re.IGNORECASE,
)
"""The number of a part of a document: a name, and no figure of anything else."""
_ENGLISH = later(r"([a-z.]+) (\d+)([\d.]*)(?:\((\d+)\))?")
_KOREAN = later(_NUMBERED)
_PART = later(r"(?<=[,;])(?=\s)|(?=\sand\s)|(?<=\. )")
"""Where the parts of a sentence meet that each may tell of something else."""
_LED = later(rf"[\s,;]*(?:and\s+)?({NAME.pattern})")
_CIRCLED = later("[①-⑳]")
_ORDERED = later(r"(?<![\d.,])(\d{1,3}) ?([층급호월]|분기)(?! ?\d+ ?일)")
"""One of several things of a kind that are numbered: floors, grades, months. A day is none."""
_LETTERED = later(r"([가-힣]+) ?([A-Z])(?![A-Za-z0-9])")
"""One of several things that are told apart by a letter behind them: `세미나실 B`."""


_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=(?<![A-Za-z0-9])(?:19|20)\d\d))"


def names(text: str) -> list[str]:
    """Names of letters and digits, as of models, parts and cases: `DH-240`, `NVK-R32-28`, `E7`. They are the same in
    all languages. Of letters before Korean words those with the word's first: `C동`."""
    return list(dict.fromkeys([*NAME.findall(text), *_DESIGNATED.findall(text)]))


def parts(text: str) -> list[str]:
    """The numbered parts of documents that a text names, as both languages have them: `Article 10(2)` is `제10조`,
    `제2항`, and so is the paragraph `②`; `제19조 1호` is `제19조`, `제1호`."""
    circled = [f"제{unicodedata.numeric(each):.0f}항" for each in _CIRCLED.findall(text)]
    return [part for each in ORDINAL.findall(text) for part in _part(each)] + circled


def _part(ordinal: str) -> list[str]:
    if not (english := _ENGLISH.fullmatch(ordinal.lower())):
        return [f"제{''.join(part.split())}" for part in _KOREAN.findall(ordinal)]
    word, number, inner, paragraph = english.groups()
    return [f"제{number}{inner}{PARTS[word]}", *([f"제{paragraph}항"] if paragraph else [])]


def alone(name: str, names: Iterable[str], statement: str) -> str:
    """A statement of several names as one of this name alone."""
    others = "|".join(re.escape(each) for each in names if each != name)
    return re.sub(rf"(?<![A-Za-z0-9])(?:{others})(?![A-Za-z0-9])", "", statement)


def absent(text: str, sources: Iterable[str]) -> list[str]:
    """The names of `text` that stand in none of `sources`, however they are hyphenated there."""
    if not (wanted := names(text)):
        return []
    known = "\n".join(sources)
    # English has other words for what a letter stands before.
    hangul, found = re.search("[가-힣]", known), []
    for name in filter(lambda name: hangul or name.isascii(), wanted):
        written = r"[-.\s]?".join(map(re.escape, re.findall(r"[A-Za-z]+|\d+|[가-힣]", name)))
        # In the name of a file it may stand right behind the year.
        if not re.search(rf"{_BEGINS}{written}(?![A-Za-z0-9]|[-.]\d)", known, re.IGNORECASE):
            found.append(name)
    return found


def beyond(text: str, source: str, others: Iterable[str]) -> list[str]:
    """The numbered things of `text`, as `5층`, where `source` tells of another of their kind, and all of these in
    `others` have smaller or greater numbers than it; those with a letter, as `세미나실 C`, where these have others."""
    others = list(others)
    here, known = _ORDERED.findall(source), [each for other in others for each in _ORDERED.findall(other)]
    found = []
    for number, kind in _ORDERED.findall(text):
        numbers = [int(n) for n, its in known if its == kind]
        if any(its == kind for _, its in here) and not min(numbers) <= int(number) <= max(numbers):
            found.append(number + kind)
    lettered, letters = dict(_LETTERED.findall(source)), {each for other in others for each in _LETTERED.findall(other)}
    found += [" ".join(each) for each in _LETTERED.findall(text.upper()) if each[0] in lettered and each not in letters]
    return list(dict.fromkeys(found))


@lru_cache(4096)
def by_kind(text: str) -> dict[str, set[str]]:
    """The names of letters and digits of a text, by the letters that they begin with: `V7` and `V9` are of a kind."""
    found = dict[str, set[str]]()
    for name in NAME.findall(text):
        found.setdefault(re.split(r"[^A-Za-z]", name)[0].casefold(), set()).add(name)
    return found


def instead(text: str, source: str, above: str) -> list[str]:
    """The names of `text` in whose place `source` has others of their kind, and neither it nor what is `above` has
    them: whoever asked for them, it tells of those."""
    others = by_kind(source)
    of_kind = [name for kind, names in by_kind(text).items() if kind in others for name in names]
    return [
        each
        for each in of_kind
        if not re.search(rf"(?<![A-Za-z0-9]){re.escape(each)}(?!\d)", f"{above}\n{source}", re.I)
    ]


@lru_cache(2048)
def told_of(source: str, said: str) -> str:
    """A sentence without the parts that begin with other names of a kind than those of a text, up to the next one that
    begins with such: the hours of `P2` are none of `P1`. Names side by side are told of together."""
    wanted = {name for kind, names in by_kind(said).items() if len(by_kind(source).get(kind, ())) > 1 for name in names}
    kinds, kept, own, only = {*by_kind(" ".join(wanted))}, list[str](), True, False
    for part in _PART.split(source) if wanted and " | " not in source else ():
        first = _LED.match(part)
        if first and not kinds.isdisjoint(by_kind(first[1])):
            own, only = first[1] in wanted or (own and only), first.end() == len(part.rstrip())
        else:
            only = False
        kept += [part] * own
    return "".join(kept) or source


def unheard_of(text: str, cells: Iterable[str], sources: Iterable[str]) -> list[str]:
    """The names of `text` before what several `cells` have beside theirs (`부장` of `배수현 부장`), as long as
    those, that stand nowhere in `sources`, also without their last letter, which may be a particle."""
    beside: dict[str, set[str]] = {}
    for name, word in (each.split() for each in cells if each.count(" ") == 1 and each.replace(" ", "").isalpha()):
        beside.setdefault(word, set()).add(name)
    known, found = "\n".join(sources), list[str]()
    for word, others in beside.items():
        lengths = {len(each) for each in others}
        before = re.findall(rf"(\w+) {re.escape(word)}", text) if len(others) > 1 and len(lengths) == 1 else []
        found += [f"{name} {word}" for name in before if len(name) in lengths and name[:-1] not in known]
    return found
