"""Pages of PDFs and pictures as PNGs."""

import base64
import struct
import zlib
from typing import Any

from dure.knowledge.parse import ocr, pdf

_PIXELS = 12_000_000
"""Of a picture: what is longer than it is wide is drawn smaller."""


def draw(data: bytes, kind: str, number: int, width: int) -> dict[str, Any]:
    """`{png}` (base64) of a page of a PDF or picture, from 1, about `width` pixels wide; `{pages}`, how many there are,
    for one that does not exist. Raises Unreadable, and what PDFium or Pillow raise for a damaged file."""
    if kind == "picture":
        pages = 0
        for pages, image in enumerate(ocr.frames(data), 1):
            if pages == number:
                image = image.convert("RGB")
                image.thumbnail((width, _PIXELS // width))
                return _drawn(image)
        return {"pages": pages}
    with pdf.opened(data) as document:
        if not 0 < number <= len(document):
            return {"pages": len(document)}
        page = document[number - 1]
        wide, high = page.get_size()
        scale = min(width / wide, (_PIXELS / (wide * high)) ** 0.5)
        return _drawn(page.render(scale=scale, rev_byteorder=True).to_numpy())


def _drawn(pixels: Any) -> dict[str, Any]:
    return {"png": base64.b64encode(png(pixels)).decode()}


def png(pixels: Any) -> bytes:
    """A PNG (https://www.w3.org/TR/png-3/) of an array of bytes, rows × columns × 1, 3 or 4 channels."""
    import numpy as np

    pixels = np.asarray(pixels)
    rows, columns = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    flat = np.ascontiguousarray(pixels).reshape(rows, columns * channels)
    # Filter 2, "up": each row as its difference to the one above, which on a page is mostly nothing.
    filtered = np.full((rows, columns * channels + 1), 2, np.uint8)
    filtered[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=filtered[1:, 1:])
    head = struct.pack(">IIBBBBB", columns, rows, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), 4)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
