"""From a question to a query object: a model fills it in under a schema, code checks it, and says what is unsure."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dure.data.questions import prompts
from dure.data.questions.checking import faults, settled
from dure.data.questions.description import Description
from dure.data.questions.linking import Links
from dure.data.questions.query import Query, read, schema
from dure.data.questions.tables import questions_of_examples
from dure.messages import Message, system, user
from dure.numbers.terms import COUNTED
from dure.texts import TEXTS

Ask = Callable[[list[Message], dict[str, Any]], Awaitable[Any]]
"""Has a model fill in a JSON Schema; None where what it wrote is no JSON."""

_WORD = re.compile(r"[가-힣]+|[a-z]+", re.IGNORECASE)
_COUNTER = re.compile(rf"\s?{COUNTED.pattern}[가-힣]*")
"""What a number counts: `세 명인`."""
_FIRST = re.compile(r"(?:^|[.?!]\s+)([A-Z][a-z]*)(?![\w가-힣])")
_HOW_MANY = re.compile(rf"몇{COUNTED.pattern}[가-힣]*")
_LAST = re.compile(r"([가-힣]+(?:\s?[주줘줄][가-힣]*)?)[\s.?!~]*(?=[.?!(]|$)")
_MEASURES = ("average", "median", "total", "difference", "highest", "lowest", "share")
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Understood:
    """`query` None: the data do not hold what is asked for, or the `faults` of what the model made of it remain.
    `unread`: words of the question that nothing accounts for."""

    query: Query | None
    faults: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


async def understand(
    description: Description, links: Links, ask: Ask, ordinary: frozenset[str] | None = None
) -> Understood:
    """What the question asks of the data. ordinary: stems of words that any question may hold (see `stems`); None, for
    a model that says itself what it cannot say: nothing counts as unread. Raises the model's errors."""
    asked, found = prompts.asked(links), ["no object"]
    messages: list[Message] = [system(prompts.rules(description))]
    form = schema(description, links)
    for _ in range(_TRIES):
        query = read(await ask([*messages, user(asked)], form))
        if query is not None:
            query = settled(query, links)
            if query.answer == "cannot":
                return Understood(None)
            if not (found := faults(query, description, links)):
                return _sure(query, _unread(description, links, ordinary), links)
        asked = f"{prompts.asked(links)}\n{prompts.again(found)}"
    return Understood(None, found)


def _sure(query: Query, unread: list[str], links: Links) -> Understood:
    """The query, unless what was not read may be the very thing that is asked for: a name, or a measure where the
    question names no field that is measured."""
    # The first word of an English sentence is no name for its capital.
    first = _FIRST.findall(links.question)
    names = [word for word in unread if word[0].isupper() and word not in first]
    named = {each.field for each in links.fields}
    if unread and (names or (query.of[1] and query.of[1] not in named)):
        return Understood(None, [f'"{word}"' for word in names or unread])
    return Understood(query, unread=unread)


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The words of questions, their beginnings alone: endings are many, and say who speaks to whom."""
    return frozenset(_stem(word) for text in texts for word in _WORD.findall(text))


@cache
def _function_words() -> frozenset[str]:
    from stopwordsiso import stopwords

    return frozenset(stopwords(["ko", "en"]))


def _stem(word: str) -> str:
    return word[:2] if word[0] >= "가" else word[:5].lower()


def _unread(description: Description, links: Links, ordinary: frozenset[str] | None) -> list[str]:
    """Words that are no value, number, date or name of a field, and stand in no example question either."""
    if ordinary is None:
        return []
    spans = [(each.start, each.end) for each in (*links.values, *links.fields)]
    spans += [(each.start, each.end) for each in (*links.numbers, *links.dates)]
    spans += [match.span() for each in links.numbers if (match := _COUNTER.match(links.question, each.end))]
    own = [description.name, *description.label.values(), *description.counter.values(), *questions_of_examples()]
    # What is counted, and the verb at the end of a Korean sentence, which asks.
    spans += [match.span() for match in _HOW_MANY.finditer(links.question)]
    spans += [match.span(1) for match in _LAST.finditer(links.question)]
    own += [said for key in _MEASURES for said in TEXTS["data_questions.text"][key].values()]
    known = ordinary | stems(own)
    found = [
        match[0]
        for match in _WORD.finditer(links.question)
        if len(match[0]) > 1
        and not any(start < match.end() and match.start() < end for start, end in spans)
        and _stem(match[0]) not in known
        and match[0].lower() not in _function_words()
    ]
    return list(dict.fromkeys(found))
