"""What all tests share: a Dure of its own for each test, with its state thrown away."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from dure import Dure
from dure.testing import ScriptedServer

Opened = Callable[..., Awaitable[Dure]]


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the environment nor a dure.toml of the developer's reaches a test."""
    import os

    for name in [n for n in os.environ if n.startswith("DURE_") and not n.startswith("DURE_TEST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("dure.settings.config_file", lambda: None)


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """Open a Dure on a scripted server: `dure = await opened(server, tool_dialect="text", tools=[…])`.

    Closed at the end of the test. Search is lexical unless `embeddings=True` is given.
    """
    async with AsyncExitStack() as stack:

        async def open_one(server: ScriptedServer | None = None, **settings: Any) -> Dure:
            given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            if server is not None:
                given["model_base_url"] = server.url
            return await stack.enter_async_context(Dure(**(given | settings)))

        yield open_one
