"""What papers cite: references as they stand in a record, and citations where the cited paper is here too."""

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from dure.packs.papers.storage.papers import own_of, put
from dure.packs.papers.storage.schema import paper_citations, paper_references
from dure.packs.papers.storage.schema import papers as t
from dure.storage.sql import Prepared, among

# Steps instead of one join: each is a look-up by an index, whatever the planner thinks.
_STANDS_FOR = Prepared(sa.select(t.c.shared, t.c.number).where(among(t.c.number, "numbers"), t.c.shared.is_not(None)))
_CITED = Prepared(
    sa.select(paper_citations.c.citing, paper_citations.c.cited)
    .where(among(paper_citations.c.citing, "numbers"))
    .order_by(paper_citations.c.cited)
)
_ID_OF = Prepared(sa.select(t.c.number, t.c.id, t.c.owner).where(among(t.c.number, "numbers")))


def references_of(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, list[str]]:
    """Ids of the papers that others cite, where the owner sees them; a paper of everybody's that one of the owner's
    stands for cites, and is cited, as that one."""
    meant = {number: number for number in numbers}
    meant |= dict(_STANDS_FOR.run(connection, {"numbers": list(numbers)}).fetchall())
    pairs = [(meant[row[0]], row[1]) for row in _CITED.run(connection, {"numbers": list(meant)}).fetchall()]
    cited = sorted({number for _, number in pairs})
    own = own_of(connection, owner, cited)
    rows = _ID_OF.run(connection, {"numbers": sorted({own.get(number, number) for number in cited})}).fetchall()
    id_of = {row[0]: row[1] for row in rows if row[2] in ("", owner)}
    found: dict[int, list[str]] = {}
    for citing, number in pairs:
        id = id_of.get(own.get(number, number))
        if id is not None and id not in found.setdefault(citing, []):
            found[citing].append(id)
    return found


def citing(connection: sa.Connection, numbers: Sequence[int]) -> list[int]:
    """Numbers of the papers that cite one of `numbers`."""
    query = sa.select(paper_citations.c.citing).where(among(paper_citations.c.cited, list(numbers)))
    return list(connection.execute(query.order_by(paper_citations.c.citing).distinct()).scalars())


def pairs(connection: sa.Connection, owner: str) -> list[tuple[int, int]]:
    """(citing paper, cited paper) of all papers that the owner sees, or could."""
    query = sa.select(paper_citations.c.citing, paper_citations.c.cited)
    query = query.join(t, t.c.number == paper_citations.c.citing).where(t.c.owner.in_(["", owner]))
    return [(row[0], row[1]) for row in connection.execute(query)]


_KINDS = {"title": t.c.title_key, "doi": t.c.doi, "arxiv": t.c.arxiv_id, "acl": t.c.acl_id, "key": t.c.key}


def reference_keys(connection: sa.Connection, numbers: Sequence[int]) -> dict[int, set[str]]:
    """The keys of all that papers cite: as they were told of what is not here, and each key of what is."""
    found: dict[int, set[str]] = {}
    told = sa.select(paper_references.c.paper, paper_references.c.key)
    for number, key in connection.execute(told.where(among(paper_references.c.paper, numbers))):
        found.setdefault(number, set()).add(key)
    cited = sa.select(paper_citations.c.citing, *_KINDS.values()).join(t, t.c.number == paper_citations.c.cited)
    for number, *values in connection.execute(cited.where(among(paper_citations.c.citing, numbers))):
        known = {f"{kind}:{value}" for kind, value in zip(_KINDS, values, strict=True) if value}
        found.setdefault(number, set()).update(known)
    return found


def link(connection: sa.Connection, owner: str, keys: Iterable[str]) -> None:
    """Make citations of those of the owner's references with one of these `keys` (`title:…`, `doi:…`, `arxiv:…`,
    `acl:…`, `key:…`) whose paper is here: the owner's, or else everybody's."""
    wanted: dict[str, list[str]] = {}
    for key in sorted(set(keys)):
        kind, _, value = key.partition(":")
        wanted.setdefault(kind, []).append(value)
    for kind, values in wanted.items():
        column = _KINDS[kind]
        query = sa.select(t.c.number, column).where(t.c.owner.in_(["", owner]), among(column, values))
        # The owner's own come last and win.
        cited = {f"{kind}:{row[1]}": row[0] for row in connection.execute(query.order_by(t.c.owner, t.c.number))}
        if not cited:
            continue
        open_ones = sa.and_(paper_references.c.owner == owner, among(paper_references.c.key, sorted(cited)))
        query = sa.select(paper_references.c.paper, paper_references.c.key).where(open_ones)
        rows = {(row[0], cited[row[1]]) for row in connection.execute(query)}
        pairs = [{"citing": citing, "cited": number} for citing, number in sorted(rows) if citing != number]
        put(connection, paper_citations, pairs)
        connection.execute(paper_references.delete().where(open_ones))
