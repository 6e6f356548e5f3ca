"""The library of papers and its glossary as described data: `questions.toml`, and the values a question can mean."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from dure.data.questions.description import Description, Field, from_table
from dure.data.questions.linking import Link, Links, link, places
from dure.data.questions.sql import literal
from dure.packs.papers.library.conditions import fits
from dure.packs.papers.stages.lines import once
from dure.packs.papers.stages.meant import Meant
from dure.teams.stages.stage import Paper

_FILE = Path(__file__).parent.parent / "questions.toml"
NAMED = ("paper", "cites_paper", "cited_by_paper")
"""Fields whose values are papers."""


@cache
def described() -> dict[str, Description]:
    """What can be counted of `papers` and of the `glossary`, without the values that only a library knows."""
    return {name: from_table(held) for name, held in tomllib.loads(_FILE.read_text("utf-8")).items()}


def looked_up(question: str) -> str:
    """SQL of the library's own values that can stand in the question: authors and terms that it names, all venues."""
    asked = f"lower({literal(question)})"
    return (
        f"SELECT 'author' AS field, name AS v, '' AS also FROM authors WHERE contains({asked}, lower(name)) "  # noqa: S608
        f"UNION ALL SELECT 'title', term_en, term_ko FROM glossary WHERE contains({asked}, lower(term_ko)) "
        "UNION ALL SELECT DISTINCT 'venue', venue, '' FROM papers WHERE venue <> '' "
        "UNION ALL SELECT DISTINCT 'term field', field, '' FROM glossary"
    )


def spoken_of(known: Meant) -> list[Paper]:
    """The papers that the message names, and those that it points to, of which another agent may have to tell."""
    return once([*known.named, *known.papers])


def linked(question: str, rows: Sequence[Sequence[Any]], known: Meant) -> tuple[Description, Links]:
    """What the question is asked of, and what of it is known. rows: of `looked_up`."""
    papers, glossary = described()["papers"], described()["glossary"]
    held = {kind: [(str(v), str(also)) for field, v, also in rows if field == kind] for kind in _KINDS}
    if any(True for name in (*glossary.label.values(), *glossary.names) for _ in places(name, question)):
        fields = {v: papers.field("field").values.get(v, ()) for v, _ in held["term field"]}
        description = _valued(glossary, {"field": fields})
        return description, link(question, description)
    names = {str(paper["title"]): tuple(map(str, paper.get("aliases") or ())) for paper in spoken_of(known)}
    description = _valued(
        papers,
        {
            "author": {v: () for v, _ in held["author"]},
            "title": {v: (also,) for v, also in held["title"]},
            **dict.fromkeys(NAMED, names),
        },
    )
    venue = _venues(papers.field("venue"), [v for v, _ in held["venue"]])
    fields_ = tuple(venue if each.name == "venue" else each for each in description.fields)
    description = replace(description, fields=fields_)
    links = link(question, description)
    # "That paper" stands for papers whose names are nowhere in the question.
    unnamed = [title for title in names if title not in links.values_of("paper")]
    links.values += [Link(name, title, 0, 0) for title in unnamed for name in NAMED]
    return description, links


_KINDS = ("author", "title", "venue", "term field")


def _valued(base: Description, values: dict[str, dict[str, tuple[str, ...]]]) -> Description:
    fields = tuple(replace(each, values={**each.values, **values.get(each.name, {})}) for each in base.fields)
    return replace(base, fields=fields)


def _venues(field: Field, held: Sequence[str]) -> Field:
    """Each venue by its names, and as the library's sources write it."""
    others: dict[str, tuple[str, ...]] = {each: () for each in held if each not in field.values}
    members = {name: tuple(each for each in held if fits(name, each)) for name in field.values if name not in held}
    return replace(field, values={**others, **field.values}, members=members)
