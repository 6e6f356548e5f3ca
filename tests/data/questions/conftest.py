"""The built-in encoders, whose weights are read once."""

import asyncio
from collections.abc import Iterator

import pytest

from dure.data.questions.likeness import Likeness, likeness
from dure.models.embeddings import NanoEmbedder, SentenceEncoder


@pytest.fixture(scope="module")
def like() -> Iterator[Likeness]:
    embedder = NanoEmbedder(second=SentenceEncoder())
    found = likeness(embedder)
    assert found is not None
    yield found
    asyncio.run(embedder.close())
