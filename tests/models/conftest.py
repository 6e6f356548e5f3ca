"""Shared by the tests of the models room."""

from typing import Any

import pytest

from dure.messages import Delta
from dure.models.client import ChatClient
from dure.testing import ScriptedServer


class Naps:
    """Stands for the clock between retries: notes how long was asked for, and does not wait."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
async def connect(naps, monkeypatch):
    """Makes a ChatClient of a server (or a URL) whose pauses are noted instead of slept; closes it at the end."""
    made: list[ChatClient] = []
    monkeypatch.setattr("dure.models.client.sleep", naps)
    monkeypatch.setattr("dure.models.client.random", lambda: 0.5)

    def make(server: ScriptedServer | str, **options: Any) -> ChatClient:
        url = server if isinstance(server, str) else server.url
        client = ChatClient(url, **{"model": "m", **options})
        made.append(client)
        return client

    yield make
    for client in made:
        await client.close()


@pytest.fixture
def collect():
    """The fragments of a reply, and the whole text."""

    async def read(client: Any, **body: Any) -> tuple[str, list[Delta]]:
        body.setdefault("messages", [{"role": "user", "content": "hi"}])
        found = [delta async for delta in client.stream(body)]
        return "".join(delta.text for delta in found), found

    return read
