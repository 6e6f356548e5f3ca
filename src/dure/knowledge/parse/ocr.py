"""Scans and pictures by Tesseract (extra `ocr`): what is written on them, with how sure it is of that."""

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dure import serving
from dure.errors import install_line
from dure.knowledge.parse import table
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.parse.problems import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in shares of a page's width and height."""
DPI = 300
"""Dots an inch at which letters of usual size are read best."""
_MOST = 500
"""Pages of a document that are read so; each takes about a second."""
_SMALL = 1800
"""Pixels across below which a picture is read at twice its size."""
_LATIN = 0.1
"""The share of Hangul below which a page is read once more as English, whose model takes Hangul words for its own."""
_FOLDERS = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tesseract*/tessdata", "/usr/share/tessdata")
_OTHERS = ("/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")
_COLUMN = re.compile(r"[ _]*[|ㅣ｜│】][ _|ㅣ｜│】]*| {3,}")
"""What stands between the cells of a row: a rule, which is read as a letter like it, or a gap."""
_ROWS = 3
"""Lines one below the other with as many cells each that make a table."""


def parse(data: bytes) -> Parsed:
    pages = list(pages_of(enumerate(frames(data), 1)))
    return Parsed(pages if len(pages) > 1 else [replace(pages[0], number=None)])


def frames(data: bytes) -> Iterator["Image"]:
    """A picture; each of its pages, as TIFF may have several. Each is gone with the next."""
    from_pillow()
    from PIL import Image, ImageSequence

    Image.MAX_IMAGE_PIXELS = 100_000_000
    with Image.open(io.BytesIO(data)) as picture:
        yield from ImageSequence.Iterator(picture) if picture.format == "TIFF" else [picture]


def from_pillow() -> None:
    """Raises Unreadable where what reads pictures is not installed."""
    try:
        import PIL  # noqa: F401
        import tesserocr  # noqa: F401
    except ImportError as error:
        raise Unreadable("no_ocr", install=install_line("ocr")) from error
    if folder() is None:
        raise Unreadable("no_ocr", install=install_line("ocr"))


def folder() -> Path | None:
    """Where Tesseract's data of Korean lie: in `TESSDATA_PREFIX`, or where systems put them."""
    named = os.environ.get("TESSDATA_PREFIX")
    places = [Path(named)] if named else []
    places += [each for pattern in (*_FOLDERS, *_OTHERS) for each in sorted(Path("/").glob(pattern[1:]), reverse=True)]
    return next((each for each in places if (each / "kor.traineddata").is_file()), None)


def pages_of(pictures: Iterable[tuple[int, "Image"]]) -> Iterator[Page]:
    """The pages of numbered pictures, in Korean or English, with the mean of what Tesseract is sure of, 0 to 100."""
    with _opened() as readers:
        for count, (number, picture) in enumerate(pictures):
            if count == _MOST:
                yield Page(number, f"… (only the first {_MOST} pages of a scan are read)")
                return
            serving.alive()
            text, sure, _ = _read(readers, picture)
            yield Page(number, text, sure)


def places(picture: "Image") -> Iterator[tuple[str, Box]]:
    """The words on a picture, as they are read for its text, each with its box."""
    import tesserocr

    with _opened() as readers:
        _, _, (reader, (wide, high)) = _read(readers, picture)
        for word in tesserocr.iterate_level(reader.GetIterator(), tesserocr.RIL.WORD):
            if box := word.BoundingBox(tesserocr.RIL.WORD):
                left, top, right, bottom = box
                share = left / wide, top / high, right / wide, bottom / high
                yield word.GetUTF8Text(tesserocr.RIL.WORD), share


@contextmanager
def _opened() -> Iterator[Callable[[], Iterator[Any]]]:
    """Tesseract for Korean, then for English where its data are there too, each loaded when it is first needed: English
    takes a quarter of a second, and what is Korean is not read by it."""
    from_pillow()
    import tesserocr

    at, turned = folder(), tesserocr.PSM.SINGLE_COLUMN
    loaded: dict[str, Any] = {}

    def readers() -> Iterator[Any]:
        for name in ("kor", "eng"):
            if name not in loaded and at and (at / f"{name}.traineddata").is_file():
                loaded[name] = tesserocr.PyTessBaseAPI(path=str(at), lang=name, psm=turned)
                loaded[name].SetVariable("preserve_interword_spaces", "1")
            if name in loaded:
                yield loaded[name]

    try:
        yield readers
    finally:
        for reader in loaded.values():
            reader.End()


def _read(readers: Callable[[], Iterator[Any]], picture: "Image") -> tuple[str, int, tuple[Any, tuple[int, int]]]:
    """The text, how sure that is, and the reader that read it with the size that the picture had for it."""
    found, best = ("", 0), None
    image = picture.convert("L")
    if image.width < _SMALL:
        image = image.resize((2 * image.width, 2 * image.height))
    for reader in readers():
        reader.SetImage(image)
        reader.SetSourceResolution(DPI)
        text, sure = reader.GetUTF8Text(), reader.MeanTextConf()
        if sure > found[1]:
            found, best = (text, sure), reader
        best = best or reader
        letters = [c for c in text if c.isalpha()]
        if sum("가" <= c <= "힣" for c in letters) >= _LATIN * len(letters) > 0:
            break
    return "\n".join(_tabled(found[0])), found[1], (best, image.size)


def _tabled(text: str) -> Iterator[str]:
    """The lines, those of tables as rows."""
    rows = [[cell.strip() for cell in _COLUMN.split(line.strip("|ㅣ｜│】 _"))] for line in text.split("\n")]
    filled = [row for row in rows if any(any(map(str.isalnum, cell)) for cell in row)]
    for columns, group in groupby(filled, key=len):
        lines = list(group)
        yield from table.lines(lines) if columns > 1 and len(lines) >= _ROWS else map(" | ".join, lines)
