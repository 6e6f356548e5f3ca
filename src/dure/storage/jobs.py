"""Runs as jobs of Procrastinate, on PostgreSQL: a job stands for each run that somebody should work on.

Where two processes may want the same job at once, one statement says whose it is (https://procrastinate.readthedocs.io,
its `schema.sql`).
"""

from typing import Any

import sqlalchemy as sa

from dure.storage.schema import OPEN
from dure.storage.sql import Prepared, dumps

QUEUE = "runs"
TASK = "dure.run"
STALLED = 5.0
"""Seconds without a heartbeat after which a worker's jobs are others'."""
_PEOPLE = 10
"""Priority of runs that people started: those of experiments and schedules (0) wait for them."""

_ADD = Prepared(
    sa.text(
        "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, args, status, worker_id) "
        "VALUES (:queue, :task, :priority, :lock, CAST(:args AS jsonb), CAST(:status AS procrastinate_job_status), "
        "CAST(:worker AS bigint)) ON CONFLICT DO NOTHING RETURNING id"
    )
)
_AT_WORK = f"{OPEN} AND status <> 'waiting'"
_ORPHANS = sa.text(
    f"SELECT id, owner, session_id, experiment, options FROM runs WHERE {_AT_WORK} "  # noqa: S608
    "AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs AS job "
    f"WHERE job.args->>'run_id' = runs.id AND (job.queue_name = '{QUEUE}' OR job.status = 'doing'))"
)
_WAKE = sa.text("SELECT pg_notify('procrastinate_queue_v1#' || :queue, '{\"type\": \"job_inserted\"}')")
# What a process had kept to itself is in a queue with its name behind a dash.
_FREE = (
    "UPDATE procrastinate_jobs AS job SET status = 'todo', queue_name = split_part(queue_name, '-', 1), "
    "worker_id = NULL, attempts = attempts + 1, scheduled_at = now() + make_interval(secs => :pause) "
)
_ALIVE = "worker.id = job.worker_id AND worker.last_heartbeat >= now() - make_interval(secs => :stalled)"
# A heartbeat of a later time is of before the clock was set back. Who lives has another soon; who died is not alive for
# as long as that was.
_SET_BACK = sa.text(
    "UPDATE procrastinate_workers SET last_heartbeat = now() "
    "WHERE last_heartbeat > now() + make_interval(secs => :stalled)"
)
_FREE_STALLED = sa.text(
    # Who looks at the same time waits for none of these: it would hold them a moment longer, and who is told of them
    # would find them locked.
    f"{_FREE}WHERE job.id IN (SELECT job.id FROM procrastinate_jobs AS job WHERE job.status = 'doing' "  # noqa: S608
    f"AND (NOT EXISTS (SELECT 1 FROM procrastinate_workers AS worker WHERE {_ALIVE}) "
    "OR EXISTS (SELECT 1 FROM runs WHERE runs.id = job.args->>'run_id' AND runs.executor = ANY(:dead))) "
    "FOR UPDATE SKIP LOCKED) RETURNING queue_name"
)
_FREE_OWN = Prepared(sa.text(_FREE + "WHERE job.id = :job AND job.worker_id = :worker AND job.status = 'doing'"))
_DONE = Prepared(
    sa.text(
        "DELETE FROM procrastinate_jobs AS job "  # noqa: S608
        "WHERE job.id = :job AND job.worker_id = :worker AND job.status = 'doing' "
        f"AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = job.args->>'run_id' AND {_AT_WORK})"
    )
)
_HELD = sa.text(
    f"SELECT 1 FROM procrastinate_jobs AS job JOIN procrastinate_workers AS worker ON {_ALIVE} "  # noqa: S608
    "WHERE job.status = 'doing' AND job.lock = :lock AND job.args->>'run_id' = :run_id"
)


def create(connection: sa.Connection) -> None:
    """Make Procrastinate's tables and functions."""
    from procrastinate.schema import SchemaManager

    # With SQLAlchemy's parameters, none as they are, it could be one statement only.
    driver: Any = connection.connection.driver_connection
    driver.execute(SchemaManager.get_schema())


def submit(connection: sa.Connection, row: dict[str, Any], queue: str = QUEUE) -> None:
    """A job for a run that is queued. At most one of a session is worked on at a time."""
    _add(connection, row, queue, "todo")


def claim(connection: sa.Connection, row: dict[str, Any], queue: str, worker: int) -> int | None:
    """A job that this worker has begun already, and its number; None while another of the session is not done with."""
    return _add(connection, row, queue, "doing", worker)


def _add(
    connection: sa.Connection, row: dict[str, Any], queue: str, status: str, worker: int | None = None
) -> int | None:
    values = {"queue": queue, "task": TASK, "status": status, "worker": worker, "lock": _lock(row)}
    values["priority"] = 0 if row["experiment"] or row["options"].get("schedule") else _PEOPLE
    values["args"] = dumps({"owner": row["owner"], "run_id": row["id"]})
    made = _ADD.run(connection, values).fetchone()
    return made[0] if made else None


def submit_orphans(connection: sa.Connection) -> None:
    """Jobs for runs at work that have none: of a time before there were jobs, or of a process that kept them to itself
    and died before it began."""
    for row in connection.execute(_ORPHANS).mappings():
        submit(connection, dict(row))


def free_stalled(connection: sa.Connection, dead: list[str]) -> None:
    """Give the jobs of workers that are not heard of any more, and those of the executors `dead`, to others."""
    connection.execute(_SET_BACK, {"stalled": STALLED})
    for queue in set(connection.scalars(_FREE_STALLED, {"pause": 0, "stalled": STALLED, "dead": dead})):
        wake(connection, queue)


def wake(connection: sa.Connection, queue: str) -> None:
    """Let its workers look for jobs."""
    connection.execute(_WAKE, {"queue": queue})


def finish(connection: sa.Connection, job: int | None, worker: int | None, pause: float) -> None:
    """A worker is done with a job. Where its run is still at work, the job is anybody's after `pause` seconds."""
    if not _DONE.run(connection, {"job": job, "worker": worker}).rowcount:
        freed = _FREE_OWN.run(connection, {"job": job, "worker": worker, "pause": pause}).rowcount
        if freed and not pause:
            wake(connection, QUEUE)


def held(connection: sa.Connection, row: dict[str, Any]) -> bool:
    """Whether a worker that is heard of works on the run."""
    given = {"lock": _lock(row), "run_id": row["id"], "stalled": STALLED}
    return connection.execute(_HELD, given).first() is not None


def _lock(row: dict[str, Any]) -> str:
    return f"{row['owner']}/{row['session_id']}"
