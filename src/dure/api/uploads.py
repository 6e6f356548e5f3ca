"""Uploaded files: read as they come by Starlette's parser, each with a limit, never all in memory."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from dure.api.bodies import content, only
from dure.errors import InvalidInput, TooLarge, UnsupportedMedia, phrase
from dure.knowledge.files import clean_name

_WANTED = "multipart/form-data"
_FILE = {"type": "array", "items": {"type": "string", "format": "binary"}}
_TEXTS = {"type": "array", "items": {"type": "string"}}
MAX_FILES = 100
_MAX_FIELDS = 20
_MAX_FIELD = 50_000
"""Bytes of a field that is no file."""


def files(*parts: str) -> dict[str, Any]:
    """The OpenAPI entry of a body that `receive` reads."""
    properties = {"file": _FILE, **dict.fromkeys(parts, _TEXTS)}
    return content(_WANTED, {"type": "object", "required": ["file"], "properties": properties})


@asynccontextmanager
async def receive(request: Request, limit: int, *parts: str) -> AsyncIterator[tuple[list[UploadFile], FormData]]:
    """The files of a multipart request, under names made safe, and all that it holds, while the context lasts.

    limit: bytes of one file. parts: names of those that are no file. Raises UnsupportedMedia, TooLarge (as soon as a
    part exceeds its limit), InvalidInput.
    """
    from python_multipart.multipart import parse_options_header

    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind.decode("latin-1") != _WANTED or not options.get(b"boundary"):
        raise UnsupportedMedia(found=kind.decode("latin-1") or "-", wanted=f"{_WANTED}; boundary=…")
    try:
        form = await _Parts(request, limit).parse()
    except MultiPartException as error:
        raise InvalidInput(reason=f"multipart: {error.message}") from None
    try:
        only({"file", *parts}, form, "form")
        found = [part for _, part in form.multi_items() if isinstance(part, UploadFile)]
        if not found:
            raise InvalidInput(reason=phrase("api_uploads.none"))
        yield found, form
    finally:
        await form.close()


class _Parts(MultiPartParser):
    """With a limit for each file, and names as browsers and old programs meant them."""

    def __init__(self, request: Request, limit: int) -> None:
        super().__init__(request.headers, self._whole(request), max_files=MAX_FILES, max_fields=_MAX_FIELDS)
        self._limit = limit
        self._size = 0
        self._ended = False

    async def _whole(self, request: Request) -> AsyncGenerator[bytes, None]:
        async for chunk in request.stream():
            yield chunk
        if not self._ended:
            raise InvalidInput(reason=phrase("api_uploads.ended"))

    def on_headers_finished(self) -> None:
        part, self._size = self._current_part, 0
        name = file_name(bytes(part.content_disposition or b""))
        if name is not None:
            # Starlette looks for this form alone, and takes what is not UTF-8 for Latin-1.
            part.content_disposition = b'form-data; name="file"; filename="-"'
        super().on_headers_finished()
        if part.file is not None:
            part.file.filename = clean_name(str(name))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        file = self._current_part.file
        limit, name = (self._limit, file.filename) if file else (_MAX_FIELD, "form fields")
        if self._size > limit:
            raise TooLarge(name=name, limit=limit)
        super().on_part_data(data, start, end)

    def on_end(self) -> None:
        self._ended = True


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
