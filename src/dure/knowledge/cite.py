"""Citations: which sentence of which passage supports which sentence of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dure.knowledge.claims import negated, summed, totalled, worked_out
from dure.knowledge.layout import ITEM, Layout, claims, tells
from dure.knowledge.placed import Marks
from dure.knowledge.supporting import Supports
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import summed, totalled, worked_out
from dure.messages import language_of
from dure.sources import Citation, Passage

if TYPE_CHECKING:
    from dure.knowledge.supporting import Encode

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
    marks = Marks(answer, passages)
    named = {passage.document_id for passage in marks.passages(marks.named)}
    weigh = Supports(passages, asked, encode, told)
    checks: list[dict[str, Any]] = []
    general: list[dict[str, Any]] = []
    layout = Layout(marks.plain, passages, own)
    stated, sought = not layout.own, False
    since: list[frozenset[str]] = []
    head: list[int] = []
    table: list[str] = []
    last: list[Source] = []
    # What comes out may be told before it is worked out.
    figures_of = [weigh.worked_out(marks.plain[start:end]) for start, end in layout.spans]
    for i, (start, end) in enumerate(layout.spans):
        if layout.states_nothing(start, end):
            for mark in marks.between(start, end):
                mark.quotes += [source for n in mark.numbers if (source := weigh.first_of(n - 1)) is not None]
            continue
        stated = True
        if layout.has_code(start, end):
            continue
        statement = ITEM.sub("", marks.plain[start:end])
        since = [*since[1 - _REACH :], said_in(statement)]
        before, after = layout.gap(i)
        about = marks.of(before, start, end, after)
        if about and (line := layout.led_to(i)):
            for mark in about:
                led = (weigh.led(number, statement, line) for number in mark.numbers)
                mark.quotes += [source for source in led if source is not None]
            since = []
            continue
        held: dict[str, list[Source]] = {}
        for mark, part in zip(about, marks.parts(start, end, about), strict=True):
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
        if statement.startswith("|") and not marks.plain.startswith("|", after):
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
            ahead = marks.ahead(end)
            # Of what is not there a marker may name where one looked.
            looked = negated(statement) and bool(marks.passages(about))
            sought = sought or looked
            denied = (looked and weigh.unheard_of(since[-1])) or weigh.denied(statement, since[-1])
            source = weigh.among(ahead, statement, since[-1]) if ahead else None
            # What a letter is about it tells further down.
            subject = layout.begins_letter(start)
            source = source or (None if subject else weigh.strong(statement, since[-1], named))
            # What a heading says, and who signs, is known, and tells nothing.
            if source is not None and not source.heading and tells(statement):
                rest = [each for each in weigh.rest(statement, [source]) if each not in last]
                marks.add(end, [source, *rest])
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
    text, citations = marks.render()
    return Cited(text, citations, checks + general * bool(citations or sought) if stated else None)


def _elsewhere(figure: str, part: str, statement: str, lacks: Mapping[str, list[str]]) -> bool:
    """Whether a figure that was looked for with the whole sentence stands in one of its parts, which has it."""
    if part not in statement or len(part) < len(statement) or statement.count(figure) > 1:
        return False
    return any(figure in other and figure not in lacking for other, lacking in lacks.items() if other != part)
