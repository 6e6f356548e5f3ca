"""Engines: when and how this process works on its runs. What outlives the process is not theirs, but the record's."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from dure.registry import Registry

Job = Callable[[], Coroutine[Any, Any, None]]


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

    async def start(self, run_id: str, job: Job) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            if self._tasks.get(run_id) is task:
                del self._tasks[run_id]

        self._tasks[run_id] = asyncio.create_task(job(), name=f"run {run_id}")
        self._tasks[run_id].add_done_callback(ended)

    async def cancel(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        if task is not None:
            await _stop([task])
        return task is not None

    async def wait(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        await _stop(list(self._tasks.values()))


async def _stop(tasks: Sequence[asyncio.Task[None]]) -> None:
    # Cancelled before its first step a task would never take it; those that wait for it take it now.
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


ENGINES: Registry[Callable[[], Engine]] = Registry("engine", {"in_process": InProcessEngine})
"""By the names that `DURE_ENGINE` uses."""
