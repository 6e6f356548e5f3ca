"""Papers with their authors, short names and citations. Every query names the owner, who sees their own papers and
everybody's (owner ""), but not those of everybody's that a paper of their own stands for.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from dure.packs.papers.storage.schema import (
    authors,
    paper_aliases,
    paper_authors,
    paper_citations,
    paper_references,
)
from dure.packs.papers.storage.schema import papers as t
from dure.storage.schema import documents, passages
from dure.storage.sql import Prepared, among, insert, rows

Row = dict[str, Any]
Filters = Mapping[str, sa.ColumnElement[bool]]
"""What papers must be, by the name of the filter that asks it."""

_own = t.alias("own")


def visible(owner: str) -> sa.ColumnElement[bool]:
    """The rows of `papers` that an owner sees."""
    stands_for = sa.exists().where(_own.c.shared == t.c.number, _own.c.owner == owner)
    return sa.or_(t.c.owner == owner, sa.and_(t.c.owner == "", ~stands_for)) if owner else t.c.owner == ""


_card, _text = documents.alias("card_document"), documents.alias("text_document")
_PAPERS = sa.select(
    t, _card.c.id.label("document_id"), _text.c.id.label("full_text_id"), _text.c.status.label("text_status")
).select_from(t.join(_card, _card.c.number == t.c.card).outerjoin(_text, _text.c.number == t.c.full_text))
"""Papers with what is needed of their documents; made once, since making it takes longer than running it."""

# The owner is looked at after: asked for it, SQLite goes through all of the owner's papers.
_BY_NUMBERS = Prepared(_PAPERS.where(among(t.c.number, "numbers")))


_READ = Prepared(sa.select(t.c.number).where(t.c.owner == sa.bindparam("of"), t.c.full_text.is_not(None)).limit(1))


def any_read(connection: sa.Connection, owner: str) -> bool:
    """Whether an owner has papers with full texts."""
    return bool(_READ.rows(connection, {"of": owner}))


def get(connection: sa.Connection, owner: str, id: str) -> Row | None:
    """A paper that the owner sees."""
    return next(iter(rows(connection, _PAPERS.where(t.c.id == id, visible(owner)))), None)


def by_numbers(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, Row]:
    """Those of `numbers` that the owner sees."""
    found = _BY_NUMBERS.rows(connection, {"numbers": list(numbers)}) if numbers else []
    return {row["number"]: row for row in _seen(connection, owner, found)}


def _seen(connection: sa.Connection, owner: str, found: Sequence[Row]) -> list[Row]:
    """Those of rows with a paper's `number` and `owner` that the owner sees."""
    hidden = own_of(connection, owner, sorted({row["number"] for row in found if row["owner"] == ""}))
    return [row for row in found if row["owner"] == owner or (row["owner"] == "" and row["number"] not in hidden)]


def listing(
    connection: sa.Connection, owner: str, filters: Filters, limit: int, offset: int = 0, *, by_citations: bool = False
) -> list[Row]:
    """Papers that fit, newest first, or those most cited first."""
    newest = (t.c.year.desc().nulls_last(), t.c.number.desc())
    order = (t.c.citations.desc().nulls_last(), *newest) if by_citations else newest
    query = _PAPERS.where(visible(owner), *filters.values()).order_by(*order).limit(limit).offset(offset)
    return rows(connection, query)


def venues(connection: sa.Connection, owner: str) -> list[str]:
    """All venues' names of papers that the owner sees, or could."""
    query = sa.select(t.c.venue).where(t.c.owner.in_(["", owner])).distinct()
    return list(connection.execute(query).scalars())


def authors_in(connection: sa.Connection, owner: str, text: str, last: Sequence[str]) -> list[str]:
    """The `name_key`s of authors, seen or not, that stand whole in `text` (a `name_key` too), or whose last word is one
    of `last`."""
    name = authors.c.name_key
    fits = [sa.literal(text).contains(name), *(name.endswith(f" {word}", autoescape=True) for word in last)]
    query = sa.select(name).where(authors.c.owner.in_(["", owner]), name != "", sa.or_(*fits)).distinct()
    return sorted(connection.execute(query).scalars())


_IDS = Prepared(sa.select(documents.c.number, documents.c.id).where(among(documents.c.id, "ids")))
# As above.
_OF_DOCUMENTS = [
    Prepared(sa.select(column, t.c.number, t.c.owner).where(among(column, "numbers")))
    for column in (t.c.card, t.c.full_text)
]


def of_documents(connection: sa.Connection, owner: str, ids: Sequence[str]) -> dict[str, int]:
    """The numbers of the papers whose card or full text the documents `ids` are; a paper of everybody's that one of
    the owner's stands for gives that one's."""
    id_of = dict(_IDS.run(connection, {"ids": list(ids)}).fetchall())
    found: dict[str, int] = {}
    for query in _OF_DOCUMENTS:
        papers = query.run(connection, {"numbers": sorted(id_of)}).fetchall()
        found |= {id_of[row[0]]: row[1] for row in papers if row[2] in ("", owner)}
    own = own_of(connection, owner, sorted(set(found.values())))
    return {id: own.get(number, number) for id, number in found.items()}


AUTHORS = Prepared(
    sa.select(paper_authors.c.paper, authors.c.name)
    .join(authors)
    .where(among(paper_authors.c.paper, "numbers"))
    .order_by(paper_authors.c.paper, paper_authors.c.position)
)
ALIASES = Prepared(
    sa.select(paper_aliases.c.paper, paper_aliases.c.alias)
    .where(among(paper_aliases.c.paper, "numbers"))
    .order_by(paper_aliases.c.paper, paper_aliases.c.alias)
)


def names_of(connection: sa.Connection, query: Prepared, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The names that `AUTHORS` or `ALIASES` finds of papers, in order."""
    found: dict[int, list[str]] = {}
    for number, text in query.run(connection, {"numbers": list(numbers)}).fetchall():
        found.setdefault(number, []).append(text)
    return found


_OWN = Prepared(
    sa.select(t.c.shared, t.c.number).where(t.c.owner == sa.bindparam("owner"), among(t.c.shared, "numbers"))
)


def own_of(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> dict[int, int]:
    """The owner's papers that stand for those of everybody's among `numbers`, by these."""
    return dict(_OWN.run(connection, {"owner": owner, "numbers": list(numbers)}).fetchall())


def outlines(connection: sa.Connection, owner: str) -> list[Row]:
    """All papers that the owner sees, without their texts. `own`: added by the owner."""
    names = ("number", "id", "title", "year", "venue", "field", "citations", "arxiv_id", "doi", "url", "shared")
    columns = [*(t.c[name] for name in names), (t.c.owner != "").label("own")]
    return rows(connection, sa.select(*columns).where(visible(owner)).order_by(t.c.number))


def authorships(connection: sa.Connection, owner: str) -> list[tuple[int, int, str, str]]:
    """(paper, position, author's name key, name) of all papers that the owner sees, or could."""
    query = sa.select(paper_authors.c.paper, paper_authors.c.position, authors.c.name_key, authors.c.name)
    query = query.join(authors, authors.c.number == paper_authors.c.author).where(authors.c.owner.in_(["", owner]))
    ordered = query.order_by(paper_authors.c.paper, paper_authors.c.position)
    return list(connection.execute(ordered).tuples())


def passages_within(connection: sa.Connection, owner: str, filters: Filters) -> list[int]:
    """Ids of the passages of all papers that fit: of their cards and full texts."""
    fitting = sa.select(t.c.card, t.c.full_text).where(visible(owner), *filters.values()).cte("fitting")
    every = sa.union_all(
        *(
            sa.select(passages.c.id).join(fitting, passages.c.document == column)
            for column in (fitting.c.card, fitting.c.full_text)
        )
    )
    return list(connection.execute(every).scalars())


def of_authors(connection: sa.Connection, owner: str, names: Sequence[str], limit: int) -> list[int]:
    """Numbers of papers with an author of one of these names, whole or the family name behind a blank; each a
    `name_key`. Those with most such authors first, of them the owner's own."""
    if not names:
        return []
    named = [authors.c.name_key.in_(names), *(authors.c.name_key.like(f"% {name}") for name in names if name.isascii())]
    query = sa.select(t.c.number).join(paper_authors, t.c.number == paper_authors.c.paper).join(authors)
    query = query.where(authors.c.owner.in_(["", owner]), sa.or_(*named)).group_by(t.c.number, t.c.owner)
    order = (sa.func.count().desc(), t.c.owner.desc(), t.c.number)
    return list(connection.execute(query.order_by(*order).limit(limit)).scalars())


def fitting(connection: sa.Connection, numbers: Sequence[int], owner: str, filters: Filters) -> set[int]:
    """Of documents, by number, those that are cards or full texts of papers that fit."""
    found = list[Row]()
    for column in (t.c.card, t.c.full_text):
        # The owner is looked at after: see `by_numbers`.
        query = sa.select(column.label("document"), t.c.number, t.c.owner)
        found += rows(connection, query.where(among(column, numbers), *filters.values()))
    return {row["document"] for row in _seen(connection, owner, found)}


def same(connection: sa.Connection, owner: str, values: Mapping[str, Iterable[str]]) -> list[Row]:
    """Papers of the owner and of everybody's, seen or not, that have one of the `values` of a column by which a paper
    is known to be the same one: `key`, `doi`, `arxiv_id`, `acl_id`, `title_key`."""
    found: dict[int, Row] = {}
    for column, wanted in values.items():
        known = sorted({each for each in wanted if each})
        query = _PAPERS.where(t.c.owner.in_(["", owner]), among(t.c[column], known))
        found.update({row["number"]: row for row in rows(connection, query)})
    return [found[number] for number in sorted(found)]


def everybodys(connection: sa.Connection) -> list[Row]:
    """All papers that belong to everybody."""
    return rows(connection, _PAPERS.where(t.c.owner == "").order_by(t.c.number))


def by_alias(connection: sa.Connection, owner: str, keys: Sequence[str]) -> list[tuple[str, int, str]]:
    """(alias key, paper's number, alias) of papers that the owner sees."""
    query = sa.select(paper_aliases.c.alias_key, t.c.number, paper_aliases.c.alias)
    query = query.join(t, t.c.number == paper_aliases.c.paper)
    return list(connection.execute(query.where(among(paper_aliases.c.alias_key, keys), visible(owner))).tuples())


def add(connection: sa.Connection, new: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Store new papers' rows; their numbers, by id."""
    if not new:
        return {}
    connection.execute(t.insert(), list(new))
    query = sa.select(t.c.id, t.c.number).where(among(t.c.id, [row["id"] for row in new]))
    return dict(connection.execute(query).tuples().all())


def update(connection: sa.Connection, number: int, **values: Any) -> None:
    connection.execute(t.update().where(t.c.number == number).values(values))


def set_authors(connection: sa.Connection, owner: str, names: Mapping[int, Sequence[tuple[str, str]]]) -> None:
    """Give papers their authors, as (name, name key) in order; what they had is replaced."""
    keys = {key: name for each in names.values() for name, key in each if key}
    if not names:
        return
    connection.execute(paper_authors.delete().where(among(paper_authors.c.paper, names)))
    if not keys:
        return
    # In one order everywhere, so that two imports at once do not wait for each other.
    put(connection, authors, [{"owner": owner, "name": keys[key], "name_key": key} for key in sorted(keys)])
    query = sa.select(authors.c.name_key, authors.c.number).where(authors.c.owner == owner)
    numbers = dict(connection.execute(query.where(among(authors.c.name_key, keys))).tuples().all())
    placed = [
        {"paper": paper, "position": position, "author": numbers[key]}
        for paper, each in names.items()
        for position, key in enumerate(dict.fromkeys(key for _, key in each if key), 1)
    ]
    connection.execute(paper_authors.insert(), placed)


def put(connection: sa.Connection, table: sa.Table, new: Sequence[dict[str, Any]]) -> None:
    """Store those rows of a table that are not there yet."""
    if new:
        connection.execute(insert(connection, table).on_conflict_do_nothing(), new)


def forget(connection: sa.Connection, numbers: Sequence[int]) -> None:
    """Drop what papers are called besides, and what they cite."""
    for column in (paper_aliases.c.paper, paper_references.c.paper, paper_citations.c.citing):
        connection.execute(sa.delete(column.table).where(among(column, numbers)))


def delete(connection: sa.Connection, number: int) -> None:
    """Delete a paper, all but its documents."""
    connection.execute(t.delete().where(t.c.number == number))
