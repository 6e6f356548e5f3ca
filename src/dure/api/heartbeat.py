"""A process that serves: it ends when its event loop hangs, since it still holds its runs and nobody else would take
them over; it looks for garbage among what runs make alone; and it logs."""

import asyncio
import faulthandler
import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 30.0
"""Seconds for which the event loop may stand still."""


@contextmanager
def heartbeat(limit: float = LIMIT) -> Iterator[None]:
    """While the running event loop stands still for less than `limit` seconds; then the process ends with code 1, and
    says on stderr where it hung. The watch needs no interpreter lock, which a regular expression can hold for hours."""
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def beat() -> None:
        nonlocal timer
        faulthandler.dump_traceback_later(limit, exit=True)
        timer = loop.call_later(min(1.0, limit / 4), beat)

    beat()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def log_to_stderr() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


@contextmanager
def loading() -> Iterator[None]:
    """Of a process that only serves: nothing is looked through for garbage until `loaded`. While everything was loaded
    that was done twice, at 0.08 s of CPU, for some hundred objects."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def loaded() -> None:
    """What is there by now stays, and is never looked through."""
    gc.freeze()
    gc.enable()


def settled() -> None:
    """Of a process that only serves: what is loaded by now stays. To look through all of it for garbage again and again
    took a third of the CPU of runs, and each time a fifth of a second in which nobody was answered."""
    gc.freeze()
    gc.set_threshold(5_000)
