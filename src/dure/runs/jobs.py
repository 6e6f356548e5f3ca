"""The engine of several machines: runs are Procrastinate's jobs on PostgreSQL.

A job is stored in the transaction that stores its run: begun already where this process has room, else for whoever is
free. Its worker gives it back when it closes; of a worker that is not heard of, others take it. What a worker of before
still writes is refused by the run's record (`runs.executor`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager, NotificationCallback
from procrastinate.worker import Worker
from psycopg_pool import AsyncConnectionPool

from dure.errors import DatabaseUnavailable, TooManyRequests
from dure.runs.engine import InProcessEngine, Row, TakeUp
from dure.runs.engine import Job as Work
from dure.settings import Settings
from dure.storage import Database, jobs, postgres
from dure.storage import runs as run_rows

T = TypeVar("T")

log = logging.getLogger(__name__)

_BEAT = 1.5
"""Seconds between two heartbeats."""
_POLL = 1.0
"""Seconds between two looks for jobs of which no notification came."""
_PAUSE = 1.0
"""Seconds after which what failed is tried again."""
_DAY = 86_400.0


class JobsEngine(InProcessEngine):
    """Its own runs are asyncio tasks too. With `DURE_WORK` set to other work it has none."""

    shares = True

    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(settings, database)
        self._url = database.engine.url
        self._settings = settings
        self._at_once = settings.max_runs if settings.work in ("all", "runs") else 0
        self._queue = jobs.QUEUE
        self._closing = asyncio.Event()
        self._later: set[int | None] = set()
        """Jobs for which there was no room."""
        self._claimed: dict[str, int] = {}
        """By run the jobs that were begun here as they were stored, and are not worked on yet."""
        self._ending: set[asyncio.Task[None]] = set()
        self._running: asyncio.Task[None] | None = None

    async def open(self, take_up: TakeUp, *, alone: bool) -> None:
        await super().open(take_up, alone=alone)
        if alone:
            self._queue = f"{jobs.QUEUE}-{self.id}"
        else:
            await self._database.write(jobs.submit_orphans)
        if self._at_once:
            given = postgres.parameters(self._url)
            # Planned for all queues, a look for runs would go through all that other queues hold. Whatever asks for a
            # connection asks again where it turns out to be lost.
            self._connector = PsycopgConnector(
                pool_factory=lambda **given: AsyncConnectionPool(**given | {"check": None}),
                kwargs=given | {"options": f"{given['options']} -c plan_cache_mode=force_custom_plan"},
                min_size=1,
                max_size=2,
                timeout=_PAUSE,
                reconnect_timeout=_DAY,
            )
            await self._connector.open_async()
            self._manager = _Manager(self._connector, self._fetched_is_done, self._has_room)
            self._worker = self._made(take_up)
            self._running = asyncio.create_task(self._worker.run(), name="dure-worker")
            # What comes first is worked on here too.
            known = asyncio.create_task(self._manager.known.wait())
            await asyncio.wait([known, self._running], return_when=asyncio.FIRST_COMPLETED)
            known.cancel()

    def _made(self, take_up: TakeUp) -> Any:
        async def work(context: JobContext, owner: str, run_id: str) -> None:
            if not await take_up(owner, run_id):
                self._later.add(context.job.id)
            await self.wait(run_id)

        app = App(connector=self._connector)
        app.task(name=jobs.TASK, pass_context=True)(work)
        app.job_manager = self._manager
        return Worker(
            app,
            [self._queue],
            concurrency=self._at_once,
            fetch_job_polling_interval=_POLL,
            abort_job_polling_interval=_DAY,
            update_heartbeat_interval=_BEAT,
            # Its name stays: it would be nobody, were it heard of again.
            stalled_worker_timeout=_DAY,
            install_signal_handlers=False,
        )

    def _has_room(self) -> bool:
        return not self._closing.is_set() and len(self._tasks) + len(self._claimed) < self._at_once

    async def _fetched_is_done(self, job: Job, status: Status) -> None:
        later = status is not Status.SUCCEEDED or job.id in self._later
        self._later.discard(job.id)
        await self._finish(job.id, _PAUSE if later and not self._closing.is_set() else 0.0)

    async def _finish(self, job: int | None, pause: float = 0.0) -> None:
        while True:
            try:
                return await self._database.write(jobs.finish, job, self._worker.worker_id, pause)
            except DatabaseUnavailable as error:
                log.warning("job %s is not finished yet: %s", job, error)
                if self._closing.is_set():
                    return None

    def place(self, connection: sa.Connection, row: Row, *, new: bool = False) -> bool:
        queued, own = run_rows.crowd(connection, row["owner"])
        for there, limit in ((queued, self._settings.max_runs), (own, self._settings.share)):
            if new and there >= limit:
                raise TooManyRequests(limit=limit)
        # What others wait for comes first; one that was decided is queued itself by now.
        waiting = queued if new else queued - 1
        worker = self._worker.worker_id if self._running is not None else None
        if worker is not None and self._has_room() and not waiting:
            job = jobs.claim(connection, row, self._queue, worker)
            if job is not None:
                self._claimed[row["id"]] = job
                sa.event.listen(connection, "rollback", lambda _: self._claimed.pop(row["id"], None))
                return True
        jobs.submit(connection, row, self._queue)
        return False

    async def start(self, run_id: str, job: Work) -> None:
        await super().start(run_id, job)
        self._tasks[run_id].add_done_callback(partial(self._ended, self._claimed.pop(run_id, None)))

    def _ended(self, job: int | None, _: object) -> None:
        async def end() -> None:
            if job is not None:
                await self._finish(job)
            if was_full:
                await self._manager.wake()

        was_full = len(self._tasks) + len(self._claimed) + 1 >= self._at_once
        if job is not None or was_full:
            task = asyncio.create_task(end())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def left(self, *, alone: bool) -> Sequence[Row]:
        found = await self._database.read(run_rows.at_work)
        if not alone:
            others = {row["executor"] for row in found} - {None, self.id}
            await self._database.write(jobs.free_stalled, list(filter(self._is_dead, others)))
        return [row for row in found if row["executor"] == self.id]

    async def held(self, row: Row) -> bool:
        executor = row["executor"]
        return (
            executor not in (None, self.id)
            and not self._is_dead(executor)
            and await self._database.read(jobs.held, row)
        )

    def _is_dead(self, executor: str) -> bool:
        """What this machine knows at once; of others their heartbeats tell."""
        return self._process.knows(executor) and not self._process.lives(executor)

    async def close(self) -> None:
        self._closing.set()
        if self._running is not None:
            # While the worker is somebody yet: its jobs are nobody's to finish afterwards.
            while self._tasks or self._ending:
                await super().close()
                await asyncio.gather(*self._ending)
            self._worker.stop()
            # One may have been taken up just now.
            while not self._running.done():
                await super().close()
                await asyncio.gather(*self._ending)
                await asyncio.wait([self._running], timeout=0.05)
            await self._connector.close_async()
        await super().close()


class _Manager(JobManager):
    """Goes on where the library's worker would stop for good: at the first query that the database does not answer."""

    def __init__(
        self,
        connector: PsycopgConnector,
        finish: Callable[[Job, Status], Awaitable[None]],
        has_room: Callable[[], bool],
    ) -> None:
        super().__init__(connector)
        self._finish = finish
        self._has_room = has_room
        self._told: NotificationCallback | None = None
        self.known = asyncio.Event()
        """The worker has its number."""

    async def wake(self) -> None:
        """Let the worker look for jobs."""
        if self._told is not None:
            await self._told(channel="", notification={"type": "job_inserted", "job_id": 0})

    async def register_worker(self) -> int:
        number = await super().register_worker()
        self.known.set()
        return number

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        return await _tried(super().fetch_job(queues, worker_id)) if self._has_room() else None

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        await self._finish(job, status)

    async def update_heartbeat(self, worker_id: int) -> None:
        await _tried(super().update_heartbeat(worker_id))

    async def unregister_worker(self, worker_id: int) -> None:
        await _tried(super().unregister_worker(worker_id))

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        self._told = on_notification
        while True:
            await _tried(super().listen_for_jobs(on_notification=on_notification, queues=queues))


async def _tried(query: Awaitable[T]) -> T | None:
    try:
        return await query
    except ConnectorException as error:
        log.warning("the database does not answer the worker: %s", type(error.__cause__ or error).__name__)
        await asyncio.sleep(_PAUSE)
        return None
