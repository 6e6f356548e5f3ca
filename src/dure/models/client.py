"""The chat client: OpenAI-compatible HTTP, streamed, with retries and timeouts."""

import asyncio
import os
from asyncio import sleep
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies, proxy_bypass

from pydantic import SecretStr
from yarl import URL

from dure.egress import read_up_to
from dure.errors import DureError, ModelError, ModelRefused, ModelTimeout, ModelUnavailable, phrase
from dure.messages import Delta, Usage, json_bytes
from dure.models.deltas import Chunks, ReplyBytes, error_of, hidden, load, shown, unread
from dure.models.facts import Client, Facts
from dure.models.probe import entries, probe
from dure.settings import is_loopback

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

BUSY = frozenset({408, 425, 429, 502, 503, 504, *range(520, 531)})
"""Statuses of a server that is busy or away (520 and more: of proxies before it); 500 is a faulty one's."""
_RETRIED = BUSY | {500}
LONGEST_WAIT = 60.0
"""Seconds between two tries."""
_MOST_BYTES = 64_000_000


@dataclass(eq=False, repr=False)
class ChatClient(Client):
    """A model behind an OpenAI-compatible server.

    base_url: e.g. `http://localhost:8000/v1`. model: its name there; empty: the first that the server lists.
    headers and query: of every request. timeout: seconds without a byte before a call is given up; connect_timeout:
    seconds for connecting. tries: how often a request is sent while the server cannot be reached, is busy or faulty
    (408, 429, 5xx), with growing pauses between (Retry-After is kept, up to `patience` seconds); never again once a
    part of the answer was handed on.
    """

    base_url: str
    model: str = ""
    api_key: SecretStr | None = None
    _: KW_ONLY
    timeout: float = 120.0
    connect_timeout: float = 10.0
    headers: Mapping[str, SecretStr | None] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    tries: int = 3
    patience: float = LONGEST_WAIT

    def __post_init__(self) -> None:
        host, scheme = URL(self.base_url).host or "", URL(self.base_url).scheme
        # The proxy that the environment names; none for this machine itself.
        self._proxy = None if is_loopback(host) or proxy_bypass(host) else getproxies().get(scheme)
        # Both would be sent in the same header: the key it is then.
        self.base_url = (self.base_url if self.api_key is None else without_user(self.base_url)).rstrip("/")
        self.place = without_user(self.base_url)
        self._let_in = self._faulty = False
        self._session: ClientSession | None = None

    def __repr__(self) -> str:
        return f"ChatClient({self.place!r}, {self.model!r})"

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """See `Client.stream`. What is None in the body is not sent."""
        whole = {"model": await self.resolve(), "stream": True, "stream_options": {"include_usage": True}, **body}
        if not whole["stream"]:
            whole["stream_options"] = None
        whole = {key: value for key, value in whole.items() if value is not None}
        tried = 0
        while True:
            handed_on = False
            try:
                async with aclosing(self._once(whole)) as reply:
                    async for delta in reply:
                        handed_on = True
                        yield delta
                self._faulty = False
                return
            except _Passing as fault:
                tried += 1
                faulty = fault.error.details.get("http_status") == 500
                # What was faulty to the last is likely so again: finding out what it refuses would take long.
                tried = self.tries if faulty and self._faulty else tried
                self._faulty = faulty and tried >= self.tries
                wait = 0.5 * 2 ** (tried - 1) * (0.5 + random()) if fault.wait is None else fault.wait  # noqa: S311
                if handed_on or tried >= self.tries or wait > self.patience:
                    raise fault.error from None
            await sleep(wait)

    async def resolve(self) -> str:
        """The model's name: as given, else the first that the server lists."""
        if not self.model:
            self.model = (await self.models())[0]
        return self.model

    async def models(self) -> list[str]:
        """The names of the models that the server lists. Raises ModelRefused for a key that may not see them,
        ModelUnavailable where the server is away, ModelError for a server that lists none."""
        status, found = await self.get("models")
        if status in (401, 403):
            raise ModelRefused(http_status=status, reason=phrase("models_client.listing", place=self.place))
        self._there(status, found)
        names = _listed(found)
        if not names:
            raise ModelError(reason=phrase("models_client.models", place=self.place, status=status))
        return names

    async def ready(self) -> None:
        """Raises ModelUnavailable where the server is away, ModelRefused where it wants another key: one that may not
        list the models is asked a word with, once."""
        status, found = await self.get("models")
        if status in (401, 403) and not self._let_in:
            try:
                async with aclosing(self.stream({"messages": [{"role": "user", "content": "1"}]})) as reply:
                    await anext(reply, None)
            except ModelRefused as error:
                if error.details["http_status"] in (401, 403):
                    raise
            self._let_in = True
        self._there(status, found)
        self.model = self.model or next(iter(_listed(found)), "")

    def _there(self, status: int, found: Any) -> None:
        if status >= 500:
            said = "".join(f": {error.details['reason']}" for error in [error_of(found)] if error)
            raise self.clean(ModelUnavailable(reason=f"{self.place}: HTTP {status}{said}", http_status=status))

    async def facts(self) -> Facts:
        """What the server can do; see `dure.models.probe`."""
        return await probe(self)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> "ClientSession":
        if self._session is None:
            import aiohttp

            headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
            if self.api_key is not None:
                headers["Authorization"] = f"Bearer {self.api_key.get_secret_value()}"
            headers |= {name: value.get_secret_value() for name, value in self.headers.items() if value}
            timeout = aiohttp.ClientTimeout(sock_connect=self.connect_timeout, sock_read=self.timeout)
            # Servers drop idle connections after 5 s (uvicorn, llama.cpp): be quicker.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4.0)
            trace = aiohttp.TraceConfig()
            trace.on_connection_reuseconn.append(_note_reuse)
            self._session = aiohttp.ClientSession(
                headers=headers, timeout=timeout, connector=connector, trace_configs=[trace]
            )
        return self._session

    async def _once(self, whole: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """One request. Raises _Passing for what may go better the next time."""
        import aiohttp

        chunks = Chunks()
        try:
            async with self._request("POST", self.base_url + "/chat/completions", data=json_bytes(whole)) as response:
                if response.status != 200:
                    for delta in chunks.joined([await self._refused(response)]):
                        yield delta
                source, size = ReplyBytes(), 0
                async for block in response.content.iter_any():
                    size += len(block)
                    for delta in chunks.joined(source.feed(block)):
                        yield delta
                    if source.done:
                        await _drain(response)
                        break
                    if size > _MOST_BYTES:
                        raise ModelError(reason=phrase("models_client.size", most=_MOST_BYTES))
                for delta in chunks.joined(source.finish()):
                    yield delta
            if not (chunks.finished or source.done):
                raise _Passing(ModelError(reason=phrase("models_client.broken")))
        except aiohttp.ConnectionTimeoutError:
            seconds = f"{self.connect_timeout:g}"
            raise _Passing(
                ModelUnavailable(reason=phrase("models_client.connection", place=self.place, seconds=seconds))
            ) from None
        except TimeoutError:
            raise ModelTimeout(seconds=f"{self.timeout:g}") from None
        except aiohttp.ClientPayloadError:
            if not chunks.finished:
                raise _Passing(ModelError(reason=phrase("models_client.broken"))) from None
        except (aiohttp.ClientError, OSError) as error:
            raise _Passing(ModelUnavailable(reason=f"{self.place}: {_cause(error)}")) from None
        except ModelError as error:
            if error.details.get("upstream") in _RETRIED:
                raise _Passing(self.clean(error)) from None
            raise self.clean(error) from None
        yield Delta(usage=chunks.usage or Usage(1))

    async def _refused(self, response: "ClientResponse") -> Any:
        """What the model wrote, where the server refuses that and tells it. Raises what it is for all else."""
        data = await read_up_to(response, 100_000)
        status = response.status
        value = _json(data) if data.lstrip()[:1] in (b"{", b"[") else None
        if unread(value) is not None:
            return value
        found = error_of(value)
        said = str(found.details["reason"]) if found else shown(data) if data.strip() else response.reason or ""
        if status in _RETRIED:
            kind = ModelUnavailable if status in BUSY else ModelError
            error = kind(reason=f"{self.place}: HTTP {status}: {said}", http_status=status)
            raise _Passing(self.clean(error), _retry_after(response.headers))
        raise ModelRefused(http_status=status, reason=said)

    def clean(self, error: DureError) -> DureError:
        """`error` without the key, the headers' and the password: some servers repeat a wrong one in their sentence."""
        reason = str(error.details.get("reason"))
        keys = [each.get_secret_value() for each in (self.api_key, *self.headers.values()) if each]
        said = hidden(reason, [*keys, URL(self.base_url).password or ""])
        return error if said == reason else type(error)(**{**error.details, "reason": said})

    async def get(self, path: str, sent: Any = None, *, seconds: float = 5.0) -> tuple[int, Any]:
        """HTTP status and JSON (None where it is none) of a request beside the chat route, given up after so many
        seconds. sent: what is posted, as JSON.

        `path` is relative to the base URL, or with a leading `/` to what stands before its `/v1`. Raises
        ModelUnavailable."""
        import aiohttp

        root = self.base_url.removesuffix("/v1") if path.startswith("/") else f"{self.base_url}/"
        method, data = ("GET", None) if sent is None else ("POST", json_bytes(sent))
        try:
            limits = aiohttp.ClientTimeout(total=seconds)
            async with self._request(method, root + path, data=data, timeout=limits) as response:
                return response.status, _json(await read_up_to(response, _MOST_BYTES))
        except (aiohttp.ClientError, OSError) as error:
            raise ModelUnavailable(reason=f"{self.place}: {_cause(error)}") from None

    @asynccontextmanager
    async def _request(self, method: str, url: str, **options: Any) -> "AsyncIterator[ClientResponse]":
        """The reply to a request, its body yet to come; asked for again where an idle connection was dropped."""
        import aiohttp

        on, response = SimpleNamespace(reused=False), None
        while response is None:
            on.reused = False
            try:
                response = await self._open().request(
                    method, url, params=self.query, proxy=self._proxy, trace_request_ctx=on, **options
                )
            except (aiohttp.ClientError, OSError) as error:
                if not on.reused or isinstance(error, TimeoutError):
                    raise
        async with response:
            yield response


def _listed(found: Any) -> list[str]:
    """The names in a server's list of models."""
    return [str(each["id"]) for each in entries(found) if "id" in each]


class _Passing(Exception):
    """A fault that may be gone when the request is sent again, after `wait` seconds where the server says so."""

    def __init__(self, error: DureError, wait: float | None = None) -> None:
        self.error = error
        self.wait = wait


def _json(data: bytes) -> Any:
    """None for what is none."""
    with suppress(ModelError):
        return load(data)
    return None


async def _note_reuse(_session: Any, context: Any, _params: Any) -> None:
    context.trace_request_ctx.reused = True


async def _drain(response: "ClientResponse") -> None:
    """Reads past the end of the events, so that the connection can be used again."""
    from aiohttp import ClientError

    with suppress(TimeoutError, ClientError):
        async with asyncio.timeout(0.5):
            await read_up_to(response, 10_000)


def _retry_after(headers: Any) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or an HTTP date, RFC 9110 §10.2.3)."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("Retry-After", "")
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _cause(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    # Of aiohttp's, where it could not connect.
    if isinstance(of := getattr(error, "os_error", None), OSError):
        # What asyncio says beside the system's number is a Python tuple.
        return os.strerror(of.errno) if of.errno and of.errno > 0 else of.strerror or str(of)
    return str(error) or type(error).__name__


def without_user(url: str) -> str:
    """The address without user name and password."""
    return str(URL(url).with_user(None))
