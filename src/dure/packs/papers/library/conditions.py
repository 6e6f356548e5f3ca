"""Conditions on papers, as they are given; and what of a text can be one: authors, venues, tags, collections."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any, TypedDict

import sqlalchemy as sa

from dure.data.questions.linking import places
from dure.packs.papers import data, keys
from dure.packs.papers.storage import marks
from dure.packs.papers.storage import papers as store
from dure.packs.papers.storage.papers import Filters
from dure.packs.papers.storage.schema import authors, paper_authors, paper_marks, papers
from dure.storage.sql import among

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
    wanted: dict[str, sa.ColumnElement[bool]] = {}
    if (first := given.get("year_from")) is not None:
        wanted["year_from"] = papers.c.year >= first
    if (last := given.get("year_to")) is not None:
        wanted["year_to"] = papers.c.year <= last
    if given.get("full_text"):
        wanted["full_text"] = papers.c.full_text.is_not(None)
    if "field" in texts:
        wanted["field"] = papers.c.field == keys.one_line(texts["field"]).casefold()
    if "venue" in texts:
        known = [each for each in store.venues(connection, owner) if fits(texts["venue"], each)]
        wanted["venue"] = among(papers.c.venue, known)
    m = paper_marks.c
    for kind in texts.keys() & {"tag", "collection"}:
        its = (m.owner == owner, m.kind == kind, m.key == marks.key_of(texts[kind]))
        wanted[kind] = papers.c.number.in_(sa.select(m.paper).where(*its))
    if "author" in texts:
        name = keys.person_asked(texts["author"])
        # A name without letters is nobody's.
        wanted["author"] = papers.c.number.in_(_papers_by(owner, _named(name))) if name else sa.false()
    words = filter(None, (keys.title_key(word) for word in (query or "").split()[:20]))
    if held := [_has(owner, word) for word in words]:
        wanted["query"] = sa.and_(*held)
    return wanted


@cache
def _venues() -> dict[str, list[str]]:
    """All names of a venue, by each of them."""
    return {name: names for names in data("searches")["venues"] for name in names}


def fits(wanted: str, venue: str) -> bool:
    """Whether `venue`, as a source writes it, is the `wanted` one: it holds its words in a row, or those of another of
    its names. "NIPS" fits "Advances in Neural Information Processing Systems 30"; "ACL" does not fit "NAACL"."""
    has, key = f" {keys.name_key(venue)} ", keys.name_key(wanted)
    known = _venues()
    names = known.get(key, [key])
    # A longer name that holds a shorter one is another venue's.
    others = (other for name in names for other in known if name in other and other not in names)
    return any(f" {name} " in has for name in names) and not any(f" {other} " in has for other in others)


def _has(owner: str, word: str) -> sa.ColumnElement[bool]:
    in_name = papers.c.number.in_(_papers_by(owner, [authors.c.name_key.contains(word, autoescape=True)]))
    in_title = papers.c.title_key.contains(word, autoescape=True)
    return sa.or_(in_title, in_name, sa.func.lower(papers.c.venue).contains(word, autoescape=True))


def _papers_by(owner: str, names: list[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    of = sa.select(paper_authors.c.paper).join(authors, authors.c.number == paper_authors.c.author)
    return of.where(authors.c.owner.in_(["", owner]), *names)


def _named(words: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    """Authors of this name. Of one word: any of theirs, one letter its beginning. Of more, the first and the last word
    have to be theirs, and what is between them says nothing; where either name has an initial for the first word, or
    after the family name ("Vaswani A"), Ashish Vaswani and A. Vaswani are one."""
    name = " " + authors.c.name_key + " "
    first, last = words[0], words[-1]
    if len(words) == 1:
        return [name.contains(f" {first}" if len(first) == 1 else f" {first} ", autoescape=True)]
    if len(last) == 1:
        first, last = last, first
    initial = first[0]
    fits = [name.startswith(f" {initial} "), name.endswith(f" {initial} ")]
    fits.append(name.startswith(f" {first}") if first == initial else name.contains(f" {first} "))
    return [name.contains(f" {last} "), sa.or_(*fits)]


def conditions(connection: sa.Connection, owner: str, text: str) -> dict[str, list[str]]:
    """By the filter that takes it, each value as it stands in the text (an author's name maybe in part) or in the
    library."""
    venues = [each for each in store.venues(connection, owner) if any(places(each, text))]
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
    names = store.authors_in(connection, owner, keys.name_key(bare), sorted(last))
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
