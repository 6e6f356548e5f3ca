"""The papers room: a Dure on either store."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dure import Dure
from dure.packs.papers.library.base import Papers
from dure.packs.papers.opened import papers_of

Library = Callable[..., Awaitable[Papers]]


@pytest.fixture
async def library(database_url: str, opened: Callable[..., Awaitable[Dure]]) -> Library:
    """`papers = await library()`: on each store in turn."""

    async def open_one(**settings: Any) -> Papers:
        return papers_of(await opened(database_url=database_url, model_base_url="http://127.0.0.1:9/v1", **settings))

    return open_one
