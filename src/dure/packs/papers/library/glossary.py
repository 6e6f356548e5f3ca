"""The glossary: what terms of papers mean, found by any of their names, also misspelled or within a question."""

import uuid
from dataclasses import asdict, dataclass
from dataclasses import field as of
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa

from dure.errors import Conflict, Forbidden, InvalidInput, Language, existing
from dure.packs.papers import TEXTS, keys
from dure.packs.papers.library.spelling import candidates, longest, near
from dure.packs.papers.library.starter import shipped, starter_id
from dure.packs.papers.storage import library
from dure.packs.papers.storage.schema import glossary as t
from dure.storage.database import Database, now

_MOST = 5
"""Terms of one lookup."""
_NEAR = 3
_LEVELS = ("easy", "expert")
_DEFINITIONS = ("easy_ko", "easy_en", "expert_ko", "expert_en")
MOST = {"term_ko": 200, "term_en": 200, "aliases": 30, "field": 64, **dict.fromkeys(_DEFINITIONS, 4000)}
"""Characters of each text at most, and how many aliases."""
_TEXT = TEXTS["tools_glossary.text"]
_COLUMNS = ("id", *MOST)


class InvalidTerm(InvalidInput, code="invalid_term", texts=TEXTS): ...


@dataclass(slots=True, kw_only=True)
class Term:
    """What a term is called, and what it means: in plain words (`easy_…`) and exactly (`expert_…`), in Korean and
    English. "" stands for what is not known. `shared`: everybody's, which nobody can remove.
    """

    term_ko: str = ""
    term_en: str = ""
    aliases: list[str] = of(default_factory=list)
    field: str = ""
    easy_ko: str = ""
    easy_en: str = ""
    expert_ko: str = ""
    expert_en: str = ""
    id: str = ""
    shared: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For HTTP, the terminal and tools."""
        return asdict(self)

    def name(self, language: Language) -> str:
        """What it is called in a language; in the other where that is all there is."""
        names = (self.term_ko, self.term_en) if language == "ko" else (self.term_en, self.term_ko)
        return names[0] or names[1]

    def entry(self, language: Language, *levels: str) -> str:
        """Its names and what it means at these levels (`easy`, `expert`; where they are missing, those there are), in a
        language or else in the other, as lines of Markdown."""
        other: Language = "en" if language == "ko" else "ko"
        told = {each: getattr(self, f"{each}_{language}") or getattr(self, f"{each}_{other}") for each in _LEVELS}
        chosen = [level for level in levels if told[level]] or [level for level in told if told[level]]
        name, also = self.name(language), self.name(other)
        lines = [f"**{name}** ({also})" if also != name else f"**{name}**"]
        lines += [f"{_TEXT[each][language]}: {told[each]}" if len(levels) > 1 else told[each] for each in chosen]
        if self.aliases:
            lines.append(f"{_TEXT['aliases'][language]}: {', '.join(self.aliases)}")
        return "\n".join(lines)

    @property
    def names(self) -> list[str]:
        """All its names: Korean, English, then the aliases."""
        return [each for each in (self.term_ko, self.term_en, *self.aliases) if each]

    @property
    def keys(self) -> list[str]:
        """The forms in which its names are compared: letters and digits alone, case folded."""
        return list(dict.fromkeys(filter(None, (keys.title_key(each)[: MOST["term_en"]] for each in self.names))))


def checked(term: Term) -> Term:
    """A term as it is stored: clean, without empty or doubled aliases.

    Raises InvalidTerm where it has no name, no definition, or is too long.
    """
    said: dict[str, Any] = {name: keys.one_line(getattr(term, name)) for name in ("term_ko", "term_en", *_DEFINITIONS)}
    tidy = Term(field=keys.one_line(term.field).casefold()[: MOST["field"]], **said)
    known = set(tidy.keys)
    for alias in map(keys.one_line, term.aliases):
        if (key := keys.title_key(alias)) and key not in known:
            known.add(key)
            tidy.aliases.append(alias)
    long = any(len(text) > MOST[name] for name, text in said.items()) or len(tidy.aliases) > MOST["aliases"]
    long = long or any(len(alias) > MOST["term_en"] for alias in tidy.aliases)
    if long or not (_names(tidy) and any(said[name] for name in _DEFINITIONS)):
        raise InvalidTerm(name=MOST["term_en"], names=MOST["aliases"], text=MOST["easy_en"])
    return tidy


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
    return [*(each for each, its in _everybodys() if names.isdisjoint(its)), *own]


def _lookup(connection: sa.Connection, owner: str, text: str) -> Looked:
    own = _own(connection, owner)
    stands = {name: each for each in reversed(own) for name in _names(each)}
    known: dict[str, Term] = {}
    for term, its in [*((each, each.keys) for each in own), *_everybodys()]:
        meant = next((stands[key] for key in its if key in stands), term) if term.shared else term
        for key in its:
            known.setdefault(key, meant)
    found = longest((each, known[each.key]) for each in candidates(text) if each.key in known)
    if found:
        return Looked(_once([term for _, term in sorted(found, key=lambda each: each[0].start)])[:_MOST])
    close = near(text, sorted(known))
    return Looked([], _once([known[key] for key, _ in close])[:_NEAR], misspelled=bool(close and close[0][1]))


def _once(terms: Terms) -> Terms:
    return list({each.id: each for each in terms}.values())
