"""Engines: when and how this process works on its runs. What outlives the process is not theirs, but the record's."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from dure.registry import Registry

Job = Callable[[], Awaitable[None]]


class Engine(Protocol):
    async def start(self, run_id: str, job: Job) -> None:
        """Take on the work on a run; returns at once. The job has to be begun also where it is cancelled before that,
        since it stores how the run ended."""

    async def cancel(self, run_id: str) -> bool:
        """Stop the work and wait until it has stopped; False when there is none here."""

    async def wait(self, run_id: str) -> None:
        """Until the work on the run, if any, has ended."""

    async def close(self) -> None:
        """Stop all work and wait until it has stopped."""


class InProcessEngine:
    """Each run is an asyncio task, begun at once."""

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


ENGINES: Registry[Callable[[], Engine]] = Registry("engine", {"in_process": InProcessEngine})
"""By the names that `DURE_ENGINE` uses."""
