"""Which papers a text names exactly: by title, short name, arXiv id, DOI or ACL id; and which a name alone does, also
as papers are cited. Nothing is guessed."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from dure.packs.papers import keys
from dure.packs.papers.library.conditions import PaperFilters, filters_of
from dure.packs.papers.library.lookup import listed, of_numbers
from dure.packs.papers.library.spelling import Candidate, candidates, longest
from dure.packs.papers.record import Paper
from dure.packs.papers.storage import papers

_LONGEST_TEXT = 2000
_LONGEST_TITLE = 40
"""Words."""
_WORDS = {"adam", "align", "clip", "gin", "glove", "glue", "palm", "react", "realm", "sam", "whisper", "zero"}
"""Short names that are words or people's names too: "ReAct" is a paper, "react" is not."""

_YEARED = re.compile(r"(\D+?)[\s,(]*((?:1[89]|20)\d\d)[a-z]?\)?")
_AND = re.compile(r"[,;&·]|\band\b")
_LISTED = 20

Named = Iterator[tuple[Candidate, list[int]]]
"""Names in a text, each with the numbers of the papers of that name."""


def resolve(connection: sa.Connection, owner: str, text: str) -> list[Paper]:
    """The papers that `text` names, longest name first; of one name, the newest paper first."""
    text = unicodedata.normalize("NFKC", text[:_LONGEST_TEXT])
    found = longest([*_by_id(connection, owner, text), *_by_key(connection, owner, text)])
    return of_numbers(connection, owner, list(dict.fromkeys(number for _, numbers in found for number in numbers)))


def named(connection: sa.Connection, owner: str, name: str) -> list[Paper]:
    """The papers of a name: as `resolve`, else by their first author and year ("Lindahl et al. (2020)"), else by their
    title before its colon, or where but one begins so, by its beginning."""
    name = keys.one_line(unicodedata.normalize("NFKC", name[:_LONGEST_TEXT])).strip(" .")
    return resolve(connection, owner, name) or _cited(connection, owner, name) or _begun(connection, owner, name)


def _cited(connection: sa.Connection, owner: str, name: str) -> list[Paper]:
    found = _YEARED.fullmatch(name)
    author = _AND.split(keys.without_others(found[1] if found else name))[0].strip()
    words, year = set(keys.person_asked(author)), int(found[2]) if found else None
    if not words or not (found or author != name):
        return []
    given: PaperFilters = {"author": author, "year_from": year, "year_to": year}
    of = listed(connection, owner, filters_of(connection, owner, None, given), _LISTED, 0)
    return [each for each in of if words & set(keys.name_key(each.authors[0]).split())]


def _begun(connection: sa.Connection, owner: str, name: str) -> list[Paper]:
    key = keys.title_key(name)
    of = listed(connection, owner, filters_of(connection, owner, name, {}), _LISTED, 0) if key and " " in name else []
    begun = [each for each in of if keys.title_key(each.title).startswith(key)]
    whole = [each for each in begun if keys.title_key(each.title.partition(":")[0]) == key]
    return whole or begun[: len(begun) == 1]


def _by_id(connection: sa.Connection, owner: str, text: str) -> Named:
    dois, arxiv, acl = keys.ids_in(text)
    if not (dois or arxiv or acl):
        return
    # An ACL DOI holds the id, and the paper may be known by either.
    acl += [id for id in map(keys.acl_id, dois) if id]
    rows = papers.same(connection, owner, {"doi": dois, "arxiv_id": arxiv, "acl_id": acl})
    low = text.lower()
    for number, row in papers.by_numbers(connection, owner, [row["number"] for row in rows]).items():
        places = ((low.find(id.lower()), len(id)) for id in (row["doi"], row["arxiv_id"], row["acl_id"]) if id)
        at, length = next((place for place in places if place[0] >= 0), (0, 0))
        if length:
            yield Candidate("", at, at + length), [number]


def _by_key(connection: sa.Connection, owner: str, text: str) -> Named:
    possible = candidates(text, chars=_LONGEST_TEXT, most=_LONGEST_TITLE, plurals=False)
    possible = [each for each in possible if each.whole and len(each.key) > 1]
    wanted = sorted({each.key[:300] for each in possible})
    aliased: dict[str, list[tuple[int, str]]] = {}
    for key, number, alias in papers.by_alias(connection, owner, [key for key in wanted if len(key) <= 100]):
        aliased.setdefault(key, []).append((number, alias))
    rows = papers.same(connection, owner, {"title_key": wanted})
    numbers = {row["number"] for row in rows} | {number for each in aliased.values() for number, _ in each}
    seen = papers.by_numbers(connection, owner, sorted(numbers))
    titled: dict[str, list[int]] = {}
    for number, row in seen.items():
        titled.setdefault(row["title_key"], []).append(number)
    for each in possible:
        named = {n for n, alias in aliased.get(each.key, ()) if n in seen and _is_alias(seen[n], alias, each.written)}
        named |= {n for n in titled.get(each.key[:300], ()) if _is_title(seen[n]["title"], each)}
        if named:
            yield each, sorted(named, key=lambda n: (-(seen[n]["year"] or 0), -n))


def _is_alias(paper: Mapping[str, Any], alias: str, written: str) -> bool:
    """A short name that is a word counts only as it is written; so do all plain words before a colon of what people
    bring along, while those of the shipped papers are known to be no words."""
    plain = bool(paper["owner"]) and alias.isalpha() and alias[1:].islower()
    return _same(alias, written) or not (plain or keys.alias_key(alias) in _WORDS)


def _is_title(title: str, found: Candidate) -> bool:
    """A title of one word counts only as it is written: a paper named "Learning" is not meant by every "learning"."""
    return found.words > 1 or len(found.key) > 24 or _same(title, found.written)


def _same(name: str, written: str) -> bool:
    return written == unicodedata.normalize("NFKC", name).strip()
