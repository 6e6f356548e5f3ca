"""Pages of PDFs and pictures as PNGs, and where a piece of the text stands on one: boxes to be drawn there."""

import base64
import ctypes
import struct
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from dure.knowledge.parse import ocr, pdf
from dure.knowledge.parse.ocr import Box

_FINE = 100_000
"""Units of a page's width and height in which PDFium is asked."""
_PIXELS = 12_000_000
"""Of a picture: what is longer than it is wide is drawn smaller."""


def boxes(data: bytes, kind: str, number: int, text: str, start: int) -> dict[str, Any]:
    """`{boxes}` of the lines on which `text[start:]` stands on a page, from 1; none where it is not found. text: the
    page's, from its beginning. What is no letter or figure does not count."""
    if kind == "picture":
        pictures = enumerate(ocr.frames(data), 1)
        letters = [each for n, picture in pictures if n == number for each in _of_words(ocr.places(picture))]
    else:
        letters = list(_of_pdf(data, number))
    page = "".join(letter for letter, _ in letters)
    found: list[Box] = []
    for line in text[start:].splitlines():
        for wanted in _as_written(line):
            places = [at for at in range(len(page)) if page.startswith(wanted, at)]
            if places:
                before = _plain(text[:start]).count(wanted)
                at = places[min(before, len(places) - 1)]
                found += _lines([box for _, box in letters[at : at + len(wanted)]])
                break
    return {"boxes": found}


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c.isalnum())


def _as_written(line: str) -> Iterator[str]:
    """What to look for: the line, or of a row of a table its values, whose names stand elsewhere; the first of them may
    stand beside several rows."""
    cells = [cell.partition(": ")[2] or cell for cell in line.split(" | ")]
    values = ["".join(cells[first:]) for first in range(len(cells) - 1)]
    yield from filter(None, map(_plain, [line, *values]))


def _of_pdf(data: bytes, number: int) -> Iterator[tuple[str, Box]]:
    """The letters and figures of a page; of a scan, as they are read."""
    import pypdfium2.raw as raw

    with pdf.opened(data) as document:
        none = True
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as textpage:
            for i in range(textpage.count_chars()):
                left, bottom, right, top = textpage.get_charbox(i)
                corners = [_device(page, *corner) for corner in ((left, top), (right, bottom))]
                (a, b), (c, d) = corners
                for letter in _plain(chr(raw.FPDFText_GetUnicode(textpage, i))):
                    none = False
                    yield letter, (min(a, c), min(b, d), max(a, c), max(b, d))
        if none:
            yield from _of_words(ocr.places(pdf.picture(document[number - 1])))


def _device(page: Any, x: float, y: float) -> tuple[float, float]:
    """A point of a page, which may be turned and cut, in shares of its picture."""
    import pypdfium2.raw as raw

    right, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _FINE, _FINE, 0, x, y, right, down)
    return right.value / _FINE, down.value / _FINE


def _of_words(words: Iterator[tuple[str, Box]]) -> Iterator[tuple[str, Box]]:
    return ((letter, box) for word, box in words for letter in _plain(word))


def _lines(found: list[Box]) -> list[Box]:
    """Boxes that follow each other on one line as one, whichever way the page is turned."""
    lines: list[Box] = []
    for before, (left, top, right, bottom) in zip([(-1.0, -1.0, -1.0, -1.0), *found], found, strict=False):
        if before[1] <= (top + bottom) / 2 <= before[3] or before[0] <= (left + right) / 2 <= before[2]:
            a, b, c, d = lines.pop()
            left, top, right, bottom = min(a, left), min(b, top), max(c, right), max(d, bottom)
        lines.append((left, top, right, bottom))
    return lines


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
