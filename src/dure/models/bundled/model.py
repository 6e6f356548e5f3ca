"""The bundled model: llama.cpp in a child process on loopback, started at first need, behind the same chat client."""

import asyncio
import json
import os
import secrets
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from pydantic import SecretStr

from dure.errors import InvalidInput, ModelError, ModelUnavailable, SettingsError, phrase
from dure.messages import Delta, Message
from dure.models.bundled.gguf import header
from dure.models.bundled.readings import Readings
from dure.models.bundled.weights import WEIGHTS, fetch, path_of
from dure.models.client import ChatClient
from dure.models.facts import Client, Facts
from dure.models.probe import taught
from dure.models.refusals import IMAGES
from dure.settings import ModelSettings, Settings

CONTEXT = 4096
"""Tokens of context, where the settings do not say."""
_OWN_CONTEXT = 8192
"""The most for a file of one's own, where the settings do not say: memory for it is taken at the start."""
_SMALL_BYTES = 2_500_000_000
"""Weights below this (about four thousand million parameters at four bits) count as a small model."""
_ENGINE = Path(__file__).with_name("engine.py")


class BundledClient(Client):
    """A `Client` of the bundled model, or of the GGUF file in `settings.bundled_path`.

    Fetches the weights and starts the engine at first need, one request at a time; an engine that died is started
    again. Raises what `ChatClient` raises, WeightsError when the weights cannot be fetched, and SettingsError when
    `bundled_path` is no file.
    """

    place = "bundled"

    def __init__(self, settings: Settings, chosen: ModelSettings) -> None:
        self._settings = settings
        self._timeout = chosen.timeout
        own = settings.bundled_path
        self.path = own or path_of(settings.bundled_model, settings.cache_dir)
        self.model = own.stem if own else WEIGHTS[settings.bundled_model].name
        self._chosen_context = chosen.context
        self.small = own is None or (own.is_file() and own.stat().st_size < _SMALL_BYTES)
        self.engine: Engine | None = None
        self._readings = Readings(settings.cache_dir / "readings", self.path)
        self._chat: ChatClient | None = None
        self._one_at_a_time = asyncio.Lock()
        self._starting = asyncio.Lock()

    @cached_property
    def context(self) -> int:
        """Tokens. Raises SettingsError for a file of one's own that is no GGUF."""
        if self._chosen_context or self._settings.bundled_path is None:
            return self._chosen_context or CONTEXT
        try:
            return min(header(self.path)["context"] or CONTEXT, _OWN_CONTEXT)
        except InvalidInput as error:
            raise SettingsError(key="DURE_BUNDLED_PATH", reason=error.details["reason"]) from None

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """See `Client.stream`. Waiting for one's turn does not count against the timeout."""
        async with self._one_at_a_time:
            for again in (True, False):
                chat, handed_on = await self._started(), False
                try:
                    async with aclosing(chat.stream(body)) as reply:
                        async for delta in reply:
                            handed_on = True
                            yield delta
                    return
                except (ModelError, ModelUnavailable):
                    if handed_on or not again or not (self.engine is None or await self.engine.ended(1.0)):
                        raise

    async def read(self, head: Sequence[Message]) -> None:
        """See `Client.read`."""
        async with self._one_at_a_time:
            await self._readings.find(await self._started(), head)

    async def ready(self) -> None:
        """Fetch the weights if need be and start the engine."""
        await self._started()

    async def facts(self) -> Facts:
        if not self.small:
            facts = await (await self._started()).facts()
            return await taught(facts, header(self.path)["template"])
        why, blind = phrase("models_bundled_model.schema"), phrase("models_bundled_model.blind")
        return Facts("bundled", self.model, "schema", why, self.context, {IMAGES: blind})

    async def close(self) -> None:
        if self._chat is not None:
            await self._chat.close()
            self._chat = None
        if self.engine is not None:
            await self.engine.stop()
            self.engine = None

    async def _started(self) -> ChatClient:
        async with self._starting:
            if self._chat is not None and self.engine is not None and not await self.engine.ended():
                return self._chat
            await self.close()
            if self._settings.bundled_path is None:
                await fetch(self._settings.bundled_model, self._settings.cache_dir)
            elif not self.path.is_file():
                reason = phrase("models_bundled_model.file", path=self.path)
                raise SettingsError(key="DURE_BUNDLED_PATH", reason=reason)
            self._readings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._readings.forget()
            config = (self.path, self.model, self.context, self._settings.bundled_threads, self._readings.folder)
            engine = Engine(*config)
            url = await engine.start()
            self.engine = engine
            self._chat = ChatClient(url, self.model, engine.key, timeout=self._timeout, connect_timeout=5.0, tries=1)
            return self._chat


class Engine:
    """The child process. It ends with this process, however that ends: its standard input is then closed."""

    def __init__(self, path: Path, name: str, context: int, threads: int | None, readings: Path) -> None:
        self.key = SecretStr(secrets.token_urlsafe(24))
        told = {"path": str(path), "name": name, "readings": str(readings)}
        self._config = {**told, "context": context, "threads": threads or 0}
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> str:
        """Start and load; gives the base URL. Raises ModelUnavailable with the engine's last words."""
        if find_spec("xllamacpp") is None:
            raise ModelUnavailable(reason=phrase("models_bundled_model.engine"))
        # Waiting threads spin only briefly, then sleep. Measured on two cores: as quick as endless spinning while the
        # machine is quiet (36 to 40 tokens/s, 0.5B), and four times as quick or more beside other work.
        environment = {"GOMP_SPINCOUNT": "1000", **os.environ}
        config = {**self._config, "key": self.key.get_secret_value()}
        with TemporaryFile() as errors:
            process = self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(_ENGINE), stdin=PIPE, stdout=PIPE, stderr=errors, env=environment
            )
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps(config).encode() + b"\n")
                await process.stdin.drain()
                told = json.loads(await process.stdout.readline())
            except BaseException as error:
                await self._end(process)
                if not isinstance(error, OSError | ValueError):
                    raise
                words = _last_words(errors)
                raise ModelUnavailable(reason=phrase("models_bundled_model.start", words=words)) from None
        return f"http://127.0.0.1:{told['port']}/v1"

    async def ended(self, within: float = 0.0) -> bool:
        """Whether the process has ended, waiting up to `within` seconds for that."""
        if self.process is not None and self.process.returncode is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await self.process.wait()
        return self.process is None or self.process.returncode is not None

    async def stop(self) -> None:
        """End the process in order; takes a moment."""
        if self.process is not None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            await self.ended(5.0)
            await self._end(self.process)

    @staticmethod
    async def _end(process: asyncio.subprocess.Process) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _last_words(errors: IO[bytes]) -> str:
    """The last lines written to `errors`."""
    end = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, end - 2000))
    lines = [" ".join(line.split()) for line in errors.read().decode("utf-8", "replace").splitlines()]
    return " / ".join([line for line in lines if line][-4:]) or "no message"
