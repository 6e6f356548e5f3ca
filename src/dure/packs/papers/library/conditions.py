"""Conditions on papers, as they are given; and what of a text can be one: authors, venues, tags, collections."""

import re
import unicodedata
from typing import Any, TypedDict, cast

import sqlalchemy as sa

from dure.data.questions.linking import places
from dure.packs.papers import keys
from dure.packs.papers.library.venues import fits
from dure.packs.papers.storage import marks, papers
from dure.packs.papers.storage.papers import Filters

Conditions = dict[str, list[str]]
"""Values by the name of the filter that takes them."""
_TOKEN = re.compile(r"[^\W\d_가-힣]+")
"""A word, without the particle of Hangul behind it."""


class PaperFilters(TypedDict, total=False):
    """What papers must be: years (both ends in), words of an author's name, a venue by any of its names, a field, a tag
    and a collection of the owner's, and whether their whole text has to be here. Blank texts are no filters."""

    year_from: int | None
    year_to: int | None
    author: str | None
    venue: str | None
    field: str | None
    tag: str | None
    collection: str | None
    full_text: bool | None


_NAMES = ("author", "venue", "field", "tag", "collection")


def filters_of(connection: sa.Connection, owner: str, query: str | None, given: PaperFilters) -> Filters:
    """As the store takes them. query: words of title, authors' names or venue."""
    texts = {name: text for name in _NAMES if isinstance(text := given.get(name), str) and text.strip()}
    wanted: dict[str, Any] = {name: given.get(name) for name in ("year_from", "year_to")}
    wanted["full_text"] = given.get("full_text") or None
    wanted["text"] = list(filter(None, (keys.title_key(word) for word in (query or "").split()[:20]))) or None
    wanted["field"] = keys.one_line(texts["field"]).casefold() if "field" in texts else None
    for kind in ("tag", "collection"):
        wanted[kind] = marks.key_of(texts[kind]) if kind in texts else None
    if "venue" in texts:
        wanted["venues"] = [each for each in papers.venues(connection, owner) if fits(texts["venue"], each)]
    if "author" in texts:
        # A name without letters is nobody's.
        author = keys.person_asked(texts["author"])
        wanted |= {"author": author} if author else {"venues": []}
    return cast("Filters", {name: value for name, value in wanted.items() if value is not None})


def conditions(connection: sa.Connection, owner: str, text: str) -> Conditions:
    """By the filter's name, each value as it stands in the text (an author's name maybe in part) or in the library."""
    venues = [each for each in papers.venues(connection, owner) if any(places(each, text))]
    found = {"author": _authors(connection, owner, text), "venue": venues}
    for kind in ("tag", "collection"):
        found[kind] = [each for each in marks.names(connection, owner, kind) if any(places(each, text))]
    return found


def _authors(connection: sa.Connection, owner: str, text: str) -> list[str]:
    """Names of people of whom the text has the whole name, or with a capital the last word of it."""
    text = unicodedata.normalize("NFC", text)
    bare = "".join(map(_without_accent, text))
    tokens = [(match.span(), keys.name_key(match[0])) for match in _TOKEN.finditer(bare)]
    last = {key for (start, _), key in tokens if text[start].isupper() and len(key) > 1}
    names = papers.authors_in(connection, owner, keys.name_key(bare), sorted(last))
    found: dict[str, None] = {}
    for at, ((start, end), key) in enumerate(tokens):
        told = [set(name.split()) for name in names if name.split()[-1] == key]
        first = at
        while first and any({k for _, k in tokens[first - 1 : at]} <= name for name in told):
            first -= 1
        if told and (first < at or text[start].isupper()):
            found[text[tokens[first][0][0] : end]] = None
    # Names in Hangul have no blank, and a particle behind them.
    found |= {name: None for name in names if not name.isascii() and any(places(name, text))}
    return list(found)


def _without_accent(letter: str) -> str:
    marks = (each for each in unicodedata.normalize("NFD", letter) if not unicodedata.combining(each))
    return unicodedata.normalize("NFC", "".join(marks))
