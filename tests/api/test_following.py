"""The stream itself: comments while nothing comes, a failure told in the stream, nothing left open."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import pytest

from dure.api import following
from dure.api.agui import Translator
from dure.events import Event, RunStarted

START = RunStarted("r1", "s1", "workplace", "휴가는?")


async def test_silence_is_filled_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "KEEP_ALIVE", 0.01)
    gate = asyncio.Event()
    closed = False

    async def frames() -> AsyncGenerator[bytes, None]:
        nonlocal closed
        try:
            yield b"first"
            await gate.wait()
            yield b"second"
        finally:
            closed = True

    stream = following._kept_alive(frames())
    assert await anext(stream) == b"first"
    assert await anext(stream) == b": keep-alive\n\n"
    assert await anext(stream) == b": keep-alive\n\n"
    gate.set()
    rest = [frame async for frame in stream if not frame.startswith(b":")]
    assert rest == [b"second"]
    assert closed


async def test_a_reader_that_leaves_closes_the_source() -> None:
    closed = asyncio.Event()

    async def frames() -> AsyncGenerator[bytes, None]:
        try:
            yield b"first"
            await asyncio.Event().wait()
        finally:
            closed.set()

    stream = following._kept_alive(frames())
    assert await anext(stream) == b"first"
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert closed.is_set()


async def test_a_failure_on_the_way_ends_the_stream_with_an_error(caplog: pytest.LogCaptureFixture) -> None:
    async def source() -> AsyncIterator[tuple[int, Event]]:
        yield 1, START
        raise OSError("disk is gone")

    frames = [frame.decode() async for frame in following._frames(source(), Translator(), 0, "en")]
    assert "RUN_STARTED" in frames[0]
    assert frames[1].startswith('id: 2\ndata: {"type":"RUN_ERROR"')
    assert "disk" not in frames[1]
    assert "disk is gone" in caplog.text
