"""What a small model said, held against the sentences and rows that it was shown.

Each statement has to stand in one of them, with all its figures and names: what stands in none is left out, a slip or
words of the model's own give way to those of the source, and the row or cell of another thing to what was asked for.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from dure.knowledge.claims import counts_otherwise, missing, negated, unsupported_numbers
from dure.knowledge.excerpt import words
from dure.knowledge.names import ORDINAL, absent
from dure.knowledge.question import QUANTITY, content_terms
from dure.knowledge.sentences import sentences
from dure.knowledge.units import COLUMN, columns, in_units
from dure.knowledge.versions import amended, present
from dure.language import language_of_message
from dure.messages import language_of
from dure.numbers import scan
from dure.sources import SUB, Passage
from dure.storage.terms import counter, normal
from dure.texts import TEXTS

_SURE = 0.5
"""From this evidence on, or with a number that stands in a sentence shown, an answer counts although no sentence holds
nearly all of its words."""
_SAID = 0.6
"""Share of a statement's words that a sentence holds that says nearly the same."""
_ABOUT, _WHOLLY = 0.3, 0.5
"""Of its words a statement has fewer in its source where that tells of something else, or not wholly what is said.
What inflects Korean words makes up a third of them."""
_FOREIGN = 0.8
"""The same where it is not in the language of the question: what it quotes is told, what it makes of it is not."""
_COPY = 75
"""Likeness, of 100, from which a statement is a copy of a sentence."""
_LABEL = 0.5
"""The same of a name before a statement, words of its headings counting half."""
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_FIGURE = re.compile(r"\S*\d\S*(?: [가-힣](?![가-힣]))?")
"""With the unit that one letter names behind a blank: `3,400만 원`."""
_LETTERS = {"ko": re.compile("[가-힣]{2,}"), "en": re.compile("[A-Za-z]{3,}")}
_BRIEF = 0.6
"""Of its source's length, below which a statement leaves so much of it out that it is shown below."""
_NEAREST, _NEAR = 3, 0.7
"""Of the sentences and rows, and those that are so near beside the nearest; an answer of no more statements than the
first rests on one of them at least. A longer one tells of something at length."""
_CLEARLY = 0.1
"""By how much more of the question's words, 0 to 1, the row that was asked for holds than another."""
_PARTS = re.compile(r"[,;]\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_TEXT = TEXTS["agents_statements"]


def checked(
    question: str,
    answer: str,
    units: list[Passage],
    evidence: float,
    number: Callable[[Passage], int],
    later: Sequence[Passage] = (),
    given: str = "",
    noted: Callable[[str], str] = str,
    at_length: bool = False,
) -> str:
    """What of the answer stands in one sentence or row of `units`, with the number of that behind it; empty where
    nothing does, or where it is short and all of it stands in what is far from the question. `evidence`: 0 to 1, how
    well the units support the question. What one of `later`, sentences and rows of newer versions, changes gives way
    to that. given: whose figures may be said again, such as of the day that the question asks of. noted: takes what
    is added besides (`RunContext.own`). at_length: where one thing of a section is told alone, so is its rest."""
    if QUANTITY.search(question) and not _numbered(answer):
        return ""
    if counts_otherwise(answer, question, (unit.text for unit in units)):
        return ""
    kept: dict[str, tuple[str, Passage]] = {}
    quoted: set[str] = set()
    whole: set[str] = set()
    ranked, rests = sorted(units, key=lambda unit: -unit.score), False
    nearest = [unit for n, unit in enumerate(ranked) if n < _NEAREST or unit.score > _NEAR * ranked[0].score]
    at, opening, left, asked = 0, "", False, words(question, units)
    for start, end in sentences(answer):
        said, gap, at = answer[start:end], "\n" if "\n" in answer[at:start] else " ", end
        if said.startswith("#") or said.endswith("?"):
            continue  # What statements stand under, said after the passages.
        if not kept and not _ITEM.match(said) and (said.endswith(":") or _ITEM.match(answer, end)):
            # What only leads to a list says nothing by itself, and nothing without it.
            opening = "" if missing(said, question) else f"{said}\n"
            continue
        able = [unit for unit in units if not missing(said, unit.text, unit.above, given)]
        # A figure of what is nearest, in another unit or currency: it is told as it stands there.
        if slip := not able and any(unsupported_numbers(said, [question])):
            able = [
                unit
                for unit in nearest
                if not (unsupported_numbers(said, [unit.text, question]) or absent(said, [unit.heading, unit.text]))
            ]
        shares = words(said, able)
        if not able or (max(shares) < _SAID and not _numbered(said) and evidence < _SURE):
            left = left or not able
            continue
        near = _likest(able, shares, units, asked)
        row = _row(near, units, asked)
        # What was so stands in the sentence that changes it, too.
        row = next((unit for unit in able if amended(unit, [row])), row)
        if not _supports(row, said, question, units):
            continue
        # How near the other language is says little.
        rests = rests or row in nearest or language_of(row.text) != language_of(question)
        slip = slip or row is not near or _crossed(said, row, question)
        line = cells_asked("", row, question) or row.text if slip else _told(said, row, question)
        if (change := amended(row, later)) is not None:
            newer, words_of_it = change
            text = noted(_TEXT.say("amended", language_of_message(question), title=row.title))
            kept.setdefault(f"{words_of_it} [{number(newer)}] {text}", (gap, row))
            continue
        piece = f"{in_units(line)} [{number(row)}]"
        brief = COLUMN not in line and len(line) < _BRIEF * len(row.text)
        # In another language, denied, or in words of the question, it is for the reader to compare.
        other = line != row.text and (_denies(line, row) or _share(line, row) < _WHOLLY)
        if (brief or other) and row.text not in quoted and (source := _about(said, row, question)):
            quoted.add(row.text)
            piece += f"\n> {source}\n"
        kept.setdefault(piece, (gap, row))
        whole |= {row.text} if line == row.text else set()
    if at_length and len(kept) == 1:
        [(_, row)] = kept.values()
        for unit in units:
            if unit is not row and (unit.document_id, unit.context) == (row.document_id, row.context):
                kept[f"{in_units(unit.text)} [{number(unit)}]"] = "\n", unit
    # Of what is told whole no part is told again.
    lines = [
        gap + line for line, (gap, row) in kept.items() if row.text not in whole or line.startswith(in_units(row.text))
    ]
    told = "".join(lines).strip() if rests or len(kept) > _NEAREST else ""
    note = "\n\n" + noted(_TEXT.say("left", language_of_message(question))) if left else ""
    return opening + told + note if told else ""


def _likest(able: list[Passage], shares: list[float], units: list[Passage], asked: list[float]) -> Passage:
    """Of rows and sentences that have about as much of a statement as the best, the one that was asked about."""
    order = sorted(range(len(able)), key=lambda i: -shares[i])
    alike = [i for i in order if shares[i] >= shares[order[0]] - _CLEARLY]
    return able[max(alike, key=lambda i: asked[units.index(able[i])])]


def _supports(row: Passage, said: str, question: str, units: Sequence[Passage]) -> bool:
    """Whether a row or sentence has enough of a statement whose figures and names it holds, and what it is said of."""
    if language_of(said) != language_of(row.text):
        return _told_of(said, row, question)
    # A figure may be told in the words of the question; without one, or with its own, these say nothing.
    own = any(map(str.isdigit, said)) and not missing(said, question)
    told_with = question if _numbered(said) and not own else ""
    least = _ABOUT if language_of(said) == language_of(question) else _FOREIGN
    return _share(said, row, told_with) >= least and _of_it(said, row, question, units)


def _numbered(said: str) -> bool:
    """Whether there is a number in it, also in words."""
    return next(scan(said), None) is not None


def _denies(said: str, unit: Passage) -> bool:
    """Whether only one of a statement and its source denies something; what a row denies may be another column's."""
    denied, here = negated(said), negated(unit.text)
    return denied > here or (here > denied and COLUMN not in unit.text)


def _told(said: str, unit: Passage, asked: str) -> str:
    """A statement as the sentence or row behind it has it: without a name before it (`병가: …`) that is a small model's
    own, and in the source's words where it is a copy of these with a slip, has words that neither the source nor the
    question has, or a figure that stands above it or in the question alone, denies what these do not or the other way
    about, or is a figure of a row alone or of another column than was asked for."""
    from rapidfuzz.fuzz import ratio

    number = _ITEM.match(said)
    item = number[0] if number else ""
    label, colon, rest = said[len(item) :].partition(": ")
    under = replace(unit, title="", context=unit.context.rpartition(SUB)[2], page=None, url=None)
    if not rest or COLUMN in said:
        label, colon, rest = "", "", said[len(item) :]
    elif words(label, [under])[0] < _LABEL:
        label = colon = ""
    if cells := cells_asked(rest, unit, asked):
        return item + cells
    if unsupported_numbers(label + colon + rest, [unit.text]):
        return item + (cells_asked("", unit, asked) or unit.text)
    if language_of(rest) == language_of(unit.text) and (
        _share(rest, unit, asked) < _WHOLLY or _denies(rest, unit) or ratio(rest, unit.text) >= _COPY
    ):
        return item + unit.text if normal(label) in normal(unit.text) else f"{item}{label}: {unit.text}"
    return f"{item}{label}{colon}{rest}"


def _share(said: str, unit: Passage, asked: str = "") -> float:
    """The share of a statement's words, figures apart, that stand in its source, above it or in `asked`."""
    known, others = normal(f"{unit.above}\n{unit.text}\n{asked}"), content_terms(_FIGURE.sub(" ", said))
    return sum(bool(times(known)) for times in map(counter, others)) / len(others) if others else 1.0


def _of_it(said: str, row: Passage, asked: str, units: Sequence[Passage]) -> bool:
    """Whether a statement's source has, of the words of statement and question, one that fewest of `units` have."""
    texts, both = [normal(f"{unit.heading}\n{unit.text}") for unit in units], set(content_terms(asked))
    held = {
        term: [bool(counter(term)(text)) for text in texts]
        for term in content_terms(_FIGURE.sub(" ", said))
        if term in both
    }
    least = min((sum(has) for has in held.values() if any(has)), default=0)
    return not least or any(has[units.index(row)] for has in held.values() if sum(has) == least)


def _crossed(said: str, row: Passage, asked: str) -> bool:
    """Whether a sentence has a statement's figure in one part and what it is said of in another, which has a figure of
    its own: "팀장은 5만 원, 직원은 3만 원"."""
    parts = [normal(part) for part in _PARTS.split(row.text) if COLUMN not in row.text and _numbered(part)]
    having = [part for part in parts if not unsupported_numbers(said, [part, asked])]
    if len(parts) < 2 or len(having) != 1:
        return False
    known = [_WORD.findall(part) for part in parts]
    begun = (_begun(word, known) for word in _WORD.findall(normal(f"{said} {asked}")))
    only = [held for held in begun if len(held) == 1]
    return bool(only) and [parts.index(having[0])] not in only


def _begun(word: str, parts: Sequence[Sequence[str]]) -> list[int]:
    """Which of several parts, each its words, have a word that begins as this does, its ending aside."""
    least = max(len(word) - 2, 3) if word.isascii() else 2
    for length in range(len(word), least - 1, -1):
        if held := [n for n, words in enumerate(parts) if any(each.startswith(word[:length]) for each in words)]:
            return held
    return []


def _told_of(said: str, row: Passage, asked: str) -> bool:
    """Whether a statement has something of its source in the other language that the question has not: a figure, or a
    word in that language's letters. Nothing else of the two can be compared."""
    own = _LETTERS[language_of(row.text)]
    return any(each in row.text for each in own.findall(said) if each not in asked) or bool(
        unsupported_numbers(said, [asked])
    )


def cells_asked(said: str, row: Passage, asked: str) -> str:
    """Of a row that a figure was taken from, or of which nothing was said, the column whose name has the most of what
    was asked, with the cells that the question names, where the figure is another's or stands alone; all cells where no
    column is asked for, but for what was so before; empty where nothing is to be changed, and of a sentence."""
    cells = [part.partition(": ") for part in row.text.split(COLUMN)]
    if COLUMN not in row.text or not all(colon for _, colon, _ in cells):
        return ""
    question = replace(row, title="", context="", page=None, url=None, text=asked)
    # A column whose figure the question gives is what it asks with, not for.
    wanted = [
        0.0 if any(map(str.isdigit, value)) and not unsupported_numbers(value, [asked]) else share
        for share, (_, _, value) in zip(
            words(asked, [replace(question, text=name) for name, _, _ in cells]), cells, strict=True
        )
    ]
    told = [
        share
        for share, (_, _, value) in zip(wanted, cells, strict=True)
        if any(map(str.isdigit, value)) and not unsupported_numbers(value, [said])
    ]
    if _FIGURE.sub("", said).strip(" .") and (not told or max(told) >= max(wanted) * (1 - _CLEARLY)):
        return ""
    first, second = sorted(wanted, reverse=True)[:2]
    asked_for = (
        "".join(cell)
        for share, cell in zip(wanted, cells, strict=True)
        if first <= second or share == first or words(cell[2], [question])[0] > 1 - _CLEARLY
    )
    return present(COLUMN.join(asked_for))


def _about(said: str, unit: Passage, asked: str) -> str:
    """What a statement was taken from: the sentence; of a row the cells that say whose it is, and those whose figures
    the statement or the question gives. Another column's figure beside it would be taken for the answer."""
    cells, own = " ".join(unit.text.split()).split(COLUMN), len(unsupported_numbers(said, [asked]))

    def belongs(cell: str) -> bool:
        value = ORDINAL.sub("", cell.partition(": ")[2] or cell)
        return not unsupported_numbers(value, [said, asked]) or len(unsupported_numbers(said, [asked, value])) < own

    return COLUMN.join(cell for cell in cells if len(cells) == 1 or belongs(cell))


def _row(unit: Passage, units: list[Passage], asked: list[float]) -> Passage:
    """The row of a table that holds more of what was asked than the row `unit` does; else `unit`."""
    if COLUMN not in unit.text:
        return unit
    rows = [
        n
        for n, each in enumerate(units)
        if each.document_id == unit.document_id and columns(each.text) == columns(unit.text)
    ]
    best = max(rows, key=lambda n: asked[n])
    # Words that no row has tell nothing between them.
    return units[best] if asked[best] * (1 - _CLEARLY) > asked[units.index(unit)] else unit
