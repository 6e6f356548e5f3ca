"""What an able model makes of a question: objects that count as they are, once it was told what seems odd of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import orjson

from dure.data.questions.checking import Doubt, Fault, faults
from dure.data.questions.description import Description
from dure.data.questions.figures import numbers
from dure.data.questions.linking import Links
from dure.data.questions.query import Query, asked, read, rules, schema
from dure.data.questions.settling import settled
from dure.data.questions.understanding import Ask
from dure.messages import assistant, system, user
from dure.tooling import an_object

_MOST, _ALSO = 3, 3
"""Objects of one question, and measures beside the one of a list."""
_LEFT = 80
_MORE = """

Write {"asked": [...]}: an object as above for each thing that the question asks, most often one. Each has besides
also: measures, or fields of the rows, that are to be shown beside the measure, most often none: []
Where objects cannot say all that is asked, say so with one that answers cannot: a query is written for that then.
Beside "asked" write "left": in a few words of the question what it wants done with the rows other than to count, show \
or save them, such as a drawing: nobody does that here; most often ""."""
_ODD = """Perhaps that is not what is asked: {odd}. Write it mended, or as it is where it is right."""


async def objects(
    description: Description,
    links: Links,
    ask: Ask,
    *,
    alone: bool = False,
    elsewhere: Callable[[str], bool] = lambda _: False,
) -> tuple[list[Query], str]:
    """What the question asks of the data, in its order; one that answers `cannot` for what no object can say. And what
    it wants besides that is no question, empty where that is nothing, or `elsewhere`, whether others do it. alone: what
    it may point to was written out in it, so that it need not be among the conditions. Raises the model's errors."""
    messages = [system(rules(description) + _MORE), user(asked(description, links))]
    found, wrong, left = list[Query](), list[Fault](), ""
    for _ in range(2):
        written, _ = await ask(messages, _form(description, links))
        found = [each for one in _read(written) for each in _settled(one, description, links)]
        left = str(written.get("left") or "").strip() if isinstance(written, dict) else ""
        others = left if left and elsewhere(left) else ""
        known = _checked(found, links, alone, others)
        wrong = _wrong(found, description, known) if found else [Fault("it is no such object")]
        if not wrong:
            break
        said = orjson.dumps(written).decode()
        messages += [assistant(said), user(_ODD.format(odd="; ".join(each.said for each in wrong)))]
    kept = all(isinstance(each, Doubt) for each in wrong)
    return found if kept else [Query(description.rows, (), "cannot")], "" if others else left


def _form(description: Description, links: Links) -> dict[str, Any]:
    one = schema(description, links)["properties"]
    shown = [*description.measures, *(each.name for each in description.fields if _is_shown(description, each.name))]
    also = {"type": "array", "items": {"enum": list(dict.fromkeys(shown))}, "maxItems": _ALSO}
    several = {"type": "array", "items": an_object(one | {"also": also}), "minItems": 1, "maxItems": _MOST}
    return an_object({"asked": several, "left": {"type": "string", "maxLength": _LEFT}})


def _read(written: Any) -> list[Query]:
    """The objects; none where one of them is no such object. One alone is one too, of servers without schemas."""
    held = written.get("asked", [written]) if isinstance(written, dict) else None
    found = [read(each) for each in held] if isinstance(held, list) else []
    return [each for each in found if each] if all(found) else []


def _settled(query: Query, description: Description, links: Links) -> Iterator[Query]:
    """A list shows measures beside its own; of a figure each is one of its own."""
    if query.answer == "cannot":
        yield query
        return
    query = settled(query, description, links)
    also = tuple(dict.fromkeys(each for each in query.also if each != query.measure))
    if query.answer == "list":
        yield replace(query, also=also)
    else:
        yield from (replace(query, measure=each, also=()) for each in (query.measure, *also))


def _is_shown(description: Description, name: str) -> bool:
    """Whether each single row has one value of it that can be shown."""
    field = description.known.get(name)
    return field is not None and not field.of and field.kind != "link" and "{}" not in field.sql


def _checked(found: list[Query], links: Links, alone: bool, others: str) -> Links:
    """What is known of the question, without numbers of what others do, and without what it only may point to where
    that is written out in it and no object takes it."""
    theirs = {each.value for each in numbers(others, None)} if others else set()
    links = replace(links, numbers=[each for each in links.numbers if each.value not in theirs])
    pointed = {each.value for each in links.values if each.start == each.end}
    if not alone or any(each.value in pointed for query in found for each in query.filters):
        return links
    return replace(links, values=[each for each in links.values if each.start < each.end])


def _wrong(found: list[Query], description: Description, links: Links) -> list[Fault]:
    """What is wrong with any of the objects; what the question says besides, where none of them may say it."""
    those = [[] if each.answer == "cannot" else faults(each, description, links) for each in found]
    said = [{each.said for each in own} for own in those]
    wrong = [e for own in those for e in own if not isinstance(e, Doubt) or all(e.said in each for each in said)]
    for each in found:
        known = description.measures if description.grouped(each.rows) else ()
        for name in each.also:
            if name not in known and not (each.rows == description.rows and _is_shown(description, name)):
                wrong.append(Fault(f"also: {each.rows} have no {name}"))
    return list({each.said: each for each in wrong}.values())
