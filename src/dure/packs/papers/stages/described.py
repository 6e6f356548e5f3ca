"""The library of papers and its glossary as described data: `questions.toml`, and the values a question can mean."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from dure.data.questions.description import Description, Field, called, from_table
from dure.data.questions.linking import Link, Links, link, places
from dure.data.questions.sql import literal
from dure.packs.papers import data, keys
from dure.packs.papers.library.conditions import fits
from dure.packs.papers.stages.lines import once
from dure.packs.papers.stages.meant import Meant
from dure.teams.stages.stage import Paper

NAMED = ("paper", "cites_paper", "cited_by_paper")
"""Fields whose values are papers."""


@cache
def described() -> dict[str, Description]:
    """What can be counted of `papers` and of the `glossary`, without the values that only a library knows."""
    return {name: from_table(held) for name, held in data("questions").items()}


def looked_up(question: str) -> str:
    """SQL of the library's own values that can stand in the question: authors, terms, tags and collections that it
    names, all venues, and whether the user has added papers."""
    asked = f"lower({literal(question)})"
    return (
        f"SELECT 'author' AS field, name AS v, '' AS also FROM authors WHERE contains({asked}, lower(name)) "  # noqa: S608
        f"UNION ALL SELECT 'title', term_en, term_ko FROM glossary WHERE contains({asked}, lower(term_ko)) "
        "UNION ALL SELECT DISTINCT 'venue', venue, '' FROM papers WHERE venue <> '' "
        "UNION ALL SELECT DISTINCT 'term field', field, '' FROM glossary "
        "UNION ALL SELECT DISTINCT 'own_papers', 'own', '' FROM papers WHERE own "
        f"UNION ALL SELECT DISTINCT kind, name, '' FROM marks WHERE contains({asked}, lower(name))"
    )


def spoken_of(known: Meant) -> list[Paper]:
    """The papers that the message names, and those that it points to, of which another agent may have to tell."""
    return once([*known.named, *known.papers])


def linked(question: str, rows: Sequence[Sequence[Any]], known: Meant) -> tuple[Description, Links]:
    """What the question is asked of, and what of it is known. rows: of `looked_up`."""
    papers, glossary = described()["papers"], described()["glossary"]
    held: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for kind, value, also in rows:
        held[kind][str(value)] = (str(also),) if also else ()
    if any(any(places(name, question)) for name in (*glossary.label.values(), *glossary.names)):
        its = papers.field("field").values
        description = _valued(glossary, {"field": {each: its.get(each, ()) for each in held["term field"]}})
        return description, link(question, description)
    names = {
        str(paper["title"]): (*map(str, paper.get("aliases") or ()), *_cited(paper, question))
        for paper in spoken_of(known)
    }
    spoken = tuple(each for each in papers.fields if not each.optional or _spoken_of(each, held[each.name], question))
    description = _valued(replace(papers, fields=spoken), {**held, **dict.fromkeys(NAMED, names)})
    links = link(question, description)
    # "That paper" stands for papers whose names are nowhere in the question.
    unnamed = [title for title in names if title not in links.values_of("paper")]
    links.values += [Link(name, title, 0, 0) for title in unnamed for name in NAMED]
    return description, links


def _cited(paper: Paper, question: str) -> Iterator[str]:
    """How the question cites a paper: by an author with its year right behind, which is no condition then."""
    families = {name for author in paper.get("authors") or () for name in keys.name_key(str(author)).split()[-1:]}
    for year in re.finditer(rf"(?<!\d){paper.get('year')}(?!\d|\s?년)", question):
        author = keys.without_others(question[: year.start()].rstrip(" ,(")).split(" ")[-1].lstrip("(")
        if keys.name_key(author) in families:
            yield question[question.rindex(author, 0, year.start()) : year.end()]


def _spoken_of(field: Field, held: Mapping[str, tuple[str, ...]], question: str) -> bool:
    """Whether the library has values of an optional field, of which the question speaks."""
    said = [name for value in held for name in field.values.get(value, called(field))]
    return any(any(places(name, question)) for name in said)


def _valued(base: Description, held: Mapping[str, Mapping[str, tuple[str, ...]]]) -> Description:
    """With the values that are held of its fields; each venue by its names, and as the library's sources write it."""

    def valued(field: Field) -> Field:
        its = held.get(field.name, {})
        if field.name != "venue":
            return replace(field, values={**field.values, **its})
        members = {name: tuple(each for each in its if fits(name, each)) for name in field.values if name not in its}
        others = {each: () for each in its if each not in field.values}
        return replace(field, values={**others, **field.values}, members=members)

    return replace(base, fields=tuple(map(valued, base.fields)))
