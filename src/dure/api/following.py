"""A run that belongs to whoever waits for its answer: it ends when they go."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from dure.api.auth import Caller
from dure.events import Event, ReasoningDelta, TextDelta, TextRetracted, decode
from dure.runs.active import to_the_end

Result = TypeVar("Result")


async def leave(who: Caller, run_id: str) -> None:
    """Cancel the run, unless it has ended or waits for people."""
    if (await who.dure.runs.brief(who.owner, run_id))["status"] in ("queued", "running"):
        await who.dure.runs.cancel(who.owner, run_id)


async def followed(who: Caller, run_id: str, after: int = 0) -> AsyncGenerator[tuple[int, Event], None]:
    """The run's events after number `after`, with their numbers, until it ends or waits for people; left before, it is
    cancelled."""
    try:
        async with aclosing(who.dure.runs.events(who.owner, run_id, after)) as events:  # type: ignore[type-var]
            async for numbered in events:
                yield numbered
    except BaseException:
        await to_the_end(leave(who, run_id))
        raise


async def record(who: Caller, run_id: str) -> list[Event]:
    """The run's events so far. Raises NotFound."""
    return [decode(each["kind"], each["data"]) for each in (await who.dure.runs.get(who.owner, run_id))["events"]]


def settled(event: Event) -> Event | None:
    """The event as clients are told it that cannot take anything back: drafts are thoughts, and the answer, which
    comes with the run's end, is no message of its own before. None for what they are not told."""
    match event:
        case TextRetracted() | TextDelta(message_id="answer"):
            return None
        case TextDelta():
            return ReasoningDelta(event.message_id, event.text, event.work_id)
    return event


async def unless_gone(request: Request, work: Awaitable[Result]) -> Result:
    """What `work` gives; it is cancelled when the client hangs up, whose request was read. Raises ClientDisconnect."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        for each in (working, gone):
            each.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
