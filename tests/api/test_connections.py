"""What a server does with connections that do not speak as they should, over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
import pytest

from dure.api import connections, guard

Talk = Callable[..., Any]
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
async def connect(serve) -> AsyncIterator[Talk]:
    """`reader, writer = await connect()`: a connection to a server."""
    client = await serve()
    async with AsyncExitStack() as stack:

        async def opened(address: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            port = httpx.URL(client.base_url).port
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            stack.callback(writer.close)
            return reader, writer

        yield opened


async def said(connect: Talk, sent: bytes) -> bytes:
    """All that is answered until the server closes the connection."""
    reader, writer = await connect()
    writer.write(sent)
    async with asyncio.timeout(60):
        return bytes(await reader.read())


SMUGGLED = [
    b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}  ",
    b"Content-Length: 4, 5\r\n\r\n{}  ",
    b"Content-Length: +4\r\n\r\n{}  ",
    b"Content-Length: 4 \r\n x: y\r\n\r\n{}  ",
    b"Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    b"Content-Length: 0\r\nX: a\nb\r\n\r\n",
    b"Content-Length: 0\r\nX\r\n\r\n",
]


@pytest.mark.parametrize("head", SMUGGLED)
async def test_a_request_of_two_minds_ends_the_connection(connect: Talk, head: bytes) -> None:
    """Whatever follows is no second request."""
    answer = await said(connect, POST + head + GET)
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501")), answer[:300]
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("size", [70_000, 5_000_000])
async def test_a_head_without_end_is_refused(connect: Talk, size: int) -> None:
    try:
        answer = await said(connect, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * size)
    except ConnectionResetError:
        return  # while it was still sending
    assert answer.startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\n", GET + b"GET /healthz HTTP/1.1\r\nHo"])
async def test_a_head_that_does_not_come_ends_the_connection(
    connect: Talk, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    reader, writer = await connect()
    writer.write(sent)
    async with asyncio.timeout(60):
        with suppress(ConnectionResetError):
            assert (await reader.read()).count(b"HTTP/1.1 200") == sent.startswith(GET)


async def test_a_head_that_comes_byte_by_byte_has_no_more_time(connect: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.4)
    reader, writer = await connect()
    ended = False
    async with asyncio.timeout(60):
        while not ended:
            writer.write(b"G")
            await asyncio.sleep(0.05)
            ended = writer.is_closing() or reader.at_eof() or reader.exception() is not None
    assert ended


@pytest.mark.parametrize("sent", [b"", b'{"message"'])
async def test_a_body_that_does_not_come_is_408(connect: Talk, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.3)
    monkeypatch.setattr(guard, "_UNREAD_SECONDS", 0.1)
    answer = await said(connect, POST + b"Content-Length: 100\r\n\r\n" + sent)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"request_timeout"' in answer
    assert b"connection: close" in answer.lower()


async def test_a_body_that_drips_is_408(connect: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.5)
    monkeypatch.setattr(guard, "_UNREAD_SECONDS", 0.1)
    reader, writer = await connect()
    writer.write(POST + b"Content-Length: 1000\r\n\r\n")

    async def drip() -> None:
        for _ in range(1000):
            writer.write(b" ")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    async with asyncio.timeout(60):
        assert (await reader.read(4096)).startswith(b"HTTP/1.1 408")
    dripping.cancel()


async def test_half_open_connections_keep_nobody_out(connect: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 40)
    # None of those held ends by itself.
    monkeypatch.setattr(connections, "HEAD_SECONDS", 600)
    held = [await connect() for _ in range(120)]
    for _, writer in held:
        writer.write(b"GET /healthz HTTP/1.1\r\n")
    for _ in range(5):
        reader, writer = await connect()
        writer.write(GET)
        async with asyncio.timeout(60):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")


async def test_bodies_that_do_not_come_from_one_address_keep_no_other_out(
    connect: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    for _ in range(60):
        _, writer = await connect("127.0.0.2")
        writer.write(POST + b"Content-Length: 100000\r\n\r\n{")
    await asyncio.sleep(0.2)
    for _ in range(5):
        reader, writer = await connect()
        writer.write(GET)
        async with asyncio.timeout(60):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")


async def test_nobody_who_is_answered_makes_room(connect: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 10)
    reader, writer = await connect()
    writer.write(POST + b"Content-Length: 2\r\n\r\n{")
    await asyncio.sleep(0.2)
    for _ in range(30):
        await connect()
    writer.write(b"}")
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"HTTP/1.1 422")
