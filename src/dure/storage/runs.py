"""Queries on runs and their events. Each takes the owner whose rows it may see."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypedDict, Unpack

import sqlalchemy as sa

from dure.errors import LostRun
from dure.events import ENDED
from dure.storage import sql
from dure.storage.changes import CHANNEL
from dure.storage.database import now
from dure.storage.repeated import whole
from dure.storage.schema import OPEN, definitions, run_events, runs
from dure.storage.sessions import contains
from dure.storage.sql import Prepared, Values, among, dumps, rows

Row = dict[str, Any]
Stored = tuple[int, str, str, Any]
"""An event: sequence number, kind, time, fields (what orjson can write)."""
Batch = tuple[str, str, list[Stored]]
"""Owner, run id, events."""


class Wanted(TypedDict, total=False):
    """Which runs are listed: all that fit everything that is given."""

    session_id: str | None
    status: str | tuple[str, ...] | None
    team: str | None
    experiment: str | None
    since: str | None
    """Begun then or later: an ISO 8601 UTC time."""
    changed: str | None
    """Ended, or begun and not ended, later than this."""
    before: tuple[str, str] | None
    """Time and id of the run after which to go on."""
    q: str | None
    """It stands in the message or the answer."""
    limit: int
    """100 where nothing is said."""


TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
_USE = ("model_called", "run_finished", "run_failed", "run_waiting")
"""Kinds of events that tell what a run used."""
# Columns' own names are for new values.
_ONE = sa.and_(runs.c.owner == sa.bindparam("of"), runs.c.id == sa.bindparam("run"))
_OWN = run_events.c.seq > sa.func.coalesce(runs.c.options[("from", "events")].as_integer(), 0)
"""Not taken over from another run."""
_EVENTS_OF = sa.and_(run_events.c.owner == sa.bindparam("of"), run_events.c.run_id == sa.bindparam("run"))
_GET = sa.select(runs).where(_ONE)
_LOCK = _GET.with_for_update()
_OPTIONS = sa.select(runs.c.options).where(_ONE)
_INSERT = Prepared(sa.insert(runs))
_UPDATE = Prepared(sa.update(runs).where(_ONE))
_HELD = Prepared(
    sa.select(runs.c.id)
    .where(runs.c.id == sa.bindparam("run"), runs.c.executor == sa.bindparam("executor"))
    .with_for_update(read=True)
)
_EVENTS = (
    sa.select(run_events.c.seq, run_events.c.kind, run_events.c.at, run_events.c.data)
    .where(_EVENTS_OF, run_events.c.seq > sa.bindparam("after"))
    .order_by(run_events.c.seq)
)
_LAST = sa.select(sa.func.max(run_events.c.seq)).where(_EVENTS_OF)
_CROWD = Prepared(
    sa.select(
        sa.func.count().filter(runs.c.status == "queued"), sa.func.count().filter(runs.c.owner == sa.bindparam("of"))
    ).where(sa.text(OPEN), runs.c.status != "waiting")
)
_APPEND = {
    "sqlite": Prepared(sa.insert(run_events).values(data=sa.bindparam("data", type_=sa.Text))),
    # All events as one value, and notifications of those who wait for them, one a run, in one exchange with the server.
    "postgresql": Prepared(
        sa.text(
            "INSERT INTO run_events (run_id, owner, seq, kind, at, data) "
            "SELECT run_id, owner, seq, kind, at, CAST(data AS json) FROM json_to_recordset(CAST(:rows AS json)) "
            "AS new(run_id text, owner text, seq int, kind text, at text, data text), "
            "LATERAL (SELECT pg_notify(:channel, new.run_id)) AS told"
        )
    ),
}


def insert(connection: sa.Connection, row: Row) -> None:
    _INSERT.run(connection, row)


def keep(connection: sa.Connection, hash: str, team: Row) -> None:
    """Keep a team's definition, once."""
    connection.execute(sql.insert(connection, definitions).values(hash=hash, data=team).on_conflict_do_nothing())


def definition(connection: sa.Connection, row: Row) -> Row | None:
    """The definition that a run began with, where it is known."""
    found: Row | None = connection.scalar(sa.select(definitions.c.data).where(definitions.c.hash == row["definition"]))
    return found


def get(connection: sa.Connection, owner: str, run_id: str, *, lock: bool = False) -> Row | None:
    """lock: until the transaction ends nobody else changes the run, or gets it so (on SQLite that is always so)."""
    return next(iter(rows(connection, _LOCK if lock else _GET, {"of": owner, "run": run_id})), None)


def images(connection: sa.Connection, owner: str, run_id: str) -> list[str]:
    """Names of the pictures that came with a run's message."""
    options: Row = connection.scalar(_OPTIONS, {"of": owner, "run": run_id}) or {}
    return list(options.get("images", ()))


def open_by_status(connection: sa.Connection) -> dict[str, int]:
    """How many runs have not ended, of all owners."""
    query = sa.select(runs.c.status, sa.func.count()).where(sa.text(OPEN)).group_by(runs.c.status)
    return {status: count for status, count in connection.execute(query)}


def listed(connection: sa.Connection, owner: str, **wanted: Unpack[Wanted]) -> list[Row]:
    """The owner's runs, newest first."""
    query = _fitting(sa.select(runs), owner, wanted)
    query = query.order_by(runs.c.created_at.desc(), runs.c.id.desc())
    return rows(connection, query.limit(wanted.get("limit", 100)))


def count(connection: sa.Connection, owner: str, **wanted: Unpack[Wanted]) -> int:
    """How many of the owner's runs there are."""
    return int(connection.scalar(_fitting(sa.select(sa.func.count()).select_from(runs), owner, wanted)) or 0)


def _fitting(query: sa.Select[Any], owner: str, wanted: Wanted) -> sa.Select[Any]:
    query = query.where(runs.c.owner == owner)
    for name in ("session_id", "status", "team", "experiment"):
        if (value := wanted.get(name)) is not None:
            query = query.where(runs.c[name].in_(value) if isinstance(value, tuple) else runs.c[name] == value)
    if (changed := wanted.get("changed")) is not None:
        query = query.where(sa.func.coalesce(runs.c.ended_at, runs.c.created_at) > changed)
    if (since := wanted.get("since")) is not None:
        query = query.where(runs.c.created_at >= since)
    if (q := wanted.get("q")) is not None:
        query = query.where(sa.or_(contains(runs.c.message, q), contains(runs.c.answer["response"].as_string(), q)))
    if (before := wanted.get("before")) is not None:
        query = query.where(sa.tuple_(runs.c.created_at, runs.c.id) < sa.tuple_(*map(sa.literal, before)))
    return query


def leave(
    connection: sa.Connection, owner: str, run_id: str, status: str, answer: Row | None = None, error: Row | None = None
) -> None:
    """Nobody works on the run any more: it has ended, with its answer or its error, waits for people, or (queued) for
    whoever takes it up."""
    ended_at = now() if status in ENDED else None
    values = {"status": status, "answer": answer, "error": error, "ended_at": ended_at, "executor": None}
    _UPDATE.run(connection, {"of": owner, "run": run_id, **values})


def take(connection: sa.Connection, run_id: str, before: str | None, executor: str) -> bool:
    """Make `executor` the one that works on a run that `before` worked on; False when another was quicker."""
    mine = sa.update(runs).where(
        runs.c.id == run_id, runs.c.status.in_(("queued", "running")), runs.c.executor.is_not_distinct_from(before)
    )
    return connection.execute(mine.values(status="running", executor=executor)).rowcount == 1


def at_work(connection: sa.Connection) -> list[Row]:
    """Runs of all owners that somebody should work on, oldest first: id, owner, executor."""
    query = sa.select(runs.c.id, runs.c.owner, runs.c.executor).where(sa.text(OPEN), runs.c.status != "waiting")
    return rows(connection, query.order_by(runs.c.created_at, runs.c.id))


def crowd(connection: sa.Connection, owner: str) -> tuple[int, int]:
    """How many runs nobody has taken up yet, and how many of the owner's are queued or worked on."""
    ((queued, own),) = _CROWD.run(connection, {"of": owner}).fetchall()
    return queued, own


def ask_to_cancel(connection: sa.Connection, owner: str, run_id: str) -> None:
    """Tell the process that works on the run to cancel it."""
    _UPDATE.run(connection, {"of": owner, "run": run_id, "cancelled_at": now()})


def to_cancel(connection: sa.Connection, executor: str) -> list[str]:
    """Runs of `executor` that it was asked to cancel."""
    query = sa.select(runs.c.id).where(sa.text(OPEN), runs.c.executor == executor, runs.c.cancelled_at.is_not(None))
    return list(connection.execute(query).scalars())


def hold(connection: sa.Connection, run_id: str, executor: str) -> None:
    """Keep others from taking the run over until the transaction ends. Raises LostRun when one has already."""
    if not _is_held(connection, run_id, executor):
        raise LostRun()


def _is_held(connection: sa.Connection, run_id: str, executor: str) -> bool:
    return _HELD.run(connection, {"run": run_id, "executor": executor}).fetchone() is not None


def append_events(connection: sa.Connection, owner: str, run_id: str, events: Iterable[Stored]) -> None:
    """Store events."""
    _append(connection, [(owner, run_id, events)])


def append_if_held(connection: sa.Connection, executor: str, batches: Sequence[Batch]) -> list[str]:
    """Store the events of those runs that `executor` holds; the ids of the others."""
    lost = [run_id for _, run_id, _ in batches if not _is_held(connection, run_id, executor)]
    _append(connection, [batch for batch in batches if batch[1] not in lost])
    return lost


def _append(connection: sa.Connection, batches: Iterable[tuple[str, str, Iterable[Stored]]]) -> None:
    new: list[Values] = [
        {"run_id": run_id, "owner": owner, "seq": seq, "kind": kind, "at": at, "data": dumps(data)}
        for owner, run_id, events in batches
        for seq, kind, at, data in events
    ]
    if new:
        kind = connection.dialect.name
        values = {"rows": dumps(new), "channel": CHANNEL} if kind == "postgresql" else new
        _APPEND[kind].run(connection, values)


def events(connection: sa.Connection, owner: str, run_id: str, after: int = 0) -> list[tuple[int, str, str, Row]]:
    """A run's events after sequence number `after`: sequence number, kind, time, fields."""

    def stored(after: int) -> list[tuple[int, str, str, Row]]:
        found = connection.execute(_EVENTS, {"of": owner, "run": run_id, "after": after})
        return [(r[0], r[1], r[2], r[3]) for r in found]

    @cache
    def first(number: int) -> Any:
        known = found if after < number else stored(number - 1)
        return next(data for seq, _, _, data in known if seq == number)["request"]["messages"]

    found = stored(after)
    for _, kind, _, data in found:
        if kind == "model_called" and "messages" in data["request"]:
            data["request"]["messages"] = whole(data["request"]["messages"], first)
    return found


def last_seq(connection: sa.Connection, owner: str, run_id: str) -> int:
    return connection.execute(_LAST, {"of": owner, "run": run_id}).scalar() or 0


def used(connection: sa.Connection, owner: str, run_ids: Sequence[str]) -> list[Row]:
    """What tells what runs used, their calls of models and the ends of work on them: `run_id, kind, model, seconds`
    and `TOKENS`."""
    data = run_events.c.data
    query = sa.select(
        run_events.c.run_id,
        run_events.c.kind,
        data["model"].as_string().label("model"),
        *(sa.func.coalesce(data[key].as_integer(), 0).label(key) for key in TOKENS),
        data["seconds"].as_float().label("seconds"),
    ).join(runs, runs.c.id == run_events.c.run_id)
    query = query.where(run_events.c.owner == owner, among(run_events.c.run_id, run_ids))
    return rows(connection, query.where(run_events.c.kind.in_(_USE), _OWN))


def spent(connection: sa.Connection, owner: str, day: str) -> Sequence[sa.Row[Any]]:
    """What an owner's runs used since the beginning of a day, by model: `model, prompt, completion, cached`."""
    data = run_events.c.data
    counted = {key: data[f"{key}_tokens"].as_integer() for key in ("prompt", "completion", "cached")}
    model = data["model"].as_string().label("model")
    open_since = sa.or_(runs.c.ended_at.is_(None), runs.c.ended_at >= day)
    query = (
        sa.select(model, *(sa.func.coalesce(sa.func.sum(each), 0).label(key) for key, each in counted.items()))
        .join(runs, sa.and_(runs.c.id == run_events.c.run_id, runs.c.owner == owner, open_since))
        .where(run_events.c.owner == owner, run_events.c.kind == "model_called", run_events.c.at >= day, _OWN)
        .group_by(model)
    )
    return connection.execute(query).all()


def rate(connection: sa.Connection, owner: str, run_id: str, rating: int, comment: str | None) -> None:
    """Give a run a rating instead of the one it had."""
    values = {"rating": rating, "rating_comment": comment, "rated_at": now()}
    _UPDATE.run(connection, {"of": owner, "run": run_id, **values})
