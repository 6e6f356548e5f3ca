"""Uploaded files: read as they come, each with a limit, never all in memory."""

import re
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from fastapi import Request

from dure.api.bodies import content
from dure.errors import InvalidInput, TooLarge, UnsupportedMedia, phrase

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_WANTED = "multipart/form-data"
_FILE = {"type": "array", "items": {"type": "string", "format": "binary"}}
FILES = content(_WANTED, {"type": "object", "required": ["file"], "properties": {"file": _FILE}})
"""What the description of the API says of a request with files."""
MAX_FILES = 100
_IN_MEMORY = 1 << 20


@dataclass(slots=True)
class Upload:
    """A received file. `name` is cleaned; the content stands in `file`, from its start."""

    name: str
    file: "SpooledTemporaryFile[bytes]"
    size: int = 0

    def read(self) -> bytes:
        self.file.seek(0)
        return self.file.read()


@asynccontextmanager
async def receive(request: Request, limit: int) -> AsyncIterator[list[Upload]]:
    """The files of a multipart request, while the context lasts.

    limit: bytes of one file. Raises UnsupportedMedia, TooLarge (as soon as a file exceeds it), InvalidInput.
    """
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import MultipartParser, parse_options_header

    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind.decode("latin-1") != _WANTED or not options.get(b"boundary"):
        raise UnsupportedMedia(found=kind.decode("latin-1") or "-", wanted=f"{_WANTED}; boundary=…")
    parts = _Parts(limit)
    try:
        try:
            parser = MultipartParser(options[b"boundary"], parts.callbacks())
            async for chunk in request.stream():
                parser.write(chunk)
            parser.finalize()
            if not parts.ended:
                raise InvalidInput(reason=phrase("api_uploads.ended"))
        except FormParserError as error:
            raise InvalidInput(reason=f"multipart: {error}") from None
        if not parts.uploads:
            raise InvalidInput(reason=phrase("api_uploads.none"))
        yield parts.uploads
    finally:
        for upload in parts.uploads:
            upload.file.close()


@dataclass(slots=True)
class _Parts:
    """What the multipart parser calls back, part by part."""

    limit: int
    uploads: list[Upload] = field(default_factory=list)
    current: Upload | None = None
    header: bytearray = field(default_factory=bytearray)
    value: bytearray = field(default_factory=bytearray)
    disposition: bytes = b""
    skipped: int = 0
    ended: bool = False

    def callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self.begin,
            "on_header_field": lambda data, start, end: self.header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self.value.extend(data[start:end]),
            "on_header_end": self.header_end,
            "on_headers_finished": self.headers_end,
            "on_part_data": self.data,
            "on_end": self.end,
        }

    def end(self) -> None:
        self.ended = True

    def begin(self) -> None:
        self.current, self.disposition = None, b""

    def header_end(self) -> None:
        if self.header.lower() == b"content-disposition":
            self.disposition = bytes(self.value)
        self.header.clear()
        self.value.clear()

    def headers_end(self) -> None:
        name = file_name(self.disposition)
        if name is None:
            return
        if len(self.uploads) >= MAX_FILES:
            raise InvalidInput(reason=phrase("api_uploads.most", most=MAX_FILES))
        name = clean_name(name)
        self.current = Upload(name, SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115, closed by `receive`
        self.uploads.append(self.current)

    def data(self, data: bytes, start: int, end: int) -> None:
        size = end - start
        if self.current is None:
            self.skipped += size
            if self.skipped > _IN_MEMORY:
                raise TooLarge(name="form fields", size=self.skipped, limit=_IN_MEMORY)
            return
        self.current.size += size
        if self.current.size > self.limit:
            raise TooLarge(name=self.current.name, size=self.current.size, limit=self.limit)
        self.current.file.write(data[start:end])


def file_name(disposition: bytes) -> str | None:
    """The file name in a part's Content-Disposition; None for a field that is no file."""
    from python_multipart.multipart import parse_options_header

    _, options = parse_options_header(disposition)
    if b"filename" in options:
        return _decode(options[b"filename"])
    # RFC 7578 forbids this form, but widespread clients send names that are not ASCII in it.
    extended = re.search(rb"filename\*\s*=\s*\"?utf-8'[^']*'([^;\"]*)", disposition, re.IGNORECASE)
    return _decode(unquote_to_bytes(extended[1])) if extended else None


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        # Old Korean programs send file names in their own code page.
        return raw.decode("cp949", "replace")


UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]")
"""What a name does not show: controls, characters without width, those that turn the direction of writing."""


def clean_name(name: str) -> str:
    """A file name as shown and stored: no folders, no control or direction characters, composed Hangul, at most
    200 characters with the extension kept. Raises InvalidInput where nothing is left.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    clean = UNSEEN.sub("", last).strip().strip(".").strip() if last.strip(". ") else ""
    if not clean:
        raise InvalidInput(reason=phrase("api_uploads.name"))
    stem, dot, extension = clean.rpartition(".")
    if len(clean) <= 200:
        return clean
    return f"{stem[: 199 - len(extension)]}.{extension}" if dot and len(extension) <= 20 else clean[:200]
