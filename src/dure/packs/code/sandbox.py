"""Runs Python code in pydantic-monty's sandbox: an interpreter of its own in a fresh worker process for each run.

The sandbox has no files, no network, no environment and none of this program's memory. Time and memory are limited
inside the worker (its allocator refuses more) and, where it does not get to the check, by its end.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from dure.packs.code.values import shown

SECONDS = 8.0
"""Of computing; sleeping takes none."""
MEMORY = 128 << 20
"""Bytes of the sandbox's memory; its process takes up to about 100 MB more for a moment."""
MAX_OUTPUT = 100_000
"""Bytes printed."""
_MAX_FRAMES = 6
_MAX_LINE = 200
_MAX_MESSAGE = 1_000
_AT_ONCE = 4

MODULES = (
    "asyncio, base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, functools, hashlib, itertools, "
    "json, math, random, re, time, typing, unicodedata"
)
"""What can be imported and is of use there."""

Fault = Literal["error", "time", "memory", "output"]


@dataclass(slots=True)
class Ran:
    """What running some code gave. `value`: of a last line that is an expression, as Python would show it; "" for
    None. `kind`, `error`, `frames`: only of code that failed; frames are (line, function, source), outermost first.
    """

    output: str = ""
    value: str = ""
    kind: Fault | None = None
    error: str = ""
    frames: list[tuple[int, str, str]] = field(default_factory=list)


class Sandbox:
    """Runs pieces of code that know nothing of one another, a few at once."""

    def __init__(self, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds = seconds
        self.memory = memory
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def run(self, code: str) -> Ran:
        """Run `code`; ends with it when cancelled."""
        import pydantic_monty as monty

        printed, loop, enough = bytearray(), asyncio.get_running_loop(), asyncio.timeout(None)

        def end() -> None:
            # What has ended by then cannot be ended again.
            with suppress(RuntimeError):
                enough.reschedule(0)

        def add(stream: str, text: str) -> None:
            """Called in any thread."""
            if len(printed) <= MAX_OUTPUT:
                printed.extend(text.encode("utf-8", "replace"))
                if len(printed) > MAX_OUTPUT:
                    loop.call_soon_threadsafe(end)

        limits: Any = {
            "max_feed_duration_secs": self.seconds,
            "max_memory": self.memory,
            "max_suspensions": 10_000,
            "max_total_sleep_secs": 1.0,
        }
        local = time.localtime()
        policy: Any = {"timezone": {"offset_seconds": local.tm_gmtoff, "name": local.tm_zone}, "sleep": "zero"}
        ran = Ran()
        try:
            async with (
                self._places,
                # The sandbox itself would fail for too much output, but only when its time is up.
                enough,
                monty.AsyncMonty(min_processes=1, max_processes=1, request_timeout=self.seconds + 2) as pool,
                pool.checkout(limits=limits, os_policy=policy) as session,
            ):
                value = await session.feed_run(code, print_callback=add)
            ran.value = "" if value is None else shown(value)
        except TimeoutError:
            if not enough.expired():
                raise
        except monty.MontyCrashedError as error:
            ran.kind = "time" if error.timed_out else "memory"
        except monty.MontyError as error:
            _describe(ran, error)
        ran.output = printed[:MAX_OUTPUT].decode("utf-8", "ignore")
        if len(printed) > MAX_OUTPUT:
            ran.kind = "output"
        return ran


def _describe(ran: Ran, error: Any) -> None:
    message = error.display(format="type-msg") if hasattr(error, "display") else str(error)
    frames = error.traceback() if hasattr(error, "traceback") else []
    ran.kind = "error"
    if message.startswith("MemoryError"):
        ran.kind = "memory"
    elif message.startswith("TimeoutError: feed time limit"):
        ran.kind = "time"
    ran.error = message if len(message) <= _MAX_MESSAGE else message[:_MAX_MESSAGE] + "…"
    if len(frames) > _MAX_FRAMES:
        frames = [*frames[:2], *frames[2 - _MAX_FRAMES :]]
    ran.frames = [(f.line, f.function_name or "<module>", (f.source_line or "").strip()[:_MAX_LINE]) for f in frames]
