"""Scans and pictures by Tesseract (extra `ocr`): what is written on them, with how sure it is of that."""

import io
import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dure import child
from dure.errors import install_line
from dure.knowledge.parse import table
from dure.knowledge.parse.parsed import Page, Parsed
from dure.knowledge.parse.problems import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 300
"""Dots an inch at which letters of usual size are read best."""
_MOST = 500
"""Pages of a document that are read so; each takes about a second."""
_SMALL = 1800
"""Pixels across below which a picture is read at twice its size."""
_LATIN = 0.1
"""The share of Hangul below which a page is read once more as English: with both at once the English model takes
Hangul words for its own."""
_FOLDERS = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tesseract*/tessdata", "/usr/share/tessdata")
_OTHERS = ("/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")
_COLUMN = re.compile(r"[ _]*[|ㅣ｜│】][ _|ㅣ｜│】]*| {3,}")
"""What stands between the cells of a row: a rule, which is read as a letter like it, or a gap."""
_ROWS = 3
"""Lines one below the other with as many cells each that make a table."""


def parse(data: bytes) -> Parsed:
    """A picture; each of its pages where it has several, as TIFF may."""
    from_pillow()
    from PIL import Image, ImageSequence

    Image.MAX_IMAGE_PIXELS = 100_000_000
    with Image.open(io.BytesIO(data)) as picture:
        frames = getattr(picture, "n_frames", 1)
        several = frames > 1 and picture.format == "TIFF"
        images = ImageSequence.Iterator(picture) if several else [picture]
        pages = list(pages_of((n if several else None, image) for n, image in enumerate(images, 1)))
    return Parsed(pages)


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


def pages_of(pictures: Iterable[tuple[int | None, "Image"]]) -> Iterator[Page]:
    """The pages of numbered pictures, in Korean or English, with the mean of what Tesseract is sure of, 0 to 100."""
    import tesserocr

    from_pillow()
    at = folder()
    languages = [name for name in ("kor", "eng") if at and (at / f"{name}.traineddata").is_file()]
    turned = tesserocr.PSM.SINGLE_COLUMN
    readers = [tesserocr.PyTessBaseAPI(path=str(at), lang=name, psm=turned) for name in languages]
    try:
        for reader in readers:
            reader.SetVariable("preserve_interword_spaces", "1")
        for count, (number, picture) in enumerate(pictures):
            if count == _MOST:
                yield Page(number, f"… (only the first {_MOST} pages of a scan are read)")
                return
            child.alive()
            text, sure = _read(readers, picture)
            yield Page(number, text, sure)
    finally:
        for reader in readers:
            reader.End()


def _read(readers: list[Any], picture: "Image") -> tuple[str, int]:
    found = ("", 0)
    image = picture.convert("L")
    if image.width < _SMALL:
        image = image.resize((2 * image.width, 2 * image.height))
    for reader in readers:
        reader.SetImage(image)
        reader.SetSourceResolution(DPI)
        text, sure = reader.GetUTF8Text(), reader.MeanTextConf()
        if sure > found[1]:
            found = text, sure
        letters = [c for c in text if c.isalpha()]
        if sum("가" <= c <= "힣" for c in letters) >= _LATIN * len(letters) > 0:
            break
    return "\n".join(_tabled(found[0])), found[1]


def _tabled(text: str) -> Iterator[str]:
    """The lines, those of tables as rows."""
    rows = [[cell.strip() for cell in _COLUMN.split(line.strip("|ㅣ｜│】 _"))] for line in text.split("\n")]
    filled = [row for row in rows if any(any(map(str.isalnum, cell)) for cell in row)]
    for columns, group in groupby(filled, key=len):
        lines = list(group)
        yield from table.lines(lines) if columns > 1 and len(lines) >= _ROWS else map(" | ".join, lines)
