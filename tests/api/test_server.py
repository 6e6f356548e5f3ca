"""Where the server listens."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from dure import Dure
from dure.api import server
from dure.api.server import listen
from dure.errors import CannotListen, KeysNeeded
from dure.findings import model_of
from dure.settings import load_settings
from dure.testing import ScriptedServer, Step, say, served


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_keys_only_loopback(host: str) -> None:
    with pytest.raises(KeysNeeded) as error:
        listen(load_settings(host=host, port=0))
    assert error.value.code == "keys_needed"


def test_with_keys_anywhere() -> None:
    with listen(load_settings(host="0.0.0.0", port=0, api_keys=["k"])) as bound:
        assert bound.getsockname()[0] == "0.0.0.0"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback(host: str) -> None:
    with listen(load_settings(host=host, port=0)) as bound:
        assert bound.getsockname()[1] > 0


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen) as error:
            listen(load_settings(host="127.0.0.1", port=port))
    assert str(port) in str(error.value)


@pytest.mark.parametrize("host", ["no-such-host.invalid", ""])
def test_an_address_of_nobody(host: str) -> None:
    with pytest.raises(CannotListen):
        listen(load_settings(host=host, port=0, api_keys=["k"]))


async def test_what_keeps_it_from_starting_is_raised(tmp_path: Path) -> None:
    """Also what nobody foresaw: it is all that whoever started it hears."""

    class Broken(Dure):
        async def __aenter__(self) -> Dure:
            raise ValueError("no such day")

    with pytest.raises(ValueError, match="no such day"):
        async with served(Broken(data_dir=tmp_path, embeddings=False, port=0)):
            pass


async def test_the_model_is_announced_without_its_password(opened: Callable[..., Awaitable[Dure]]) -> None:
    dure = await opened(model_base_url="http://user:s3cret@127.0.0.1:9/v1")
    assert model_of(dure) == "first listed (http://127.0.0.1:9/v1)"


async def test_whoever_waits_when_it_ends_is_told_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_GRACE", 0.1)
    steps = say("너무 늦은 답").after(asyncio.Event()), Step(text="시작합니다.", stall=60)
    async with ScriptedServer(*steps) as scripted, httpx.AsyncClient(timeout=60) as client:
        given: dict[str, Any] = {"data_dir": tmp_path, "embeddings": False, "tool_dialect": "native", "port": 0}
        async with served(Dure(model_base_url=scripted.url, **given)) as url:
            asked = {"message": "Hello there", "team": "assistant"}
            waiting = asyncio.create_task(client.post(f"{url}/v1/chat", json=asked))
            await scripted.arrived(1)
            streaming = asyncio.create_task(client.post(f"{url}/v1/chat", json=asked | {"stream": True}))
            await scripted.arrived(2)
        told, streamed = await waiting, await streaming
    assert (told.status_code, told.json()["error"]["code"]) == (503, "shutting_down")
    assert told.json()["error"]["message"].startswith("The server is shutting down.")
    assert streamed.status_code == 200
    assert "RUN_STARTED" in streamed.text
    assert [each for each in caplog.records if each.exc_info and each.name.startswith(("uvicorn", "dure"))] == []


LOADING = """
import asyncio, sys, time, warnings
from dure import Dure
from dure.testing import served

async def main():
    assert "requests" not in sys.modules
    async with served(Dure(port=0)):
        until = time.monotonic() + 30
        while "requests.sessions" not in sys.modules and time.monotonic() < until:
            with warnings.catch_warnings():
                time.sleep(0.001)
            await asyncio.sleep(0)

asyncio.run(main())
"""


async def test_loading_ahead_says_nothing(tmp_path: Path) -> None:
    """What is loaded in a thread beside imports that put the filters of warnings back."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LOADING),
        env=os.environ | {"DURE_DATA_DIR": str(tmp_path), "DURE_EMBEDDINGS": "0"},
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    assert (process.returncode, told.decode()) == (0, "")
