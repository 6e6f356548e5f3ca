"""Citations: which sentence of which passage supports which sentence of an answer."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dure.knowledge.claims import negated, summed, totalled, worked_out
from dure.knowledge.layout import ITEM, Layout, claims, tells, without_list
from dure.knowledge.markers import without_markers
from dure.knowledge.supporting import TERMS, Supports
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import summed, totalled, worked_out
from dure.messages import language_of
from dure.sources import Citation, Passage

if TYPE_CHECKING:
    from dure.knowledge.supporting import Encode

_BOLD = re.compile(r"\*\*([\[【][\d,; -]{1,20}[\]】])\*\*")
_STOPS = (".", "!", "?", "。")
_REACH = 8
"""Sentences that one marker behind them may stand for."""


class Cited(NamedTuple):
    """`checks`: as `{sentence, missing}` the statements whose figures and names stand in no one sentence or row of what
    they cite, or where they cite nothing in no passage at all; `missing` as written. Where it is empty the statement
    stands, without a source, beside others that have one: general knowledge, a draft, or what is lacking. None: nothing
    was stated at all."""

    text: str
    citations: list[Citation]
    checks: list[dict[str, Any]] | None


@dataclass(slots=True)
class _Mark:
    """Markers that stand at one place of the answer. `at`: offset in the answer without markers."""

    at: int
    blank: str
    numbers: list[int]
    quotes: list[Source] = field(default_factory=list)


def foreign(answer: str, passages: Iterable[Passage]) -> bool:
    """Whether a passage is in another language than a line of the answer, which may name a title in the passage's."""
    spoken = {language_of(line) for line in answer.splitlines() if line.strip()}
    return any(spoken - {language_of(passage.text)} for passage in passages)


def cite(
    answer: str,
    passages: Sequence[Passage],
    asked: str = "",
    own: Iterable[str] = (),
    encode: "Encode | None" = None,
    told: Sequence[str] = (),
) -> Cited:
    """The answer with its markers renumbered, and what they point to. `asked`: figures and names of this may be said
    again. `own`: parts of the answer that state nothing; what they name is looked for in no sentence. encode: short
    texts as unit vectors, whatever their language; compares statements with passages in another one. told: what was
    found besides, which cannot be cited: its figures and names may be said.

    In: `[n]` (also `[1, 2]`, `[1-3]`, `【1】`) stands for `passages[n - 1]`. Out: `[k]` stands for the k-th citation,
    whose quote is a whole sentence or row, verbatim at its span of the document: one that holds all figures and names
    of what it stands behind, of another passage where the named one has none such, and of these the one with the most
    common words, in another language the one that means most nearly the same. A marker that names no passage, or one
    that has nothing to do with the sentence, is dropped; a sentence without a marker gets one where a passage says
    nearly the same, with all of its figures and names. Code in the answer is left as it is, and so are brackets that
    are no markers: intervals (`[0, 1]`), vectors, indices.
    """
    plain, found = without_markers(without_list(_BOLD.sub(r"\1", answer), passages), len(passages))
    named = _at_one_place(found)
    places = [mark.at for mark in named]
    marks = list(named)
    marked = {passages[n - 1].document_id for mark in named for n in mark.numbers if 0 < n <= len(passages)}
    weigh = Supports(passages, asked, encode, told)
    checks: list[dict[str, Any]] = []
    general: list[dict[str, Any]] = []
    layout = Layout(plain, passages, own)
    stated, sought = not layout.own, False
    since: list[frozenset[str]] = []
    head: list[int] = []
    table: list[str] = []
    last: list[Source] = []
    # What comes out may be told before it is worked out.
    figures_of = [weigh.worked_out(plain[start:end]) for start, end in layout.spans]
    inside = bool(named) and not any(plain[mark.at - 1 : mark.at] in _STOPS for mark in named)
    for i, (start, end) in enumerate(layout.spans):
        if layout.states_nothing(start, end):
            for mark in named[bisect_left(places, start) : bisect_right(places, end)]:
                mark.quotes += [source for n in mark.numbers if (source := weigh.first_of(n - 1)) is not None]
            continue
        stated = True
        if layout.has_code(start, end):
            continue
        statement = ITEM.sub("", plain[start:end])
        since = [*since[1 - _REACH :], said_in(statement)]
        before, after = layout.gap(i)
        around = named[bisect_left(places, before) : bisect_right(places, after)]
        about = [mark for mark in around if not mark.quotes and _belongs(plain, mark.at, before, start, end)]
        if about and (line := layout.led_to(i)):
            for mark in about:
                led = (weigh.led(number, statement, line) for number in mark.numbers)
                mark.quotes += [source for source in led if source is not None]
            since = []
            continue
        held: dict[str, list[Source]] = {}
        for mark, part in zip(about, _parts(plain, start, end, about), strict=True):
            part = ITEM.sub("", part)
            for said, quotes in weigh.held(mark.numbers, since[:-1], part, since[-1]):
                quotes = [source for source in quotes if source not in mark.quotes]
                # What says the rest may have been cited for what was said just before.
                rest = weigh.rest(said, quotes)
                mark.quotes += [*quotes, *(each for each in rest if each not in last)]
                last = quotes or last
                held.setdefault(said, []).extend([*quotes, *rest])
        held = {part: quotes for part, quotes in held.items() if quotes}
        paragraph = layout.paragraph(start, end)
        figures, names_columns = figures_of[i], layout.heads_columns(end)
        if names_columns:
            head = [number for mark in about for number in mark.numbers]
        elif not statement.startswith("|"):
            head = []
        if statement.startswith("|") and not plain.startswith("|", after):
            table = layout.rows(start, end)
            figures |= totalled(table, weigh.asked, *weigh.texts) if table else set()
        if held:
            since = []
            lacks = {part: weigh.left(part, quotes) for part, quotes in held.items()}
            wanting = [each for part in held for each in lacks[part] if not _elsewhere(each, part, statement, lacks)]
            texts = [f"{source.above}\n{source.text}" for quotes in held.values() for source in quotes]
            # What stands over the columns of a table says where all that stands in these is from, and claims nothing.
            wanting = weigh.nowhere(statement, figures, paragraph) if names_columns else weigh.outside(wanting, head)
            wanting = [x for x in wanting if x not in figures and not worked_out(x, statement, texts)]
            if wanting := [x for x in wanting if not (weigh.made(x, paragraph) or weigh.tabled(x, table))]:
                checks.append({"sentence": statement, "missing": wanting})
        elif not names_columns and (any(map(str.isdigit, statement)) or not layout.in_letter(start)):
            ahead = next(iter(named[bisect_right(places, end) :]), None)
            ahead = ahead if ahead and "\n" not in plain[end : ahead.at] else None
            # Of what is not there a marker may name where one looked.
            looked = negated(statement) and any(0 < n <= len(passages) for mark in about for n in mark.numbers)
            sought = sought or looked
            denied = (looked and weigh.unheard_of(since[-1])) or weigh.denied(statement, since[-1])
            source = weigh.among(ahead.numbers, statement, since[-1]) if ahead else None
            # What a letter is about it tells further down.
            subject = layout.begins_letter(start)
            source = source or (None if subject else weigh.strong(statement, since[-1], marked))
            # What a heading says, and who signs, is known, and tells nothing.
            if source is not None and not source.heading and tells(statement):
                rest = [each for each in weigh.rest(statement, [source]) if each not in last]
                marks.append(_Mark(_behind(plain, end, inside), " ", [], [source, *rest]))
                since, last = [], [source]
                continue
            wanting = weigh.nowhere(statement, figures, paragraph) if passages or told else []
            if any(any(map(str.isdigit, each)) for each in wanting):
                figures |= summed(statement, layout.beside(i), weigh.asked, *weigh.texts)
                wanting = [each for each in wanting if each not in figures and not weigh.tabled(each, table)]
            if wanting:
                checks.append({"sentence": statement, "missing": wanting})
            elif claims(statement, since[-1]) and not (
                subject or source or ahead or figures or weigh.told_of(statement) or denied or layout.heads_list(end)
            ):
                general.append({"sentence": statement, "missing": []})
    text, citations = _render(plain, marks, passages)
    return Cited(text, citations, checks + general * bool(citations or sought) if stated else None)


def _at_one_place(found: Iterable[tuple[int, str, list[int]]]) -> list[_Mark]:
    """Markers side by side (`[1][2]`) are one with several numbers (`[1, 2]`)."""
    marks: list[_Mark] = []
    for at, blank, numbers in found:
        if marks and marks[-1].at == at:
            marks[-1].numbers += numbers
        else:
            marks.append(_Mark(at, blank, numbers))
    return marks


def _parts(plain: str, start: int, end: int, marks: Sequence[_Mark]) -> list[str]:
    """Of each mark of a sentence the part that it stands behind, back to the mark before it, the last with all that
    follows; the whole sentence where the part alone says little, of a Markdown row its first cell and the part."""
    inner = sorted({mark.at for mark in marks if start < mark.at})
    named = plain[start : plain.find("|", start + 1, end) + 1] if plain[start] == "|" else ""
    parts = []
    for mark in marks:
        first = max((at for at in inner if at < mark.at), default=start)
        last = mark.at if any(at > mark.at for at in inner) else end
        part = plain[first:last]
        little = len(said_in(part)) < TERMS
        parts.append((named * (first > start) + part if named else plain[start:end]) if little else part)
    return parts


def _elsewhere(figure: str, part: str, statement: str, lacks: Mapping[str, list[str]]) -> bool:
    """Whether a figure that was looked for with the whole sentence stands in one of its parts, which has it."""
    if part not in statement or len(part) < len(statement) or statement.count(figure) > 1:
        return False
    return any(figure in other and figure not in lacking for other, lacking in lacks.items() if other != part)


def _behind(plain: str, end: int, inside: bool) -> int:
    """Where a sentence's marker goes: behind it, before its stop where the answer's own do (`inside`), and behind what
    is in bold; of a row of a Markdown table, within its last cell, since a cell more would be none of the
    table's."""
    at = end - (inside and plain[end - 1] in _STOPS)
    line = plain[plain.rfind("\n", 0, at) + 1 : at]
    if line.lstrip().startswith("|") and line.endswith("|") and line.count("|") > 1:
        return at - (len(line) - len(line[:-1].rstrip()))
    closed = plain.find("**", at) if line.count("**") % 2 else -1
    return at if closed < 0 or "\n" in plain[at:closed] else closed + 2


def _belongs(plain: str, at: int, before: int, start: int, end: int) -> bool:
    """A marker belongs to the sentence it stands in or right behind; one at a line's start to what follows. `before`:
    the end of the sentence before, from which there are but blanks up to `start`."""
    if start < at <= end:
        return True
    if at > end:
        return "\n" not in plain[end:at]
    return before == 0 or "\n" in plain[before:at]


def _render(plain: str, marks: list[_Mark], passages: Sequence[Passage]) -> tuple[str, list[Citation]]:
    citations: dict[tuple[str, int, int], Citation] = {}
    pieces: list[str] = []
    at = 0
    written: list[int] = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        pieces.append(plain[at : mark.at])
        before = written if mark.at == at else []
        at, written = mark.at, [*before]
        for source in mark.quotes:
            passage = passages[source.passage]
            key = (passage.document_id, source.start, source.end)
            if key not in citations:
                place = (passage.page, source.start, source.end, source.text)
                number = len(citations) + 1
                citations[key] = Citation(passage.document_id, passage.title, *place, url=passage.url, marker=number)
            if (number := citations[key].marker or 0) not in written:
                written.append(number)
        if more := written[len(before) :]:
            pieces.append(mark.blank * (not before) + "".join(f"[{number}]" for number in more))
    pieces.append(plain[at:])
    return "".join(pieces), list(citations.values())
