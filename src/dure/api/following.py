"""A run's events, followed: by who waits for its answer, whose going ends it, and as a stream of server-sent events
(https://html.spec.whatwg.org/#server-sent-events)."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from typing import TypeVar

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect

from dure.api.agui import Translator
from dure.api.auth import Caller
from dure.api.wires import Wire
from dure.errors import DureError, InvalidInput, Language, phrase
from dure.events import Event, ReasoningDelta, TextDelta, TextRetracted, decode
from dure.messages import json_bytes

Result = TypeVar("Result")
log = logging.getLogger("dure.api")

_STREAM = "text/event-stream"
KEEP_ALIVE = 15.0
"""Seconds of silence after which a comment is sent, so that proxies keep the connection."""


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


def last_event_id(request: Request) -> int:
    """The number after which the reader goes on; 0 for all. Raises InvalidInput for one that is no number."""
    given = request.headers.get("last-event-id", "").strip()
    if not given:
        return 0
    if (number := number_of(given)) is None:
        raise InvalidInput(reason=phrase("api_sse.last"))
    return number


def number_of(given: str) -> int | None:
    """A place in a stream or list, as a client gives it back; None for what is none."""
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else None


def wants_stream(request: Request, said: bool) -> bool:
    """Whether to answer with events: the body said so, or the Accept header does."""
    return said or _STREAM in request.headers.get("accept", "")


async def told(who: Caller, run_id: str, translator: Translator) -> int:
    """How many AG-UI events a run's record has become so far. Raises NotFound."""
    return sum(len(translator.feed(event)) for event in await record(who, run_id))


def stream(
    who: Caller, run_id: str, after: int = 0, translator: Translator | None = None, *, kept: bool = True
) -> StreamingResponse:
    """The AG-UI events of a run of the caller's with numbers above `after`, from storage and then live, until it has
    ended or waits. Unless it is `kept`, the run ends when its reader goes."""
    source = (who.dure.runs.events if kept else who.dure.runs.followed)(who.owner, run_id)
    frames = _frames(source, translator or Translator(run_id), after, who.language or "ko")
    return events_reply(
        frames, {"X-Run-Id": run_id}, None if kept else BackgroundTask(who.dure.runs.leave, who.owner, run_id)
    )


def unnumbered(run_id: str, wires: list[Wire]) -> Response:
    """AG-UI events that are no part of the run's record: a reader who comes back does not ask for what follows them."""
    frames = b"".join(b"data: %b\n\n" % json_bytes(wire) for wire in wires)
    return Response(frames, media_type=_STREAM, headers={"X-Run-Id": run_id})


def events_reply(
    frames: AsyncGenerator[bytes, None], headers: dict[str, str], after: BackgroundTask | None
) -> StreamingResponse:
    """`frames`, each whole events, with comments while none come. Left by its reader it closes them. after: what is
    done then, also where the reader went before `frames` had begun."""
    headers = {"X-Accel-Buffering": "no"} | headers
    return StreamingResponse(_kept_alive(frames), media_type=_STREAM, headers=headers, background=after)


async def _frames(
    source: AsyncIterator[tuple[int, Event]], translator: Translator, after: int, language: Language
) -> AsyncGenerator[bytes, None]:
    """One frame for each batch of wire events; all are translated, those up to `after` are not sent."""
    number = 0
    try:
        async for _, event in source:
            frame = bytearray()
            for wire in translator.feed(event):
                number += 1
                if number > after:
                    frame += _frame(number, wire)
            if frame:
                yield bytes(frame)
    except Exception as error:
        # The status line is long gone: the reader learns of the failure from the stream itself.
        log.exception("the event stream broke")
        shown = error if isinstance(error, DureError) else DureError()
        yield _frame(number + 1, {"type": "RUN_ERROR", "message": shown.message(language), "code": shown.code})


def _frame(number: int, wire: Wire) -> bytes:
    return b"id: %d\ndata: %b\n\n" % (number, json_bytes(wire))


async def _kept_alive(frames: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    """`frames`, with a comment whenever nothing came for a while. Closing it closes them."""
    upcoming: asyncio.Future[bytes] | None = None
    try:
        while True:
            upcoming = upcoming or asyncio.ensure_future(anext(frames))
            done, _ = await asyncio.wait({upcoming}, timeout=KEEP_ALIVE)
            if not done:
                yield b": keep-alive\n\n"
                continue
            try:
                frame = upcoming.result()
            except StopAsyncIteration:
                return
            upcoming = None
            yield frame
    finally:
        if upcoming is not None:
            upcoming.cancel()
            # A reader's going cancels again and again whatever is awaited, which is not to reach what ends the frames.
            while not upcoming.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({upcoming})
        await frames.aclose()
