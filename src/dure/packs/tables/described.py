"""The user's tables as described data: what each holds, and which of them a question is about."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from statistics import mean
from typing import Any

from dure.data.questions.description import Description, called, paired
from dure.data.questions.likeness import Likeness, translated
from dure.data.questions.linking import Links, excluded, link, places
from dure.data.questions.notes import Notes
from dure.data.questions.tables import Column, described, profile, values
from dure.data.questions.units import converted, unit
from dure.data.questions.unread import HOW_MANY
from dure.data.questions.words import PARTICLE, WORD, cuts, function_words, over, span, stems
from dure.data.rows import Rows

_CATEGORY = 40
"""Values of a column that are all told; of one with more, those that stand in the question."""
_AT_ONCE = 3
"""Columns that one query counts: of many, its SQL would be longer than any may be."""
_SEVERAL = 2
_A_NAME = 12
"""Bytes: four syllables, or twelve letters."""
_SURE, _CLEAR = 2, 0.12
"""How much more a question says of its table than of the next, and means: of 25 of strangers' questions the 21 that
led by .12 or more led to the right one."""


Profile = dict[str, dict[str, Any]]
"""`{counts, values}` of a table: see `questions.tables.profile`; the values of each column of text."""


async def profiled(table: Mapping[str, Any], run: Callable[[str], Awaitable[Rows]]) -> Profile:
    """Of a table as `list_tables` tells of it."""
    columns = [Column(*each) for each in table["columns"]]
    counts, known = dict[str, Any](), {}
    for first in range(0, len(columns), _AT_ONCE):
        found = await run(profile(table["name"], columns[first : first + _AT_ONCE], first))
        counts |= zip(found.columns, found.rows[0], strict=True)
    for each in columns:
        if each.type in ("VARCHAR", "BOOLEAN"):
            known[each.name] = [str(row[0]) for row in (await run(values(table["name"], each))).rows]
    return {"counts": counts, "values": known}


def of_question(found: Profile, question: str) -> Profile:
    """Of the values those of a column that has few, or that the question says, or a word of."""
    said = {part for word in WORD.findall(question.casefold()) for part in (*cuts(word), word.removesuffix("s"))}

    def has(value: str) -> bool:
        return not said.isdisjoint(WORD.findall(value.casefold())) or any(places(value, question))

    values = {name: [v for v in held if len(held) <= _CATEGORY or has(v)] for name, held in found["values"].items()}
    return {"counts": found["counts"], "values": values}


Meets = Callable[[Description, Links], Awaitable[bool]]
"""Whether a row of a table has all that a question names."""


async def chosen(
    tables: Sequence[Mapping[str, Any]],
    listed: Mapping[str, Any],
    question: str,
    like: Likeness | None = None,
    meets: Meets | None = None,
) -> tuple[Description, Links] | None:
    """The table that the question says most of: its values, its columns, words of its name; where that is not much
    more than of others, the one that its words mean most of; else, of those it says most of, the only one of which a
    row `meets` it. None where that is unclear too."""
    found, asked = list[tuple[int, Description, Links]](), stems([question])
    for table in (among := of_document(tables, question)):
        columns, held = [Column(*each) for each in table["columns"]], listed["profiles"][table["name"]]
        notes = Notes.model_validate(listed["noted"][table["name"]]["notes"])
        description = described(table["name"], columns, held["counts"], held["values"], notes, question)
        description = converted(description, question)
        if among is not tables:
            # So that its ending is no word that was left over.
            description = replace(description, names=(*description.names, table["document"]))
        links = link(question, description)
        # A sheet's own name is no condition on its rows.
        own_name = [] if among is tables else [*places(table["sheet"], question)]
        for each in (links.numbers, links.dates):
            each[:] = [one for one in each if not over(span(one), own_name)]
        # What one table spells and another says in its own language tells them apart no more.
        more = await translated(description, links, like) if like else []
        links.values = excluded(question, [*links.values, *(each for each in more if each.value)])
        links.fields += [each for each in more if not each.value]
        spans = [span(each) for each in (*links.values, *links.fields)]
        said = [w for w in re.finditer(r"\w+", question) if over(w.span(), spans)]
        names = PurePath(table["document"]).stem, table["sheet"] or ""
        words = stems([*names, *description.known])
        # A value tells one table from others more than the name of a column, such as `1분기`, does.
        held_in = len({span(each) for each in links.values})
        # Its own name is said as no other's is: `지역별 매출` of 지역별매출_2025.
        for name in names:
            own = {part for part in re.split(r"[\W_]+", name) if len(part) > (1 if part > "가" else 2)}
            held_in += sum(2 for part in own if any(places(part, question)))
        held_in += len({each.value for each in links.dates if description.spans(each.value)})
        units = [unit(each.unit) for each in description.fields]
        held_in += sum(2 for each in links.numbers if each.unit and each.unit in units)
        found.append((2 * len(said) + held_in + len(words & asked), description, links))
    meant = await _meant(found, question, like) if like else [0.0] * len(found)
    for scores, least in (([float(each) for each, _, _ in found], _SURE if like else 1), (meant, _CLEAR)):
        best, *others = sorted(scores, reverse=True)
        if not others or best - others[0] >= least:
            return _named(*found[scores.index(best)][1:])
    most = max(score for score, _, _ in found)
    near = [each[1:] for each in found if each[2].values and each[0] > most - _SURE] if meets else []
    met = [each for each in near if meets and await meets(*each)]
    return _named(*met[0]) if len(met) == 1 else None


def _named(description: Description, links: Links) -> tuple[Description, Links]:
    """The description with what the pairs of columns make that the question names."""
    named = sorted(links.fields, key=lambda each: (each.start, -each.end))
    return paired(description, list(dict.fromkeys(each.field for each in named))), links


def of_document(tables: Sequence[Mapping[str, Any]], question: str) -> Sequence[Mapping[str, Any]]:
    """The tables of the document that the question names, of its sheets those that it names too; else all of them."""
    named = [each for each in tables if _is_said(each["document"], question)]
    longest = max((len(each["document"]) for each in named), default=0)
    named = [each for each in named if len(each["document"]) == longest]
    return [each for each in named if each["sheet"] and any(places(each["sheet"], question))] or named or tables


def _is_said(document: str, question: str) -> bool:
    """Whether the question has its name. Without its ending a short one may be any word."""
    stem = PurePath(document).stem
    return document in question or (len(stem.encode()) >= _A_NAME and stem in question)


async def _meant(found: Sequence[tuple[int, Description, Links]], question: str, like: Likeness) -> list[float]:
    """Of each table how much liker the question's words are to its names and values than to those of the others. A
    value of several, in whatever language each has it, speaks for none of them."""
    asked = [match.span() for match in HOW_MANY.finditer(question)]
    held = [[*asked, *map(span, links.values)] for _, _, links in found]
    words = [w for w in WORD.finditer(question) if sum(over(w.span(), spans) for spans in held) < _SEVERAL]
    said = [PARTICLE.sub("", each[0]) for each in words]
    said = [each for each in said if len(each) > 1 and each.casefold() not in function_words()]
    near = [await like(said, _names(each)) for _, each, _ in found]
    usual = [mean(each) for each in zip(*near, strict=True)]
    return [sum(max(one - other, 0) for one, other in zip(each, usual, strict=True)) for each in near]


def _names(description: Description) -> list[str]:
    values = [value for each in description.fields if each.kind == "category" for value in each.values]
    heads = [name for each in description.fields for name in called(each)]
    return list(dict.fromkeys([*description.name.split("_"), *description.names, *heads, *values]))
