"""Documents as jobs of Procrastinate, on PostgreSQL: one for each that is to be read, one for each whose passages lack
vectors. A document's row says what is done, its job who is at it (`jobs.py` gives those of the dead to others)."""

from collections.abc import Sequence

import sqlalchemy as sa

from dure.storage.jobs import wake
from dure.storage.schema import UNEMBEDDED, documents

QUEUE = "ingest"
CHANNEL = f"procrastinate_queue_v1#{QUEUE}"
"""Where Procrastinate tells of new jobs."""
READ, EMBED = "dure.read", "dure.embed"
FIRST = (documents.c.file == "", documents.c.number.desc())
"""Which documents get vectors first: files, then what Dure made, such as cards of papers; of each the newest: who has
just added one asks about it."""
_UNREAD = "status IN ('queued', 'indexing')"
# No owner begins with "/". The job of an older document of the name comes first.
_SUBMIT = (
    f"INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, args) SELECT '{QUEUE}', '%s', -1, "  # noqa: S608
    "'/%s/' || owner || '/' || name, json_build_object('owner', owner, 'number', number) FROM documents WHERE %s AND %s"
)
_NEW = "documents.number NOT IN (SELECT (args->>'number')::int FROM procrastinate_jobs WHERE task_name = '%s')"
_SUBMIT_ONE = sa.text(_SUBMIT % (READ, READ, _UNREAD, "id = :id"))
_SUBMIT_UNREAD = sa.text(_SUBMIT % (READ, READ, _UNREAD, _NEW % READ) + " ORDER BY number")
# Not all at once: runs' jobs have to be found among them.
_SUBMIT_UNEMBEDDED = sa.text(
    _SUBMIT % (EMBED, EMBED, UNEMBEDDED, _NEW % EMBED) + " ORDER BY file = '', number DESC LIMIT 64"
)
# What two submit at the same moment neither sees of the other: both would begin it.
_ALONE = sa.text("SELECT pg_advisory_xact_lock(hashtext('dure.ingest'))")
_OWN = "job.worker_id = CAST(:worker AS bigint) AND job.status = 'doing'"
_DROP = sa.text(
    f"DELETE FROM procrastinate_jobs AS job WHERE {_OWN} AND NOT EXISTS (SELECT 1 FROM documents "  # noqa: S608
    "WHERE documents.number = (job.args->>'number')::int AND documents.worker = job.worker_id::text "
    f"AND CASE task_name WHEN '{READ}' THEN {_UNREAD} ELSE {UNEMBEDDED} END)"
)
_PUT_BACK = f"UPDATE procrastinate_jobs AS job SET status = 'todo', worker_id = NULL WHERE {_OWN}"  # noqa: S608
_PUT_BACK_IDLE = sa.text(f"{_PUT_BACK} AND job.task_name = '{READ}' AND job.args->>'owner' <> ALL(:busy)")
_TAKE = sa.text(
    "UPDATE procrastinate_jobs SET status = 'doing', worker_id = CAST(:worker AS bigint) WHERE id IN (SELECT job.id "  # noqa: S608
    f"FROM procrastinate_jobs AS job WHERE job.status = 'todo' AND job.queue_name = '{QUEUE}' "
    "AND job.task_name = :task AND job.args->>'owner' <> ALL(:busy) AND NOT EXISTS (SELECT 1 "
    "FROM procrastinate_jobs AS other WHERE other.lock = job.lock "
    # So it is looked up for the first few; joined, it would be found for all.
    "AND (other.status = 'doing' OR other.status = 'todo' AND other.id < job.id) OFFSET 0) "
    "ORDER BY job.priority DESC, job.id LIMIT :most FOR UPDATE OF job SKIP LOCKED) RETURNING (args->>'number')::int"
)
_BEAT = sa.text(
    "INSERT INTO procrastinate_workers (id) OVERRIDING SYSTEM VALUE VALUES (CAST(:worker AS bigint)) "
    "ON CONFLICT (id) DO UPDATE SET last_heartbeat = now()"
)


def unembedded(connection: sa.Connection, owners: Sequence[str]) -> int:
    """How many of these owners' documents lack vectors, on either store."""
    lacking = sa.select(sa.func.count()).select_from(documents).where(documents.c.owner.in_(owners))
    return connection.scalar(lacking.where(sa.text(UNEMBEDDED))) or 0


def submit(connection: sa.Connection, id: str) -> None:
    """A job for a document that is to be read, which somebody takes up once the transaction is stored."""
    if connection.dialect.name == "postgresql":
        connection.execute(_SUBMIT_ONE, {"id": id})


def register(connection: sa.Connection) -> str:
    """A name for who works on documents, under which it has to be heard of (`beat`). Documents of a time before there
    were jobs get theirs."""
    connection.execute(_ALONE)
    connection.execute(_SUBMIT_UNREAD)
    return str(connection.scalar(sa.text("SELECT worker_id FROM procrastinate_register_worker_v1()")))


def beat(connection: sa.Connection, worker: str) -> None:
    """The worker lives."""
    connection.execute(_BEAT, {"worker": worker})


def take(connection: sa.Connection, task: str, worker: str, busy: Sequence[str] = (), most: int = 1) -> list[int]:
    """Begin the oldest jobs of all owners but the `busy`: the numbers of their documents. Before that, those end which
    the worker began and whose documents are done, or not its any more; what else it read, it may begin again."""
    given = {"task": task, "worker": worker, "busy": list(busy), "most": most}
    connection.execute(_DROP, {"worker": worker})
    if task == READ:
        connection.execute(_PUT_BACK_IDLE, {"worker": worker, "busy": list(busy)})
    found = connection.scalars(_TAKE, given).all()
    if not found and task == EMBED:
        connection.execute(_ALONE)
        connection.execute(_SUBMIT_UNEMBEDDED)
        found = connection.scalars(_TAKE, given).all()
    return list(found)


def leave(connection: sa.Connection, worker: str) -> None:
    """The worker ends: its jobs are others'."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(_PUT_BACK), {"worker": worker})
        connection.execute(sa.text("SELECT procrastinate_unregister_worker_v1(:worker)"), {"worker": int(worker)})
        wake(connection, QUEUE)
