"""The glossary: what terms of papers mean, found by any of their names, also misspelled or within a question."""

import uuid
from dataclasses import dataclass
from dataclasses import field as of
from functools import cache

import orjson
import sqlalchemy as sa

from dure.errors import Conflict, Forbidden, InvalidInput, existing
from dure.packs.papers import TEXTS
from dure.packs.papers.library.spelling import candidates, longest, near
from dure.packs.papers.library.starter import shipped, starter_id
from dure.packs.papers.library.term import Term, checked
from dure.packs.papers.storage import library
from dure.packs.papers.storage.schema import glossary as t
from dure.storage.database import Database, now

_MOST = 5
"""Terms of one lookup."""
_NEAR = 3
_COLUMNS = ("id", "term_ko", "term_en", "aliases", "field", "easy_ko", "easy_en", "expert_ko", "expert_en")


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


class Glossary:
    """Terms of all owners. Every method sees the terms of the `owner` it is given, and everybody's, which Dure ships,
    where the owner has none of the name.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lookup(self, owner: str, text: str) -> Looked:
        """The terms that `text` is or holds ("어텐션이 뭐야?"), at most five; of names that overlap the longest."""
        return await self._database.read(_lookup, owner, text)

    async def list(self, owner: str) -> Terms:
        """All terms: everybody's, then the owner's, each in the order they were added."""
        return await self._database.read(seen_by, owner)

    async def add(self, owner: str, term: Term) -> Term:
        """Store a term of the owner's own; it stands for everybody's of the same name.

        Raises InvalidTerm without a name or a definition, TermExists where the owner has one of that name.
        """
        if not owner:
            raise InvalidInput(reason=TEXTS.phrase("library.term"))
        return await self._database.write(_add, owner, checked(term))

    async def remove(self, owner: str, id: str) -> Term:
        """Remove one of the owner's own. Raises NotFound, SharedTerm."""
        return await self._database.write(_remove, owner, id)


@cache
def _everybodys() -> list[tuple[Term, list[str]]]:
    """The terms that Dure ships, each with the keys it is found by."""
    lines = map(orjson.loads, shipped("glossary").splitlines())
    terms = [Term(id=starter_id(fields.pop("key"), "term"), shared=True, **fields) for fields in lines]
    return [(each, each.keys) for each in terms]


def _own(connection: sa.Connection, owner: str) -> Terms:
    query = sa.select(*(t.c[name] for name in _COLUMNS)).where(t.c.owner == owner).order_by(t.c.number)
    return [Term(**row) for row in connection.execute(query).mappings()]


def _names(term: Term) -> list[str]:
    """The keys of what it is called, without its aliases."""
    return Term(term_ko=term.term_ko, term_en=term.term_en).keys


def _add(connection: sa.Connection, owner: str, term: Term) -> Term:
    # Before looking: it makes whoever adds the same term at the same time wait.
    library.touch(connection, owner)
    there = next((each for each in _own(connection, owner) if {*_names(each)} & {*_names(term)}), None)
    if there is not None:
        raise TermExists(term=there.name("ko"))
    term.id = uuid.uuid4().hex
    values = {name: getattr(term, name) for name in _COLUMNS}
    connection.execute(t.insert().values(owner=owner, created_at=now(), **values))
    return term


def _remove(connection: sa.Connection, owner: str, id: str) -> Term:
    term = existing(next((each for each in seen_by(connection, owner) if each.id == id), None), "term", id)
    if term.shared:
        raise SharedTerm(term=term.name("ko"))
    library.touch(connection, owner)
    connection.execute(t.delete().where(t.c.id == id, t.c.owner == owner))
    return term


def seen_by(connection: sa.Connection, owner: str) -> Terms:
    """Everybody's terms but those that one of the owner's stands for, then the owner's."""
    own = _own(connection, owner)
    names = {name for each in own for name in _names(each)}
    return [*(each for each, keys in _everybodys() if names.isdisjoint(keys)), *own]


def _lookup(connection: sa.Connection, owner: str, text: str) -> Looked:
    own = _own(connection, owner)
    stands = {name: each for each in reversed(own) for name in _names(each)}
    known: dict[str, Term] = {}
    for term, keys in [*((each, each.keys) for each in own), *_everybodys()]:
        meant = next((stands[key] for key in keys if key in stands), term) if term.shared else term
        for key in keys:
            known.setdefault(key, meant)
    found = longest((each, known[each.key]) for each in candidates(text) if each.key in known)
    if found:
        return Looked(_once([term for _, term in sorted(found, key=lambda each: each[0].start)])[:_MOST])
    close = near(text, sorted(known))
    return Looked([], _once([known[key] for key, _ in close])[:_NEAR], misspelled=bool(close and close[0][1]))


def _once(terms: Terms) -> Terms:
    return list({each.id: each for each in terms}.values())
