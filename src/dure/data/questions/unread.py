"""Words of a question that nothing of the data accounts for."""

import re

from dure.data.questions.description import AGGREGATES, Description
from dure.data.questions.figures import LEFT_OUT
from dure.data.questions.linking import Links, places
from dure.data.questions.tables import ASKED
from dure.data.questions.units import behind
from dure.data.questions.words import PARTICLE, WORD, Placed, function_words, is_ending, over, span, stem, stems
from dure.knowledge.claims import denials
from dure.numbers.reading import COUNTED
from dure.patterns import later
from dure.texts import TEXTS

_COUNTER = later(rf"\s?{COUNTED.pattern}[가-힣]*")
"""What a number counts: `세 명인`."""
HOW_MANY = later(rf"몇{COUNTED.pattern}[가-힣]*")
_LAST = later(r"([가-힣]+(?:\s?[주줘줄][가-힣]*)?)[\s.?!~]*(?=[.?!(]|$)")
_MEASURES = (*AGGREGATES, "difference", "highest", "lowest", "share")
_TEXT = TEXTS["data_questions.text"]


def strange(description: Description, links: Links, ordinary: frozenset[str]) -> list[re.Match[str]]:
    """Words that are no value, number, date or name of a field, and stand in no example question either, nor, by their
    stems, in any question (`ordinary`)."""
    numbers = [*links.numbers, *filter(None, [links.place])]
    read: list[Placed] = [*links.values, *links.included, *links.fields, *numbers, *links.dates]
    spans = [span(each) for each in read]
    spans += [match.span() for each in links.values if each.ops and (match := LEFT_OUT.match(links.question, each.end))]
    spans += [match.span() for each in numbers if (match := _COUNTER.match(links.question, each.end))]
    spans += [(each.end, behind(links.question, each.end)) for each in links.numbers if each.unit]
    # What denies something is told apart from these.
    spans += [match.span() for match in denials(links.question)]
    # What is counted, and the verb at the end of a Korean sentence, which asks.
    spans += [match.span() for match in HOW_MANY.finditer(links.question)]
    spans += [match.span(1) for match in _LAST.finditer(links.question)]
    own = [*rows_called(description), *(said for key in _MEASURES for said in _TEXT[key].values())]
    known = ordinary | ASKED | stems(own)
    called = " ".join(rows_called(description))  # A part of a compound names the same things: 불만 of 고객불만.
    return [
        match
        for match in WORD.finditer(links.question)
        if (len(match[0]) > 1 or match[0] >= "가")
        and not over(match.span(), spans)
        and not is_ending(match)
        and stem(match[0]) not in known
        and not (len(word := PARTICLE.sub("", match[0])) > 1 and word >= "가" and word in called)
        and not {match[0].lower(), PARTICLE.sub("", match[0])} & function_words()
    ]


def beside_aggregate(word: re.Match[str], links: Links) -> bool:
    """Whether nothing but blanks stands between a word and the name of an aggregate."""
    told = (at for how in _MEASURES for name in _TEXT[how].values() for at in places(name, links.question))
    ends = [WORD.match(links.question, start) for start, _ in told]
    return any(
        each and not links.question[min(each.end(), word.end()) : max(each.start(), word.start())].strip()
        for each in ends
    )


def of_many(question: str) -> bool:
    """Whether it asks for what many say together: an average, a median, a total."""
    return any(next(places(name, question), None) for how in AGGREGATES for name in _TEXT[how].values())


def rows_called(description: Description) -> list[str]:
    """What people may call the rows."""
    found = [description.name, *description.label.values(), *description.counter.values(), *description.names]
    return list(dict.fromkeys(name.replace("_", " ").strip() for name in found if name.strip()))
