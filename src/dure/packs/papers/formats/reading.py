"""Files read as they come: plain or gzip, bounded, line by line or XML element by element, without document types,
entities or anything fetched; what APIs of papers answer; small helpers for values of unknown shape."""

import asyncio
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from lxml import etree

from dure.egress import read_up_to
from dure.errors import ToolError
from dure.packs.papers import TEXTS

_SECONDS = 60.0
_LARGEST = 20_000_000
"""Bytes of an answer."""
_TRIES = 3
_GZIP = b"\x1f\x8b"
_RATIO = 200
"""Times its size that a compressed file may unpack to, beyond `_FREE` bytes. Text packs to a tenth."""
_FREE = 100_000_000
LONGEST_LINE = 16_000_000
"""Bytes."""
Element = Any
"""An element of lxml's."""


class Unusable(Exception):
    """`Unusable(why)`: the rest of a file cannot be read; a text in both languages."""


class _Bounded(gzip.GzipFile):
    """An unpacking stream that gives up when it unpacks to suspiciously much."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._limit = _FREE + _RATIO * path.stat().st_size

    def read(self, size: int | None = -1) -> bytes:
        return self._taken(super().read, size)

    def readline(self, size: int | None = -1) -> bytes:
        return self._taken(super().readline, size)

    def _taken(self, take: Callable[[Any], bytes], size: int | None) -> bytes:
        try:
            data = take(size)
        except (EOFError, OSError, zlib.error) as error:
            raise Unusable(TEXTS.phrase("formats.gzip", error=error)) from None
        if self.tell() > self._limit:
            raise Unusable(TEXTS.phrase("formats.unpacked", most=self._limit))
        return data


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, unpacked where it is gzip. Reading raises Unusable for a damaged or bursting one."""
    stream = path.open("rb")
    if stream.read(2) == _GZIP:
        stream.close()
        return cast("BinaryIO", _Bounded(path))
    stream.seek(0)
    return stream


def first_line(stream: BinaryIO) -> tuple[int, bytes]:
    """Number and bytes of the first line that is not blank, at most `LONGEST_LINE` of it; (…, b"") without one."""
    number = 1
    while (line := stream.readline(LONGEST_LINE)) and not line.removeprefix(b"\xef\xbb\xbf").strip():
        number += 1
    return number, line


def lines(stream: BinaryIO, first: tuple[int, bytes] | None = None) -> Iterator[tuple[int, bytes | None]]:
    """Number and bytes of each line; None for one that is longer than `LONGEST_LINE`. `first`: what `first_line` has
    read already."""
    number, line = first or (1, stream.readline(LONGEST_LINE))
    while line:
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        else:
            yield number, line
        number, line = number + 1, stream.readline(LONGEST_LINE)


def elements(stream: BinaryIO, wanted: Sequence[str]) -> Iterator[Element]:
    """Each element of a name in `wanted`, whole; inside of it names lose their namespace. Raises Unusable, with the
    line, where the XML is broken, nested or long beyond reason (libxml2's limits), or has a document type."""
    names = [f"{{*}}{name}" for name in wanted]
    parsed = etree.iterparse(stream, tag=names, resolve_entities=False, remove_comments=True, remove_pis=True)
    try:
        for _, element in parsed:
            if element.getroottree().docinfo.doctype:
                raise Unusable(TEXTS.phrase("formats.doctype"))
            for each in element.iter():
                each.tag = etree.QName(each).localname
            yield element
    except etree.XMLSyntaxError as error:
        raise Unusable(TEXTS.phrase("formats.line", line=error.lineno, said=error.msg)) from None


async def get(url: str, parameters: dict[str, Any], failure: type[ToolError], pause: float = 0.1) -> bytes:
    """What an address answers; a few tries, `pause` seconds and more apart. Raises `failure`, with the reason."""
    import aiohttp

    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            await asyncio.sleep(pause * 2**attempt)
        try:
            timeout = aiohttp.ClientTimeout(total=_SECONDS)
            # A session each: requests are few and apart.
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=True, headers={"User-Agent": "dure"}) as session,
                session.get(url, params=parameters) as response,
            ):
                data = await read_up_to(response, _LARGEST)
                if len(data) > _LARGEST:
                    raise failure(reason=TEXTS.phrase("formats.large"))
                if response.status == 200:
                    return data
                reason = f"HTTP {response.status}"
                if response.status < 500 and response.status != 429:
                    break
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
    raise failure(reason=reason)


def words(element: Element | None) -> str:
    """All text in an element."""
    return "".join(element.itertext()) if element is not None else ""


def decode(data: bytes) -> str:
    """UTF-8; of what is none, EUC-KR where that makes Hangul of it (of accented letters it makes Hanja at most), else
    Latin-1."""
    for encoding in ("utf-8-sig", "euc-kr"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if encoding != "euc-kr" or any("가" <= letter <= "힣" for letter in text):
                return text
    return data.decode("latin-1")


def text(value: Any) -> str:
    """A text as it is, a number in digits, "" for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def integer(value: Any) -> int | None:
    """A whole number, also from its digits."""
    digits = text(int(value) if isinstance(value, float) and value.is_integer() else value).strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None


def items(value: Any) -> list[Any]:
    """A list as it is, else an empty one."""
    return value if isinstance(value, list) else []


def mapping(value: Any) -> dict[str, Any]:
    """An object as it is, else an empty one."""
    return value if isinstance(value, dict) else {}
