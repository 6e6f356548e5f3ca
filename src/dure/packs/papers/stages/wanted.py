"""What a request to search the library asks for: a topic, and conditions on the papers.

A model says what the topic is and which of the conditions that stand in the request are meant; that they stand there,
and are known of the library, is found by code.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dure.agents.running import look
from dure.data.questions.description import Description, Field
from dure.data.questions.figures import Found
from dure.data.questions.linking import Links, link, places
from dure.errors import DureError
from dure.numbers.reading import COUNTED
from dure.packs.papers import data
from dure.packs.papers.stages import prompt
from dure.packs.papers.stages.described import described
from dure.packs.papers.tools.search import MOST, QUERY, SHOWN
from dure.teams.stages.stage import Stage
from dure.tooling import an_object

CONDITIONS = "papers_conditions"
"""The tool that knows what of a text can be a condition."""
_READ = 2000
"""Characters of a request that are read."""
_YEARS = range(1800, 2101)
_MARKS = ("tag", "collection")
_NAMES = ("author", "venue", *_MARKS)
"""Filters that take a name."""
_LIKE = 70
"""Out of 100: how like a word of the request a word of the topic has to be: a model mends typing errors."""
_WORD = re.compile(r"[^\W_]+")
_BLANK = re.compile(r"[\s-]")


@dataclass(slots=True)
class Wanted:
    """`queries`: the topic, in one or two languages, and in other words; none where only the `filters` (arguments of
    `search_papers`) are asked for. `k`: how many papers, None where that is not said."""

    queries: list[str] = field(default_factory=list)
    filters: dict[str, Any] = field(default_factory=dict)
    k: int | None = None

    def as_args(self) -> dict[str, Any]:
        """As the arguments of `search_papers`."""
        return {"queries": self.queries, **self.filters, **({"k": self.k} if self.k else {})}


async def wanted(stage: Stage) -> Wanted:
    """What the stage's message asks for. Where the model fails: the message, and all conditions that stand in it."""
    message = stage.run.message[:_READ].strip()
    held = await look(stage.run, CONDITIONS, stage.agent, stage.work_id, text=message)
    description, links = _linked(message, held)
    conditions = _conditions(links)
    written = await _written(stage, message, links, list(conditions))
    if not written:
        return Wanted([message[:QUERY]], _joined(conditions.values()))
    meant = [conditions[each] for each in written.get("conditions") or () if each in conditions]
    asked: Any = written.get("papers")
    said = stage.run.way.asks or str(asked) in ["1", *links.numbers_of("")]
    k = min(asked, MOST) if said and isinstance(asked, int) and asked > 0 else None
    filters = _joined(meant)
    besides = [*description.label.values(), *map(str, filters.values())]
    names = ("topic", "translated", "synonyms")
    topic, translated, synonyms = (_topic(written.get(name), besides) for name in names)
    if not (stage.run.way.asks or _stands(topic, message)):
        # A small model may give the topic's two languages the other way round.
        topic, translated = (translated, topic) if _stands(translated, message) else ("", "")
    if named := _field(topic, description):
        return Wanted([], {**filters, "field": named}, k)
    if not topic:
        return Wanted([] if filters else [message[:QUERY]], filters, k)
    # A small model mistranslates terms that the glossary has.
    translated = ", ".join(_other(topic, held.get("terms", ()))) or translated
    return Wanted([each for each in dict.fromkeys((topic, translated, synonyms)) if each], filters, k)


def _other(topic: str, terms: Iterable[Sequence[str]]) -> Iterator[str]:
    """The terms of a topic in the other language."""
    for each in terms:
        for one, other in (each, each[::-1]):
            if one and other and any(places(one, topic)):
                yield other
                break


def _linked(message: str, held: Mapping[str, Any]) -> tuple[Description, Links]:
    """What of the message can be a condition, by the library and by the description of its data."""
    papers = described()["papers"]
    fields = [each for each in papers.fields if each.name in ("year", "venue", "field", "author")]
    fields += [Field(name, "text", "", {"ko": name, "en": name}) for name in _MARKS]
    valued = (replace(each, values={**each.values, **dict.fromkeys(held.get(each.name, ()), ())}) for each in fields)
    description = replace(papers, fields=tuple(valued))
    return description, link(message, description)


def _conditions(links: Links) -> dict[str, dict[str, Any]]:
    """The conditions that stand in a request, as a model reads them, each with its arguments of `search_papers`."""
    found: dict[str, dict[str, Any]] = {}
    if years := _years(links):
        first, last = years.get("year_from", ""), years.get("year_to", "")
        found[f"year {first}-{last}"] = dict(years)
    for each in links.values:
        if each.field in _NAMES:
            found[f"{each.field} {each.value}"] = {each.field: each.value}
    return found


def _years(links: Links) -> dict[str, int]:
    """From and to which year, by all years that stand in the request."""
    found = [each for each in links.numbers if _is_year(each, links.question)]
    if not found:
        return {}
    firsts = [int(each.value) + (each.ops == (">",)) for each in found]
    lasts = [int(each.to or each.value) - (each.ops[:1] == ("<",)) for each in found]
    ops = {op[0] for each in found for op in each.ops[:1]}
    if len(found) > 1 or not ops:
        return {"year_from": min(firsts), "year_to": max(lasts)}
    return {"year_from": min(firsts)} if ops == {">"} else {"year_to": max(lasts)}


def _is_year(number: Found, question: str) -> bool:
    if not number.value.isdigit() or int(number.value) not in _YEARS:
        return False
    digits = re.compile(r"\d{4}").search(question, number.start, number.end)
    counted = COUNTED.match(question, digits.end()) if digits else None
    return counted is None or counted[0].strip() == "년"


async def _written(stage: Stage, message: str, links: Links, known: list[str]) -> dict[str, Any]:
    """What the model makes of the request; {} where it is nothing."""
    able = stage.run.way.asks
    counts = [0, 1, *(int(n) for n in links.numbers_of("") if n.isdigit() and 1 < int(n) <= MOST)]
    schema = an_object(
        {
            "conditions": {"type": "array", "items": {"enum": known or ["none"]}, "maxItems": len(known)},
            "topic": {"type": "string", "maxLength": 100},
            "translated": {"type": "string", "maxLength": 150},
            "papers": {"type": "integer", "minimum": 0, "maximum": MOST} if able else {"enum": counts},
            **({"synonyms": {"type": "string", "maxLength": 150}} if able else {}),
        }
    )
    asked = f"Q: {message}" + (f"\n(known: {'; '.join(known)})" if known else "")
    try:
        # What was said before misleads a small model.
        # An able model may ask for any number, and knows what a search by meaning misses (amphibians: anuran).
        examples = data("searches")["examples"].strip()
        ask = prompt("wanted.ask", able=able, shown=SHOWN, most=MOST, examples=examples)
        return await stage.write_json(ask, asked, schema, purpose="search", history=able)
    except DureError:
        return {}


def _joined(conditions: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Of two authors or venues the first; the search takes one."""
    return {name: value for each in reversed(list(conditions)) for name, value in each.items()}


def _topic(written: Any, besides: Iterable[str]) -> str:
    """What a model wrote as the topic, without names of conditions and of papers."""
    topic = written if isinstance(written, str) else ""
    for start, end in sorted((span for name in besides for span in places(name, topic)), reverse=True):
        topic = topic[:start] + topic[end:]
    return " ".join(topic.split()) if any(len(word) > 1 for word in _WORD.findall(topic)) else ""


def _stands(topic: str, message: str) -> bool:
    """Whether all words of a topic stand in a message, typing errors aside."""
    from rapidfuzz import fuzz

    text = message.casefold()
    return all(fuzz.partial_ratio(word, text) >= _LIKE for word in _WORD.findall(topic.casefold()))


def _field(topic: str, description: Description) -> str | None:
    """The field of research that is all that the topic names."""
    known = description.field("field")
    bare = _BLANK.sub("", topic).casefold().removesuffix(known.label["ko"])
    names = ((value, name) for value, others in known.values.items() for name in (value, *others))
    return next((value for value, name in names if _BLANK.sub("", name).casefold() == bare), None)
