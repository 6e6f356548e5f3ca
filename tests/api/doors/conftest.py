"""A Dure asked by OpenAI's own client."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from dure.testing import ScriptedServer


@pytest.fixture
async def asked(serve: Callable[..., Awaitable[httpx.AsyncClient]]) -> AsyncIterator[Callable[..., Awaitable[Any]]]:
    """`client = await asked(scripted)`: OpenAI's client of a Dure."""
    openai = pytest.importorskip("openai", reason="needs the package openai")
    made: list[Any] = []

    async def ask(scripted: ScriptedServer | None = None, **settings: Any) -> Any:
        served = await serve(scripted, **settings)
        given = {"http_client": httpx.AsyncClient(verify=False), "api_key": "unused", "max_retries": 0, "timeout": 20}
        made.append(openai.AsyncOpenAI(base_url=f"{served.base_url}/v1", **given))
        return made[-1]

    yield ask
    for each in made:
        await each.close()
