"""Checks on Office files, which are zip archives of XML, before a library opens them."""

import io
import zipfile

from dure.knowledge.parse.problems import Unreadable

MAX_UNPACKED = 400_000_000
"""Bytes of all parts together. A reader stops at a part's declared size, so a lying header gains nothing."""
MAX_PARTS = 20_000
_BLOCK = 1 << 20
_FORBIDDEN = tuple(word.encode(encoding) for word in ("<!DOCTYPE", "<!ENTITY") for encoding in ("ascii", "utf-16-le"))


def part_names(data: bytes) -> set[str]:
    """Names of an archive's parts; empty when `data` is no readable zip archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return set()


def media_type(data: bytes) -> str:
    """What an archive says that it is, in a part `mimetype`; "" where it has none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("mimetype") as part:
            return part.read(200).decode("ascii", "replace").strip()
    except (KeyError, zipfile.BadZipFile, ValueError, OSError, RuntimeError, NotImplementedError):
        return ""


def check(data: bytes, *, office: bool = True) -> None:
    """Raises Unreadable for a zip bomb, an encrypted archive, and in an `office` file XML with a DTD (entities)."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        size = sum(part.file_size for part in parts)
        if size > MAX_UNPACKED or len(parts) > MAX_PARTS:
            raise Unreadable("too_big", size=size, limit=MAX_UNPACKED)
        for part in parts:
            if part.flag_bits & 1:
                raise Unreadable("encrypted")
            if office and part.filename.lower().endswith((".xml", ".rels", ".vml")):
                _check_xml(archive, part)


def _check_xml(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    before = b""
    with archive.open(part) as stream:
        while block := stream.read(_BLOCK):
            joined = before + block
            if any(word in joined for word in _FORBIDDEN):
                raise Unreadable("unsafe")
            before = block[-32:]
