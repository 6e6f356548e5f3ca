"""What the bundled model's engine keeps of what it has read, with its small weights."""

import asyncio
import os

import pytest

from dure.messages import system, user
from dure.models import open_model
from dure.models.bundled import readings
from dure.models.bundled.readings import Readings
from dure.models.bundled.weights import WEIGHTS, path_of, pull
from dure.models.client import ChatClient
from dure.settings import Settings
from dure.testing import ScriptedServer, say

RULES = [system("Answer with one word. " + "Be brief and polite, and never tell more than was asked for. " * 12)]


@pytest.fixture
async def settings(tmp_path):
    """With a cache of its own, but for the weights."""
    weights = await asyncio.to_thread(pull, WEIGHTS["0.5b"], path_of("0.5b", Settings().cache_dir))
    (tmp_path / "models").symlink_to(weights.parent)
    return Settings(bundled_model="0.5b", cache_dir=tmp_path)


async def asked(settings, question, rules=RULES):
    """Of an engine that was just started."""
    model = open_model(settings)
    try:
        return (await model.ask([*rules, user(question)], max_tokens=5, fixed=rules)).reply
    finally:
        await model.close()


@pytest.mark.slow
async def test_rules_are_read_once_and_found_again_by_the_next_engine(settings):
    first = await asked(settings, "Is fire hot?")
    (kept,) = (settings.cache_dir / "readings").iterdir()
    again = await asked(settings, "Is fire hot?")
    assert again.content == first.content
    assert again.usage.cached_tokens > 100
    assert again.usage.prompt_tokens - again.usage.cached_tokens < 20
    assert b"fire" not in kept.read_bytes()

    kept.write_bytes(b"rubbish")
    assert (await asked(settings, "Is fire hot?")).content == first.content
    assert (await asked(settings, "Is ice hot?")).usage.cached_tokens > 100
    assert list(kept.parent.iterdir()) == [kept]


@pytest.mark.slow
async def test_what_was_read_before_is_not_lost_to_what_is_found(settings):
    other = [system("Reply in capitals. " + "Write nothing that could be taken for an insult by anybody at all. " * 12)]
    for rules in (RULES, other):
        await asked(settings, "Is fire hot?", rules)
    model = open_model(settings)
    try:
        for rules in (RULES, other, RULES, other):
            reply = (await model.ask([*rules, user("Is ice hot?")], max_tokens=5, fixed=rules)).reply
            assert reply.usage.cached_tokens > 100
    finally:
        await model.close()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Readings of which 100 bytes are kept, and that there are three of, the last one old."""
    monkeypatch.setattr(readings, "_MOST_BYTES", 100)
    (tmp_path / "weights").touch()
    for name, size, time in (("a", 40, 3), ("b", 50, 2), ("c", 60, 1)):
        path = tmp_path / "kept" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (time, time))
    return Readings(tmp_path / "kept", tmp_path / "weights")


async def test_what_was_not_used_for_long_makes_room(kept):
    async with ScriptedServer(say("")) as server:
        engine = ChatClient(server.url)
        # This one keeps nothing, which harms nobody.
        await kept.find(engine, RULES)
        await engine.close()
    assert [request["messages"] for request in server.requests] == [[*RULES, user("")]]
    assert sorted(path.name for path in kept.folder.iterdir()) == ["a", "b"]


async def test_what_is_short_or_known_is_not_read_ahead(kept):
    async with ScriptedServer(say("")) as server:
        engine = ChatClient(server.url)
        await kept.find(engine, [system("Be brief.")])
        for _ in range(2):
            await kept.find(engine, RULES)
        await engine.close()
    assert len(server.requests) == 1


async def test_an_engine_that_fails_is_met_by_the_request_itself(kept):
    before = sorted(kept.folder.iterdir())
    engine = ChatClient("http://127.0.0.1:9/v1", "x", tries=1)
    await kept.find(engine, RULES)
    await engine.close()
    assert sorted(kept.folder.iterdir()) == before
