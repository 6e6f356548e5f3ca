"""The glossary: what terms of papers mean, found by any of their names, also misspelled or within a question."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as of
from typing import Any

import sqlalchemy as sa

from dure.errors import Conflict, Forbidden, InvalidInput, NotFound, Text
from dure.packs.papers.library.spelling import candidates, longest, near
from dure.packs.papers.library.starter import Starter, starter_id
from dure.packs.papers.library.term import Term, checked
from dure.packs.papers.storage import glossary, library
from dure.packs.papers.texts import TEXTS
from dure.storage.database import Database

_MOST = 5
"""Terms of one lookup."""
_NEAR = 3
_COLUMNS = ("term_ko", "term_en", "aliases", "field", "easy_ko", "easy_en", "expert_ko", "expert_en")


class TermExists(Conflict, code="term_exists", texts=TEXTS): ...


class SharedTerm(Forbidden, code="shared_term", texts=TEXTS):
    """One of everybody's terms was to be removed."""


@dataclass(slots=True)
class Looked:
    """What a lookup found. `terms`: those named, in the text's order. `near`: where none is, what may be meant, best
    first. `misspelled`: whether the first of these has a name that is spelled nearly so.
    """

    terms: list[Term] = of(default_factory=list)
    near: list[Term] = of(default_factory=list)
    misspelled: bool = False


Terms = list[Term]


class Glossary(Starter):
    """Terms of all owners. Every method sees the terms of the `owner` it is given, and everybody's where the owner has
    none of the name. Everybody's are those that Dure ships; they are loaded at the first use.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database, "glossary", _load)

    async def lookup(self, owner: str, text: str) -> Looked:
        """The terms that `text` is or holds ("어텐션이 뭐야?"), at most five; of names that overlap the longest."""
        return await self._read(_lookup, owner, text)

    async def list(self, owner: str) -> Terms:
        """All terms: everybody's, then the owner's, each in the order they were added."""
        return await self._read(seen_by, owner)

    async def get(self, owner: str, id: str) -> Term:
        """Raises NotFound."""
        row = await self._read(glossary.get, owner, id)
        if row is None:
            raise NotFound(what="term", id=id)
        return _term(row)

    async def add(self, owner: str, term: Term) -> Term:
        """Store a term of the owner's own; it stands for everybody's of the same name.

        Raises InvalidTerm without a name or a definition, TermExists where the owner has one of that name.
        """
        if not owner:
            raise InvalidInput(reason=Text("a term needs an owner", ko="용어에는 소유자가 있어야 합니다"))
        await self.ready()
        return await self._database.write(_add, owner, checked(term))

    async def remove(self, owner: str, id: str) -> Term:
        """Remove one of the owner's own. Raises NotFound, SharedTerm."""
        await self.ready()
        return await self._database.write(_remove, owner, id)


def _load(connection: sa.Connection, lines: list[dict[str, Any]]) -> None:
    glossary.clear(connection, "")
    terms = [Term(id=starter_id(fields.pop("key"), "term"), **fields) for fields in lines]
    glossary.add(connection, "", list(map(_stored, terms)))


def _stored(term: Term) -> tuple[dict[str, Any], list[str]]:
    """The values of its columns, and the keys it is found by."""
    return {name: getattr(term, name) for name in ("id", *_COLUMNS)}, term.keys


def _term(row: glossary.Row) -> Term:
    return Term(id=row["id"], shared=row["owner"] == "", **{name: row[name] for name in _COLUMNS})


def _names(term: Term) -> set[str]:
    """The keys of what it is called, without its aliases."""
    return set(Term(term_ko=term.term_ko, term_en=term.term_en).keys)


def _add(connection: sa.Connection, owner: str, term: Term) -> Term:
    # Before looking: it makes whoever adds the same term at the same time wait.
    library.touch(connection, owner)
    names = _names(term)
    for _, row in glossary.by_keys(connection, owner, sorted(names)):
        there = _term(row)
        if not there.shared and names & _names(there):
            raise TermExists(term=there.name("ko"))
    term.id = uuid.uuid4().hex
    glossary.add(connection, owner, [_stored(term)])
    return term


def _remove(connection: sa.Connection, owner: str, id: str) -> Term:
    row = glossary.get(connection, owner, id)
    if row is None:
        raise NotFound(what="term", id=id)
    term = _term(row)
    if term.shared:
        raise SharedTerm(term=term.name("ko"))
    glossary.delete(connection, owner, id)
    return term


def seen_by(connection: sa.Connection, owner: str) -> Terms:
    """Everybody's terms but those that one of the owner's stands for, then the owner's."""
    found = [_term(row) for row in glossary.listing(connection, owner)]
    own = {name for each in found if not each.shared for name in _names(each)}
    return [each for each in found if not (each.shared and own.intersection(each.keys))]


def _lookup(connection: sa.Connection, owner: str, text: str) -> Looked:
    possible = candidates(text)
    named = _by_keys(connection, owner, {each.key for each in possible})
    found: dict[int, Term] = {}
    places = []
    for each in possible:
        if each.key in named:
            number, found[number] = named[each.key]
            places.append((each, number))
    if places:
        return Looked(_own_first(connection, owner, [found[number] for number in longest(places)])[:_MOST])
    close = near(text, glossary.keys_of(connection, owner))
    if not close:
        return Looked()
    named = _by_keys(connection, owner, {key for key, _ in close})
    terms = _own_first(connection, owner, [named[key][1] for key, _ in close])
    return Looked([], terms[:_NEAR], misspelled=close[0][1])


def _by_keys(connection: sa.Connection, owner: str, keys: Iterable[str]) -> dict[str, tuple[int, Term]]:
    """For each key the number and the term it leads to; the owner's own where there are two."""
    found: dict[str, tuple[int, Term]] = {}
    for key, row in glossary.by_keys(connection, owner, sorted(keys)):
        found.setdefault(key, (row["number"], _term(row)))
    return found


def _own_first(connection: sa.Connection, owner: str, terms: Terms) -> Terms:
    """The terms, each of everybody's replaced by the owner's own that is called by one of its names."""
    keys = {key for each in terms if each.shared for key in each.keys}
    rows = [_term(row) for _, row in glossary.by_keys(connection, owner, sorted(keys))] if keys else []
    own = {name: each for each in reversed(rows) if not each.shared for name in _names(each)}
    chosen: dict[str, Term] = {}
    for each in terms:
        replaced = next((own[key] for key in each.keys if key in own), each) if each.shared else each
        chosen.setdefault(replaced.id, replaced)
    return list(chosen.values())
