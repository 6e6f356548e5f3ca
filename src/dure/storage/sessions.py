"""Queries on sessions and their messages. Each takes the owner whose rows it may see."""

from typing import Any, NamedTuple

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.schema import OPEN, messages, run_events, runs, sessions
from dure.storage.sql import Prepared, among, rows

Row = dict[str, Any]
Place = tuple[str, str]
"""Where a list goes on: time and id of the last row that was seen."""

PUBLIC = ("id", "title", "created_at", "updated_at", "shared", "folder", "pinned")
"""What users see of a session."""
_ONE = sa.and_(sessions.c.owner == sa.bindparam("owner"), sessions.c.id == sa.bindparam("id"))
_GET = sa.select(sessions).where(_ONE)
_OF_SESSION = sa.and_(runs.c.owner == sessions.c.owner, runs.c.session_id == sessions.c.id, sa.text(OPEN))
_STATE = Prepared(
    sa.select(sessions.c.summary, sessions.c.summarized_to, runs.c.id, runs.c.status)
    .select_from(sessions.outerjoin(runs, _OF_SESSION))
    .where(_ONE)
)
_SHOWN = sa.and_(
    messages.c.owner == sa.bindparam("of"), messages.c.session_id == sa.bindparam("session"), ~messages.c.aside
)
_LAST = Prepared(
    sa.select(messages.c.id, messages.c.run_id, messages.c.role, messages.c.content)
    .where(_SHOWN, messages.c.id > sa.bindparam("after"))
    .order_by(messages.c.id.desc())
    .limit(sa.bindparam("limit"))
)
_TOLD = (
    sa.select(run_events.c.run_id, run_events.c.data)
    .where(run_events.c.owner == sa.bindparam("owner"), among(run_events.c.run_id, "runs"))
    .where(among(run_events.c.kind, "kinds"))
    .order_by(run_events.c.run_id, run_events.c.seq)
)
_LATEST = sa.select(messages.c.id).where(_SHOWN).order_by(messages.c.id.desc()).limit(1).scalar_subquery()
_ADD = Prepared(sa.insert(messages).values(parent=sa.func.coalesce(_LATEST, 0)).inline())
_TOUCH = Prepared(
    sa.text(
        "INSERT INTO sessions (owner, id, title, created_at, updated_at) VALUES (:owner, :id, :title, :at, :at) "
        "ON CONFLICT (owner, id) DO UPDATE SET updated_at = excluded.updated_at"
    )
)


def _mine(owner: str, session_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(sessions.c.owner == owner, sessions.c.id == session_id)


def get(connection: sa.Connection, owner: str, session_id: str) -> Row | None:
    return next(iter(rows(connection, _GET, {"owner": owner, "id": session_id})), None)


class State(NamedTuple):
    """`summarized_to` is the id of the last message in the summary. `open_run` is the run that has not ended."""

    summary: str | None
    summarized_to: int
    open_run: str | None
    open_status: str


def state(connection: sa.Connection, owner: str, session_id: str) -> State | None:
    """How far a session is; None when there is no such session."""
    row = _STATE.run(connection, {"owner": owner, "id": session_id}).fetchone()
    return State(*row) if row else None


def last_messages(connection: sa.Connection, owner: str, session_id: str, after: int, limit: int) -> list[Row]:
    """The last messages shown after id `after`, in order, with what history needs: id, run_id, role, content."""
    return _LAST.rows(connection, {"of": owner, "session": session_id, "after": after, "limit": limit})[::-1]


def told(connection: sa.Connection, owner: str, run_ids: list[str], *kinds: str) -> list[Row]:
    """The events of runs that are of these kinds, in order: run_id and the event's fields as `data`."""
    return rows(connection, _TOLD, {"owner": owner, "runs": run_ids, "kinds": list(kinds)})


def touch(connection: sa.Connection, owner: str, session_id: str, title: str) -> None:
    """Make the session if it is new, else note that it was used."""
    _TOUCH.run(connection, {"owner": owner, "id": session_id, "title": title, "at": now()})


def listed(
    connection: sa.Connection,
    owner: str,
    limit: int = 200,
    *,
    q: str | None = None,
    folder: str | None = None,
    before: Place | None = None,
) -> list[Row]:
    """The owner's sessions, those pinned first, then last used first. q: only those with it in their title or a
    message, of whatever case; folder: only those in it, in none where it is empty; before: time and id of the session
    after which to go on."""
    query = sa.select(*(sessions.c[name] for name in PUBLIC)).where(sessions.c.owner == owner)
    if q is not None:
        said = sa.select(messages.c.session_id).where(messages.c.owner == owner, contains(messages.c.content, q))
        query = query.where(sa.or_(contains(sessions.c.title, q), sessions.c.id.in_(said)))
    if folder is not None:
        query = query.where(sessions.c.folder == folder)
    order = (sessions.c.pinned, sessions.c.updated_at, sessions.c.id)
    if before is not None:
        last = sa.select(sessions.c.pinned).where(_mine(owner, before[1])).scalar_subquery()
        place = (sa.func.coalesce(last, sa.false()), *map(sa.literal, before))
        query = query.where(sa.tuple_(*order) < sa.tuple_(*place))
    return rows(connection, query.order_by(*(each.desc() for each in order)).limit(limit))


def contains(column: sa.ColumnElement[str], q: str) -> sa.ColumnElement[bool]:
    """Whether a text holds `q` as it is written; ASCII letters in either case."""
    return column.icontains(q, autoescape=True)


def folders(connection: sa.Connection, owner: str) -> list[Row]:
    """The owner's folders by their names, with how many sessions stand in each."""
    count = sa.select(sessions.c.folder.label("name"), sa.func.count().label("sessions"))
    query = count.where(sessions.c.owner == owner, sessions.c.folder != "").group_by(sessions.c.folder)
    return rows(connection, query.order_by(sessions.c.folder))


def change(connection: sa.Connection, owner: str, session_id: str, **values: str | bool) -> bool:
    """Give a session another title, folder or pin; False when there is no such session."""
    return connection.execute(sa.update(sessions).where(_mine(owner, session_id)).values(**values)).rowcount > 0


def share(connection: sa.Connection, owner: str, session_id: str, link: str | None) -> None:
    """Let whoever has the link read the transcript as it is now: the link of before where there is one, else this one;
    None: nobody any more."""
    latest = _LATEST.params(of=owner, session=session_id) if link else None
    shared = sa.func.coalesce(sessions.c.shared, link) if link else None
    connection.execute(sa.update(sessions).where(_mine(owner, session_id)).values(shared=shared, shared_to=latest))


def read_shared(connection: sa.Connection, link: str) -> tuple[Row, list[Row]] | None:
    """The session of a link and its messages, of whatever owner; None where nothing is shared by it."""
    for session in rows(connection, sa.select(sessions).where(sessions.c.shared == link)):
        return session, path_to(connection, session["owner"], session["id"], session["shared_to"] or 0)
    return None


def delete(connection: sa.Connection, owner: str, session_id: str, unused_since: str | None = None) -> bool:
    """Delete a session with its messages, runs and their events; False when there is none, or it was used since."""
    mine = sa.and_(_mine(owner, session_id), sessions.c.updated_at < unused_since if unused_since else sa.true())
    if connection.scalar(sa.select(sessions.c.id).where(mine).with_for_update()) is None:
        return False
    of_session = sa.select(runs.c.id).where(runs.c.owner == owner, runs.c.session_id == session_id)
    connection.execute(sa.delete(run_events).where(run_events.c.run_id.in_(of_session)))
    connection.execute(sa.delete(runs).where(runs.c.owner == owner, runs.c.session_id == session_id))
    connection.execute(sa.delete(messages).where(_of_session(owner, session_id)))
    connection.execute(sa.delete(sessions).where(_mine(owner, session_id)))
    return True


def add_message(
    connection: sa.Connection,
    owner: str,
    session_id: str,
    run_id: str,
    role: str,
    content: str,
    citations: list[Row] | None = None,
) -> None:
    """Append to the transcript; nothing in it is ever changed, but its end can be put aside."""
    row: Row = {"owner": owner, "session_id": session_id, "run_id": run_id, "role": role, "content": content}
    row |= {"citations": citations, "created_at": now()}
    _ADD.run(connection, {"of": owner, "session": session_id, **row})


def transcript(
    connection: sa.Connection, owner: str, session_id: str, limit: int | None = None, before: int | None = None
) -> list[Row]:
    """The messages shown, in order, those before id `before`; with `limit`, the last so many."""
    query = sa.select(messages).where(_of_session(owner, session_id), ~messages.c.aside)
    if before is not None:
        query = query.where(messages.c.id < before)
    return rows(connection, query.order_by(messages.c.id.desc()).limit(limit))[::-1]


def asked_in(connection: sa.Connection, owner: str, message: str, limit: int) -> list[str]:
    """The ids of the owner's sessions whose user said just this, the last that was said first."""
    said = sa.and_(messages.c.owner == owner, messages.c.role == "user", messages.c.content == message)
    last = sa.func.max(messages.c.id)
    query = sa.select(messages.c.session_id).where(said).group_by(messages.c.session_id).order_by(last.desc())
    return list(connection.scalars(query.limit(limit)))


def summarize(
    connection: sa.Connection, owner: str, session_id: str, summary: str, summarized_to: int, up_to: int
) -> bool:
    """Keep a summary of the messages after id `summarized_to` up to id `up_to`; False, and nothing kept, where the
    session was summarised or cut meanwhile."""
    found = _locked(connection, owner, session_id)
    shown = sa.and_(_of_session(owner, session_id), ~messages.c.aside)
    last = sa.select(messages.c.id).where(shown, messages.c.id == up_to)
    if found != summarized_to or connection.scalar(last) is None:
        return False
    values = {"summary": summary, "summarized_to": up_to}
    connection.execute(sa.update(sessions).where(_mine(owner, session_id)).values(**values))
    return True


def _locked(connection: sa.Connection, owner: str, session_id: str) -> int | None:
    """How far the session is summarised; until the transaction ends nobody else summarises or cuts it."""
    query = sa.select(sessions.c.summarized_to).where(_mine(owner, session_id)).with_for_update()
    found: int | None = connection.scalar(query)
    return found


def path_to(connection: sa.Connection, owner: str, session_id: str, message_id: int) -> list[Row]:
    """A message of the session and those before it on its branch, in order, shown or not; none where there is no such
    message."""
    query = sa.select(messages).where(_of_session(owner, session_id), messages.c.id <= message_id)
    there = {row["id"]: row for row in rows(connection, query)}
    found: list[Row] = []
    while message_id in there:
        found.append(there[message_id])
        message_id = found[-1]["parent"]
    return found[::-1]


def asked_by(connection: sa.Connection, owner: str, session_id: str, run_id: str) -> int:
    """The id of the question of a run; 0 where there is none."""
    asked = sa.select(messages.c.id).where(_of_session(owner, session_id), messages.c.run_id == run_id)
    return connection.scalar(asked.order_by(messages.c.id)) or 0


def before_run(connection: sa.Connection, owner: str, session_id: str, run_id: str) -> list[Row]:
    """The messages before the question of a run, on its branch, in order."""
    return path_to(connection, owner, session_id, asked_by(connection, owner, session_id, run_id))[:-1]


def beside(connection: sa.Connection, owner: str, session_id: str) -> dict[int, list[int]]:
    """The ids of the questions that stand in one place, oldest first, by the message that they follow."""
    asked = sa.select(messages.c.parent, messages.c.id).where(_of_session(owner, session_id), messages.c.role == "user")
    found: dict[int, list[int]] = {}
    for parent, id in connection.execute(asked.order_by(messages.c.id)):
        found.setdefault(parent, []).append(id)
    return found


def pictures(connection: sa.Connection, owner: str, session_id: str) -> dict[str, list[str]]:
    """Names of the pictures that came with the messages of a session's runs, by the runs' ids."""
    mine = sa.and_(runs.c.owner == owner, runs.c.session_id == session_id)
    found = connection.execute(sa.select(runs.c.id, runs.c.options).where(mine))
    return {row.id: row.options["images"] for row in found if "images" in row.options}


def show(
    connection: sa.Connection, owner: str, session_id: str, message_id: int, *, instead: bool = False
) -> str | None:
    """Make the branch that holds a message the transcript: those before it, itself, and what followed it last; with
    `instead`, those before it alone. A summary of what is no longer shown is forgotten. Returns the message's role,
    None where there is no such message; unless it is a user's nothing changes."""
    _locked(connection, owner, session_id)
    path = path_to(connection, owner, session_id, message_id)
    if not path or path[-1]["role"] != "user":
        return path[-1]["role"] if path else None
    mine = _of_session(owner, session_id)
    after = sa.select(messages.c.parent, messages.c.id).where(mine, messages.c.id > message_id)
    newest = {row.parent: row.id for row in connection.execute(after.order_by(messages.c.id))}
    ids = [row["id"] for row in path[:-1]] if instead else [row["id"] for row in path]
    while not instead and ids[-1] in newest:
        ids.append(newest[ids[-1]])
    shown = among(messages.c.id, ids)
    connection.execute(sa.update(messages).where(mine, shown, messages.c.aside).values(aside=False))
    connection.execute(sa.update(messages).where(mine, ~shown, ~messages.c.aside).values(aside=True))
    forgotten = sa.update(sessions).where(_mine(owner, session_id), ~among(sessions.c.summarized_to, ids))
    connection.execute(forgotten.values(summary=None, summarized_to=0))
    return "user"


def _of_session(owner: str, session_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(messages.c.owner == owner, messages.c.session_id == session_id)
