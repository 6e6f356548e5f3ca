"""Documents, their text and passages, and the vectors of passages. Every query names the owner.

A document is `queued`, then `indexing`, then `ready` (its text can be searched; vectors follow) or `failed`. A newer
document of the same name replaces the older ones in the moment its own text is stored, never before.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dure.storage import ingest
from dure.storage.database import now
from dure.storage.fulltext import index_of
from dure.storage.only import tag_lines
from dure.storage.schema import document_texts, documents, knowledge_versions, passages, vectors
from dure.storage.sql import Prepared, among, count_up, insert
from dure.storage.terms import is_korean

Row = sa.RowMapping

_UNFINISHED = ("queued", "indexing")


@dataclass(slots=True, frozen=True)
class NewPassage:
    """A passage to be stored: `text` stands at `[start:end]` of the document's text, under the headings `context`."""

    page: int | None
    start: int
    end: int
    text: str
    context: str | None = None


def add(connection: sa.Connection, owner: str, /, **columns: Any) -> Row:
    """Store a new document's row."""
    at = now()
    new = documents.insert().values(owner=owner, created_at=at, updated_at=at, **columns).returning(documents)
    row = connection.execute(new).mappings().one()
    ingest.submit(connection, row["id"])
    return row


def get(connection: sa.Connection, owner: str, id: str) -> Row | None:
    return find(connection, [owner], id)


def find(connection: sa.Connection, owners: Sequence[str], id: str) -> Row | None:
    """A document that one of `owners` has."""
    return next(iter(listing(connection, owners, [id])), None)


def newest(connection: sa.Connection, owner: str, name: str) -> Row | None:
    """The document of that name that was added last."""
    query = sa.select(documents).where(documents.c.owner == owner, documents.c.name == name)
    return connection.execute(query.order_by(documents.c.number.desc()).limit(1)).mappings().one_or_none()


def listing(connection: sa.Connection, owners: Sequence[str], ids: Sequence[str] | None = None) -> list[Row]:
    """All documents of owners, or those of `ids`, in the order they were added."""
    query = sa.select(documents).where(among(documents.c.owner, owners)).order_by(documents.c.number)
    if ids is not None:
        query = query.where(among(documents.c.id, ids))
    return list(connection.execute(query).mappings())


def slice_of(connection: sa.Connection, owner: str, id: str, start: int = 0, end: int = 1 << 30) -> str | None:
    """Characters `[start:end]` of a document's text; None for an unknown document or one without text."""
    piece = sa.func.substr(document_texts.c.text, start + 1, end - start)
    query = sa.select(piece).join(documents).where(documents.c.owner == owner, documents.c.id == id)
    return connection.execute(query).scalar()


def pages_of(connection: sa.Connection, owner: str, id: str) -> list[tuple[int | None, int]]:
    """Of each page its number (None where the format has none) and the offset of its first character."""
    query = sa.select(document_texts.c.pages).join(documents).where(documents.c.owner == owner, documents.c.id == id)
    return [(number, start) for number, start in connection.execute(query).scalar() or []]


def passages_of(connection: sa.Connection, owner: str, id: str) -> list[dict[str, Any]]:
    """The passages of a document, in order, with its id, title, name and kind."""
    return next_to(connection, [owner], id, -1, 1 << 30)


def passages_by_id(connection: sa.Connection, owners: Sequence[str], ids: Sequence[int]) -> list[dict[str, Any]]:
    """The owners' passages among `ids`, in order, with their document's id, title, name and kind."""
    return _BY_ID.rows(connection, {"owners": list(owners), "ids": list(ids)})


def told_with_document() -> sa.Select[Any]:
    """Passages with their document's id, title, name and kind."""
    document = (documents.c.id.label("document_id"), documents.c.title, documents.c.name, documents.c.kind)
    return sa.select(passages, *document).join(documents, passages.c.document == documents.c.number)


_owner: sa.BindParameter[str] = sa.bindparam("owner")
_BY_ID = Prepared(
    told_with_document().where(among(passages.c.id, "ids"), among(passages.c.owner, "owners")).order_by(passages.c.id)
)
_NEXT = Prepared(
    told_with_document()
    .where(documents.c.id == sa.bindparam("document"), among(passages.c.owner, "owners"))
    .where(passages.c.start > sa.bindparam("start", type_=sa.Integer))
    .order_by(passages.c.start)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_COUNT = Prepared(sa.select(sa.func.sum(documents.c.passages)).where(documents.c.owner == _owner))


def next_to(
    connection: sa.Connection, owners: Sequence[str], document: str, start: int, most: int = 1
) -> list[dict[str, Any]]:
    """The first `most` passages of one of owners' documents that begin behind its character `start`, if there are."""
    given = {"document": document, "owners": list(owners), "start": start, "most": most}
    return _NEXT.rows(connection, given)


def passage_count(connection: sa.Connection, owner: str) -> int:
    return int(_COUNT.run(connection, {"owner": owner}).fetchall()[0][0] or 0)


_TAKE = documents.update().where(documents.c.status.in_(_UNFINISHED)).returning(documents)
_TAKE = _TAKE.values(status="indexing", updated_at=sa.bindparam("at"), worker=sa.bindparam("by"))
_old = documents.alias()
_same = (_old.c.owner == documents.c.owner, _old.c.name == documents.c.name, _old.c.number < documents.c.number)
_first = (
    sa.select(documents.c.number)
    .where(documents.c.status.in_(_UNFINISHED), ~sa.exists().where(*_same, _old.c.status.in_(_UNFINISHED)))
    .where(~among(documents.c.owner, "busy"))
    .where(sa.or_(documents.c.worker.is_(None), ~among(documents.c.worker, "others")))
    .order_by(documents.c.number)
    .limit(1)
)
_TAKE_FIRST = _TAKE.where(documents.c.number == _first.scalar_subquery())


def take_unread(
    connection: sa.Connection, worker: str, busy: Sequence[str] = (), others: Sequence[str] = ()
) -> Row | None:
    """Take the oldest document of all owners but the `busy` that is to be read and that no other worker holds: it is
    `indexing` now. None: there is nothing to do. others: on SQLite, the other workers that live.

    Of one name only the oldest is handed out, so that they become ready in the order they were added. A worker may
    take again what it holds.
    """
    taken = {"at": now(), "by": worker}
    if connection.dialect.name == "postgresql":
        while numbers := ingest.take(connection, ingest.READ, worker, busy):
            row = connection.execute(_TAKE.where(among(documents.c.number, numbers)), taken).mappings().one_or_none()
            if row is not None:
                return row
        return None
    given = taken | {"busy": list(busy), "others": list(others)}
    return connection.execute(_TAKE_FIRST, given).mappings().one_or_none()


def release(connection: sa.Connection, worker: str) -> None:
    """The worker ends: what it holds is for others to go on with."""
    connection.execute(documents.update().where(documents.c.worker == worker).values(worker=None))
    ingest.leave(connection, worker)


def fail(connection: sa.Connection, owner: str, id: str, error: dict[str, Any], worker: str | None = None) -> bool:
    """End an unfinished document's way as `failed`, unless it is not `worker`'s any more; one that was to be read anew
    keeps what it had."""
    had = sa.case((documents.c.passages > 0, "ready"), else_="failed")
    return _change(connection, owner, id, _held(worker), status=had, error=error)


def requeue(connection: sa.Connection, owner: str, id: str, error: dict[str, Any] | None = None) -> bool:
    """Read a document anew: what it had stays until that is done; one that had failed counts as added now. `error`: why
    it fails at once. Returns whether it has a file and is not at it."""
    row = get(connection, owner, id)
    done = documents.c.status.in_(("failed", "ready"))
    added = sa.case((documents.c.status == "failed", now()), else_=documents.c.created_at)
    values = {"status": "failed" if error else "queued", "error": error, "created_at": added}
    asked = bool(row and row["file"]) and _change(connection, owner, id, done, **values)
    if asked:
        ingest.submit(connection, id)
    return asked


def tag(connection: sa.Connection, owner: str, id: str, tags: Sequence[str]) -> None:
    """Give a document these tags in place of those it has."""
    change = documents.update().where(documents.c.owner == owner, documents.c.id == id)
    connection.execute(change.values(tags=tag_lines(tags), updated_at=now()))


def _held(worker: str | None) -> sa.ColumnElement[bool]:
    return sa.and_(documents.c.status.in_(_UNFINISHED), documents.c.worker.is_not_distinct_from(worker))


def _change(connection: sa.Connection, owner: str, id: str, only: sa.ColumnElement[bool], **values: Any) -> bool:
    change = documents.update().where(documents.c.owner == owner, documents.c.id == id, only)
    return connection.execute(change.values(updated_at=now(), worker=None, **values)).rowcount > 0


def store(
    connection: sa.Connection,
    owner: str,
    id: str,
    *,
    title: str,
    text: str,
    pages: list[tuple[int | None, int]],
    new: Sequence[NewPassage],
    author: str = "",
    worker: str | None = None,
) -> list[str] | None:
    """Store a document's text and passages, make it `ready`, and delete the older documents of its name.

    Returns the file names of what was deleted, its own where a newer document of its name is ready; None, with nothing
    done, when the document is gone, done already, or not `worker`'s any more.
    """
    row = get(connection, owner, id)
    values: dict[str, Any] = {"chars": len(text), "passages": len(new), "embedded": 0}
    values["author"] = author or None
    values["pages"] = max((number for number, _ in pages if number), default=None)
    if row is None or not _change(connection, owner, id, _held(worker), status="ready", **values):
        return None
    number = row["number"]
    same_name = (documents.c.owner == owner, documents.c.name == row["name"])
    newer = sa.exists().where(*same_name, documents.c.number > number, documents.c.status == "ready")
    gone: Sequence[str] = [id]
    if not connection.scalar(sa.select(newer)):
        if row["passages"]:
            # Indexed with the title that it had.
            empty(connection, owner, [number])
        connection.execute(documents.update().where(documents.c.number == number).values(title=title))
        fill(connection, owner, [(number, text, pages, new)])
        gone = connection.scalars(sa.select(documents.c.id).where(*same_name, documents.c.number < number)).all()
    return [file for each in gone if (file := delete(connection, owner, each))]


Written = tuple[int, str, Sequence[tuple[int | None, int]], Sequence[NewPassage]]
"""A document's number, its text, of each page number and offset, its passages."""


def fill(connection: sa.Connection, owner: str, written: Sequence[Written]) -> None:
    """Store texts and passages of documents that have none, and index them."""
    texts = [{"document": number, "owner": owner, "text": text, "pages": pages} for number, text, pages, _ in written]
    connection.execute(document_texts.insert(), texts)
    rows = [
        {"owner": owner, "document": number, "page": p.page, "start": p.start, "end": p.end, "text": p.text}
        | {"korean": is_korean(p.text), "context": p.context}
        for number, _, _, new in written
        for p in new
    ]
    if rows:
        connection.execute(passages.insert(), rows)
        index_of(connection).put(connection, owner, _texts(connection, [number for number, *_ in written]))


def empty(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> None:
    """Delete texts and passages of documents, their entries in the index and their vectors."""
    index_of(connection).remove(connection, owner, _texts(connection, numbers))
    connection.execute(passages.delete().where(among(passages.c.document, numbers)))
    connection.execute(document_texts.delete().where(among(document_texts.c.document, numbers)))
    count_up(connection, knowledge_versions, owner)


def _texts(connection: sa.Connection, numbers: Sequence[int]) -> list[tuple[int, str]]:
    columns = (passages.c.id, passages.c.text, passages.c.context, documents.c.title)
    query = sa.select(*columns).join(documents, passages.c.document == documents.c.number)
    found = connection.execute(query.where(among(passages.c.document, numbers))).mappings()
    return [(row["id"], searched(row)) for row in found]


def searched(row: Row | dict[str, Any]) -> str:
    """The words a passage is found by: its own, and where its context is known, that and its document's title."""
    text: str = row["text"]
    return text if row["context"] is None else f"{text}\n{row['title']}\n{row['context']}".rstrip()


def embedded(row: Row | dict[str, Any]) -> str:
    """What a passage's vector is made of. No title: many are names of files, which only blur what a text means."""
    return f"{row['context']}\n{row['text']}" if row["context"] else row["text"]


def delete(connection: sa.Connection, owner: str, id: str) -> str | None:
    """Delete a document with all that hangs on it. Returns its file's name; None when there is none such."""
    row = get(connection, owner, id)
    if row is None:
        return None
    empty(connection, owner, [row["number"]])
    gone = connection.execute(documents.delete().where(documents.c.number == row["number"])).rowcount
    return str(row["file"]) if gone else None


def files(connection: sa.Connection) -> set[str]:
    """File names of all owners' documents."""
    return set(connection.execute(sa.select(documents.c.file)).scalars())


def take_unembedded(
    connection: sa.Connection, worker: str, model: str, limit: int, others: Sequence[str] = ()
) -> Sequence[Row]:
    """Passages of all owners that have no vector by that embedding model, of documents that `worker` holds; once these
    have theirs of others, those first that people ask about soonest. others: as in `take_unread`."""
    # As the index of these has it.
    lacks = (documents.c.status == sa.literal_column("'ready'"), documents.c.embedded < documents.c.passages)
    query = (
        sa.select(passages.c.id, passages.c.text, passages.c.context)
        .join(documents, passages.c.document == documents.c.number)
        .outerjoin(vectors, _by(model))
        .where(*lacks, documents.c.worker == worker, vectors.c.id.is_(None))
        .order_by(passages.c.id)
        .limit(limit)
    )
    nobodys = sa.or_(documents.c.worker.is_(None), documents.c.worker.not_in([*others, worker]))
    free = sa.select(documents.c.number).where(*lacks, nobodys).order_by(*ingest.FIRST)
    while not (rows := connection.execute(query).mappings().all()):
        if connection.dialect.name == "postgresql":
            numbers = ingest.take(connection, ingest.EMBED, worker, most=limit)
        else:
            numbers = list(connection.scalars(free.limit(limit)))
        if not numbers:
            break
        connection.execute(documents.update().where(among(documents.c.number, numbers), *lacks).values(worker=worker))
    return rows


def _by(model: str) -> sa.ColumnElement[bool]:
    return sa.and_(vectors.c.passage == passages.c.id, vectors.c.model == model)


def put_vectors(connection: sa.Connection, model: str, rows: Sequence[tuple[int, bytes]], first: bool = False) -> int:
    """Store vectors, given as (passage id, fp16 bytes); returns how many. Passages gone or done are skipped. first:
    these serve until others take their place, and their passages do not count as embedded."""
    wanted = dict(rows)
    query = (
        sa.select(passages.c.id, passages.c.owner, passages.c.document, passages.c.korean)
        .outerjoin(vectors, _by(model))
        .where(among(passages.c.id, wanted), vectors.c.id.is_(None))
        .order_by(passages.c.id)
        # They may not go before their vectors are stored.
        .with_for_update(read=True, key_share=True, of=passages)
    )
    found = connection.execute(query).all()
    if not found:
        return 0
    values = [
        {"owner": r.owner, "passage": r.id, "model": model, "vector": wanted[r.id], "korean": r.korean} for r in found
    ]
    if not first:
        ids = [r.id for r in found]
        connection.execute(vectors.delete().where(among(vectors.c.passage, ids), vectors.c.model != model))
    new = insert(connection, vectors).values(values).on_conflict_do_nothing(index_elements=["passage"])
    stored = set(connection.execute(new.returning(vectors.c.passage)).scalars())
    counts = Counter(r.document for r in found if r.id in stored and not first)
    for number, more in sorted(counts.items()):
        # Whose last passage has its vector is nobody's: another model's worker may begin at once.
        done = sa.and_(documents.c.status == "ready", documents.c.embedded + more >= documents.c.passages)
        counted = {"embedded": documents.c.embedded + more, "worker": sa.case((done, None), else_=documents.c.worker)}
        connection.execute(documents.update().where(documents.c.number == number).values(**counted))
    return len(stored)


def keep_model(connection: sa.Connection, model: str, first: str = "") -> int:
    """Drop the vectors of any other embedding model, so that their passages are embedded anew. Returns how many.
    first: a model whose vectors may stay until then."""
    dropped = connection.execute(vectors.delete().where(vectors.c.model.not_in((model, first)))).rowcount
    if dropped:
        count = (
            sa.select(sa.func.count())
            .select_from(vectors.join(passages, vectors.c.passage == passages.c.id))
            .where(passages.c.document == documents.c.number, vectors.c.model == model)
            .scalar_subquery()
        )
        connection.execute(documents.update().values(embedded=count))
    return dropped


_STATE = Prepared(
    sa.select(
        sa.select(knowledge_versions.c.version).where(knowledge_versions.c.owner == _owner).scalar_subquery(),
        sa.select(sa.func.max(vectors.c.id))
        .where(vectors.c.owner == _owner, vectors.c.model == sa.bindparam("model"))
        .scalar_subquery(),
    )
)


def vector_state(connection: sa.Connection, owner: str, model: str) -> tuple[int, int]:
    """(deletions so far, id of the newest vector): what a copy in memory must match."""
    row = _STATE.run(connection, {"owner": owner, "model": model}).fetchall()[0]
    return row[0] or 0, row[1] or 0


def vectors_after(connection: sa.Connection, owner: str, model: str, after: int) -> list[tuple[int, int, bool, bytes]]:
    """Vectors with an id above `after`, as (vector id, passage id, Korean or not, fp16 bytes), in the order of ids."""
    query = (
        sa.select(vectors.c.id, vectors.c.passage, vectors.c.korean, vectors.c.vector)
        .where(vectors.c.owner == owner, vectors.c.model == model, vectors.c.id > after)
        .order_by(vectors.c.id)
    )
    return [(row[0], row[1], bool(row[2]), row[3]) for row in connection.execute(query)]
