"""The bundled model, run for real with its small weights, and its process."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from fixtures.gguf import gguf

from dure.errors import ModelUnavailable, SettingsError
from dure.messages import user
from dure.models import Model, open_model
from dure.models.bundled.model import BundledClient, Engine
from dure.models.bundled.weights import WEIGHTS, path_of, pull
from dure.models.client import ChatClient
from dure.settings import Settings
from dure.testing import ScriptedServer


@pytest.fixture
async def bundled():
    """The small bundled model; its weights are fetched into the user's cache if they are not there."""
    model = open_model(Settings(bundled_model="0.5b"))
    yield model
    await model.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared():
    """The same, for tests that ask it and no more: to load it takes longer than what they ask."""
    model = open_model(Settings(bundled_model="0.5b"))
    yield model
    await model.close()


def client_of(model: Model) -> BundledClient:
    assert isinstance(model.client, BundledClient)
    return model.client


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie that its parent did not look after does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")")[1].split()[0] != "Z"


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def wait_for_end(pid: int) -> None:
    while alive(pid):
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_answers_streams_and_keeps_to_a_schema(shared):
    pieces = []
    asked = await shared.ask([user("What is the capital of France?")], on_piece=pieces.append, max_tokens=40)
    assert "Paris" in asked.reply.content
    assert "".join(piece.text for piece in pieces) == asked.reply.content
    assert len(pieces) > 1
    assert asked.reply.usage.prompt_tokens > 5
    assert asked.reply.usage.completion_tokens > 1

    schema = {
        "type": "object",
        "properties": {"agent": {"enum": ["documents", "weather"]}},
        "required": ["agent"],
        "additionalProperties": False,
    }
    asked = await shared.ask([user("Who can find our travel rules?")], schema=schema, max_tokens=40)
    assert json.loads(asked.reply.content)["agent"] in ("documents", "weather")

    facts = await shared.facts()
    assert (facts.kind, facts.dialect, facts.context, shared.small) == ("bundled", "schema", 4096, True)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_calls_a_tool_in_the_dialect_schema(shared):
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    function = {"name": "search", "description": "Searches the company's documents.", "parameters": parameters}
    question = [user("Search the documents for the travel rules.")]
    asked = await shared.ask(question, [{"type": "function", "function": function}], max_tokens=80)
    assert asked.dialect == "schema"
    assert asked.reply.content or asked.reply.tool_calls[0].name == "search"


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_only_the_holder_of_the_key_is_served(shared):
    await shared.ready()
    url = client_of(shared)._chat.base_url
    assert url.startswith("http://127.0.0.1:")
    async with (
        aiohttp.ClientSession() as session,
        session.post(url + "/chat/completions", json={"messages": []}) as response,
    ):
        assert response.status == 401


@pytest.mark.slow
async def test_the_key_is_on_no_command_line(tmp_path):
    weights = await asyncio.to_thread(pull, WEIGHTS["0.5b"], path_of("0.5b", Settings().cache_dir))
    engine = Engine(weights, "x", 512, None, tmp_path)
    try:
        await engine.start()
        assert engine.key.get_secret_value().encode() not in command_line(engine.process.pid)
    finally:
        await engine.stop()


@pytest.mark.slow
async def test_an_engine_that_died_is_started_again(bundled):
    await bundled.ready()
    first = client_of(bundled).engine.process.pid
    os.kill(first, signal.SIGKILL)
    asked = await bundled.ask([user("Say yes.")], max_tokens=5)
    assert asked.reply.content
    assert client_of(bundled).engine.process.pid != first


@pytest.mark.slow
async def test_closing_ends_the_engine(bundled):
    await bundled.ready()
    pid = client_of(bundled).engine.process.pid
    await bundled.close()
    assert not alive(pid)


@pytest.mark.slow
def test_the_engine_ends_when_its_parent_is_killed():
    code = """
import asyncio
from dure.models import open_model
from dure.models.client import ChatClient
from dure.settings import Settings
from dure.testing import ScriptedServer
async def main():
    model = open_model(Settings(bundled_model="0.5b"))
    await model.ready()
    print(model.client.engine.process.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        parent.wait()
        wait_for_end(pid)
        assert not alive(pid)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_questions_at_once_wait_their_turn(shared):
    asked = await asyncio.gather(*(shared.ask([user(f"Say {n}.")], max_tokens=4) for n in range(3)))
    assert all(each.reply.content for each in asked)


async def test_a_file_that_is_no_model_is_told(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a GGUF file")
    model = open_model(Settings(bundled_path=broken))
    with pytest.raises(SettingsError, match="no GGUF file"):
        await model.ready()
    await model.close()


async def test_a_file_that_is_not_there(tmp_path):
    model = open_model(Settings(bundled_path=tmp_path / "none.gguf"))
    with pytest.raises(SettingsError, match="DURE_BUNDLED_PATH"):
        await model.ready()


async def test_a_platform_without_the_engine(tmp_path, monkeypatch):
    monkeypatch.setattr("dure.models.bundled.model.find_spec", lambda name: None)
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf())
    model = open_model(Settings(bundled_path=file))
    with pytest.raises(ModelUnavailable, match="DURE_MODEL_BASE_URL"):
        await model.ready()


async def test_an_engine_whose_start_is_cancelled_does_not_stay(tmp_path, monkeypatch):
    silent = tmp_path / "engine.py"
    silent.write_text("input()\ninput()\n")
    monkeypatch.setattr("dure.models.bundled.model._ENGINE", silent)
    engine = Engine(tmp_path / "x.gguf", "x", 512, None, tmp_path)
    starting = asyncio.create_task(engine.start())
    while engine.process is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert await engine.ended()
    assert not alive(engine.process.pid)


def test_a_large_file_of_ones_own_is_no_small_model(tmp_path):
    file = tmp_path / "big.gguf"
    with file.open("wb") as opened:
        opened.truncate(4_000_000_000)
    assert not open_model(Settings(bundled_path=file)).small
    assert open_model(Settings()).small


TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls %}<~run~>"
    "{{ c.function.name }}<~with~>{{ c.function.arguments | tojson }}<~end~>{% endfor %}<eot>{% endfor %}"
    "{{ '<assistant>' if add_generation_prompt }}"
)


async def test_how_a_large_model_of_ones_own_writes_calls_is_learnt_from_its_file(tmp_path, monkeypatch):
    """As from a server that gives its template; the engine is a scripted one here: the file holds no weights."""
    file = tmp_path / "big.gguf"
    with file.open("wb") as opened:
        opened.write(gguf(tokenizer__chat_template=TEMPLATE))
        opened.truncate(4_000_000_000)
    model = open_model(Settings(bundled_path=file))
    async with ScriptedServer() as server:
        chat = ChatClient(server.url, "big", tries=1)

        async def started():
            return chat

        monkeypatch.setattr(model.client, "_started", started)
        facts = await model.client.facts()
        await chat.close()
    assert (facts.dialect, facts.written["head"]) == ("native", "<~run~>")
