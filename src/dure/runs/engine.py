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
    """Each run is an asyncio task of this process; what is under way when the process dies is lost."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, run_id: str, job: Job) -> None:
        async def work() -> None:
            await job()

        task = asyncio.create_task(work(), name=f"run {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(run_id, None))

    async def cancel(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        return True

    async def wait(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
