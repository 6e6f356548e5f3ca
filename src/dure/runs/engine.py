"""The port behind which runs are worked on, and the engine that works on them in this process.

A durable engine keeps the same port: a job is named by its run, so it can be started in one process and taken
over by another.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

Job = Callable[[], Awaitable[None]]


class Engine(Protocol):
    async def start(self, run_id: str, job: Job) -> None:
        """Begin to work on a run; returns at once."""

    async def cancel(self, run_id: str) -> bool:
        """Stop the work and wait until it has stopped; False when there is none here."""

    async def wait(self, run_id: str) -> None:
        """Until the work on the run, if any, has ended."""

    async def close(self) -> None:
        """Stop all work and wait until it has stopped."""


class InProcessEngine:
    """Each run is an asyncio task of this process. What is under way when the process dies is not its business: it is
    taken over by another (`watch.py`)."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._begun: dict[str, asyncio.Event] = {}
        """Of those: whether its job has begun. Cancelled before that it would never learn of it."""

    async def start(self, run_id: str, job: Job) -> None:
        begun = self._begun[run_id] = asyncio.Event()

        async def work() -> None:
            begun.set()
            await job()

        def ended(task: asyncio.Task[None]) -> None:
            begun.set()
            if self._tasks.get(run_id) is task:
                del self._tasks[run_id], self._begun[run_id]

        task = asyncio.create_task(work(), name=f"run {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(ended)

    async def cancel(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        if task is None:
            return False
        await self._begun[run_id].wait()
        task.cancel()
        await asyncio.wait([task])
        return True

    async def wait(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        for begun in list(self._begun.values()):
            await begun.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
