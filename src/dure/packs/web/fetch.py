"""Fetches a web page within limits: addresses, size (also unpacked), time, redirects, kinds of content."""

import asyncio
import re
import ssl
import zlib
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from dure.egress import Guard, Target, client, read_up_to
from dure.errors import Language, Text
from dure.packs.web import TEXTS
from dure.packs.web.problems import PageUnavailable, PageUnreadable
from dure.tooling import in_thread

if TYPE_CHECKING:
    import aiohttp

_HTML: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_TEXT: Final = frozenset({"application/json", "application/xml", "application/yaml", "application/x-ndjson"})
_ACCEPT: Final = "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,application/json;q=0.8,*/*;q=0.1"
_LANGUAGES = TEXTS.one("fetch.languages")
_GZIP: Final = b"\x1f\x8b"
_MAX_MEMBERS: Final = 16
_MEANINGS = TEXTS["fetch.meanings"]
"""Of a status, where HTTP's own phrase tells a reader too little."""


@dataclass(frozen=True, slots=True)
class Limits:
    max_bytes: int = 5_000_000
    """Of the body as it comes."""
    max_unpacked: int = 10_000_000
    """Bytes of the body after unpacking."""
    seconds: float = 20.0
    """For all of it: names, connections, redirects, the body."""
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    url: str
    """The address that gave the content, after redirects."""
    is_html: bool
    media_type: str
    """In lower case, without parameters; "" where the server named none."""
    charset: str | None
    """As the server named it."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches pages. Each has a connection of its own: no cookies, no proxy, nothing kept from one to the next.

    ssl_context: instead of the system's certificates.
    """

    guard: Guard = field(default_factory=Guard)
    limits: Limits = Limits()
    ssl_context: ssl.SSLContext | None = None

    async def fetch(self, url: str, language: Language = "en") -> Fetched:
        """Fetch `url`; `language` is the reader's. Each redirect is checked like a first address.

        Raises AddressRefused, PageUnavailable, PageUnreadable.
        """
        try:
            async with asyncio.timeout(self.limits.seconds):
                for _ in range(self.limits.redirects + 1):
                    target = await self.guard.check(url)
                    found = await self._one(target, language)
                    if isinstance(found, Fetched):
                        return found
                    url = urljoin(target.url, found)
        except TimeoutError:
            raise PageUnavailable("timeout", seconds=self.limits.seconds) from None
        except ValueError:
            # urljoin met brackets that are no IPv6 address.
            raise PageUnavailable("broken") from None
        raise PageUnavailable("redirects", limit=self.limits.redirects)

    async def _one(self, target: Target, language: Language) -> Fetched | str:
        """The content of one address, or where it redirects to."""
        import aiohttp
        from yarl import URL

        headers = {
            "User-Agent": f"dure/{version('dure')}",
            "Accept": _ACCEPT,
            "Accept-Language": _LANGUAGES[language],
            # What Python unpacks everywhere; anything else is not asked for and not taken.
            "Accept-Encoding": "gzip, deflate",
        }
        try:
            async with (
                client(target, None, self.ssl_context, auto_decompress=False) as session,
                session.get(URL(target.url, encoded=True), headers=headers, allow_redirects=False) as response,
            ):
                if response.status in (301, 302, 303, 307, 308) and response.headers.get("Location"):
                    return _readable(response.headers["Location"])
                return await self._content(target, response)
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError):
            raise PageUnavailable("certificate", host=target.host) from None
        except aiohttp.ClientConnectionError:
            raise PageUnavailable("unreachable", host=target.host) from None
        except (aiohttp.ClientError, aiohttp.http.HttpProcessingError):
            raise PageUnavailable("broken") from None

    async def _content(self, target: Target, response: "aiohttp.ClientResponse") -> Fetched:
        if not 200 <= response.status < 300:
            meaning = _MEANINGS.get(str(response.status))
            phrase = next((each.phrase for each in HTTPStatus if each == response.status), "?")
            shown = Text(**meaning.filled()) if meaning else phrase
            raise PageUnavailable("status", host=target.host, status=response.status, meaning=shown)
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        is_html = _is_html(media_type)
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise PageUnreadable("encoding", found=encoding[:40])
        most = self.limits.max_bytes
        too_large = PageUnreadable("too_large", limit=most)
        if (response.content_length or 0) > most:
            raise too_large
        body = await read_up_to(response, most)
        if len(body) > most:
            raise too_large
        if body and encoding not in ("", "identity"):
            body = await in_thread(lambda: _unpacked(body, self.limits.max_unpacked))
        if not media_type:
            is_html = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        return Fetched(target.url, is_html, media_type, response.charset, body)


def _unpacked(packed: bytes, most: int) -> bytes:
    """A body of gzip (also of several members) or deflate (with zlib's header or without), unpacked to `most` bytes."""
    body = b""
    for _ in range(_MAX_MEMBERS):
        inflate = zlib.decompressobj(_window(packed))
        try:
            body += inflate.decompress(packed, most - len(body) + 1)
        except zlib.error:
            break
        if len(body) > most:
            raise PageUnreadable("too_large", limit=most)
        packed = inflate.unused_data
        # Padding behind the end is ignored, as clients do.
        if inflate.eof and not packed.startswith(_GZIP):
            return body
        if not inflate.eof:
            break
    raise PageUnavailable("broken")


def _window(data: bytes) -> int:
    """zlib's window argument for gzip, zlib or bare deflate data (RFC 1952, 1950, 1951)."""
    if data.startswith(_GZIP):
        return 31
    return 15 if data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0) else -15


def _readable(location: str) -> str:
    """A Location header, whose bytes beyond ASCII come as surrogates, as an address; what is not UTF-8 byte by byte."""
    data = location.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", lambda byte: b"%%%02X" % byte[0][0], data).decode("ascii")


def _is_html(media_type: str) -> bool:
    """Whether it is HTML rather than plain text of some kind; raises PageUnreadable for what is neither."""
    if media_type in _HTML:
        return True
    if not media_type or media_type in _TEXT or media_type.startswith("text/"):
        return False
    if media_type.startswith("application/") and media_type.endswith(("+json", "+xml")):
        return False
    if media_type in ("application/pdf", "application/x-pdf"):
        raise PageUnreadable("pdf")
    raise PageUnreadable("kind", found=media_type[:80])
