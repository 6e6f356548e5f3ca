"""Pages of PDFs as pictures."""

import asyncio
import os
import signal
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from dure.errors import DocumentUnreadable, NotFound
from dure.knowledge.parse.drawing import png
from dure.knowledge.parse.reader import Pictures


def read(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and pixel bytes of a PNG as `png` writes it, its checksums checked."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += size + 12
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert depth == 8
    row = width * {0: 1, 2: 3, 6: 4}[colour]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, row + 1)
    assert set(rows[:, 0]) == {2}
    return width, height, np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).tobytes()


@pytest.mark.parametrize("shape", [(3, 5, 3), (4, 2, 4), (2, 3), (2, 3, 1), (1, 1, 3)])
def test_png(shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    assert read(png(pixels)) == (shape[1], shape[0], pixels.tobytes())


async def test_a_page_is_drawn(files, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(files.pdf([["First page."], ["Second."]]))
    pictures = Pictures()
    try:
        width, height, pixels = read(await pictures.page(path, "pdf", 2, 600))
        assert abs(width - 600) <= 1
        assert abs(height - 421) <= 1
        assert pixels.count(b"\xff") > 0.9 * len(pixels)
        with pytest.raises(NotFound) as missing:
            await pictures.page(path, "pdf", 3, 600)
        assert missing.value.details["pages"] == 2
    finally:
        await pictures.close()


async def test_a_long_page_is_drawn_smaller(files, tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(files.pdf([["x"]]).replace(b"/MediaBox [0 0 1200 842]", b"/MediaBox [0 0 10 140000]"))
    pictures = Pictures()
    try:
        width, height, _ = read(await pictures.page(path, "pdf", 1, 2000))
        assert width * height < 13_000_000
    finally:
        await pictures.close()


async def test_what_cannot_be_drawn(files, tmp_path: Path) -> None:
    locked, broken = tmp_path / "locked.pdf", tmp_path / "broken.pdf"
    locked.write_bytes(files.pdf([["비밀"]], encrypted=True))
    broken.write_bytes(b"%PDF-1.7\nnothing")
    pictures = Pictures()
    try:
        for path, problem in ((locked, "encrypted"), (broken, "broken"), (tmp_path / "none.pdf", "missing")):
            with pytest.raises(DocumentUnreadable) as unreadable:
                await pictures.page(path, "pdf", 1, 100)
            assert unreadable.value.details["problem"] == problem
    finally:
        await pictures.close()


async def test_a_child_that_dies_costs_one_picture(files, tmp_path: Path, ordinary_children: None) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(files.pdf([["First."]]))
    pictures = Pictures()
    try:
        await pictures.page(path, "pdf", 1, 100)
        assert pictures.child.process is not None
        os.kill(pictures.child.process.pid, signal.SIGSTOP)
        asked = asyncio.create_task(pictures.page(path, "pdf", 1, 100))
        await asyncio.sleep(0)
        os.kill(pictures.child.process.pid, signal.SIGKILL)
        with pytest.raises(DocumentUnreadable):
            await asked
        assert (await pictures.page(path, "pdf", 1, 100)).startswith(b"\x89PNG")
    finally:
        await pictures.close()


async def test_a_picture_is_drawn_as_wide_as_wanted_never_wider_than_it_is(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="the extra `ocr` is not installed")
    pytest.importorskip("tesserocr", reason="the extra `ocr` is not installed")
    path = tmp_path / "a.png"
    image.new("L", (400, 200), 255).save(path)
    pictures = Pictures()
    try:
        assert read(await pictures.page(path, "picture", 1, 200))[:2] == (200, 100)
        assert read(await pictures.page(path, "picture", 1, 900))[:2] == (400, 200)
        with pytest.raises(NotFound):
            await pictures.page(path, "picture", 2, 200)
    finally:
        await pictures.close()
