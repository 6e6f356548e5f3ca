"""The process that draws pages: `python -m dure.knowledge.parse.picture_child`, driven by `pictures.py`."""

import base64
import struct
import zlib
from pathlib import Path
from typing import Any

from dure.child import Message, serve

MEMORY = 2 << 30
"""Bytes of address space."""
_PIXELS = 12_000_000
"""Of a picture: what is longer than it is wide is drawn smaller."""


def draw(request: Message) -> Message:
    """`{path, page, width, seconds}` → `{png}` (base64), `{pages}` for a page that does not exist, or `{problem}`."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(Path(request["path"]).read_bytes())
        number = request["page"] - 1
        if not 0 <= number < len(document):
            return {"pages": len(document)}
        page = document[number]
        wide, high = page.get_size()
        scale = min(request["width"] / wide, (_PIXELS / (wide * high)) ** 0.5)
        return {"png": base64.b64encode(png(page.render(scale=scale, rev_byteorder=True).to_numpy())).decode()}
    except pdfium.PdfiumError as error:
        return {"problem": "encrypted" if "password" in str(error).lower() else "broken"}
    except FileNotFoundError:
        return {"problem": "missing"}
    except MemoryError:
        return {"problem": "memory"}
    except Exception:
        return {"problem": "broken"}


def png(pixels: Any) -> bytes:
    """A PNG (https://www.w3.org/TR/png-3/) of an array of bytes, rows × columns × 1, 3 or 4 channels."""
    import numpy as np

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


if __name__ == "__main__":
    serve(draw, memory=MEMORY)
