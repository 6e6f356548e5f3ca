"""Checks on Office files, which are zip archives of XML, before a library opens them."""

import io
import zipfile
import zlib
from contextlib import suppress
from typing import Any

from dure.knowledge.parse.problems import Unreadable

MAX_UNPACKED = 400_000_000
"""Bytes of all parts together. A reader stops at a part's declared size, so a lying header gains nothing."""
MAX_PARTS = 20_000
_BLOCK = 1 << 20
ZIP = b"PK\x03\x04"
_FORBIDDEN = tuple(word.encode(encoding) for word in ("<!DOCTYPE", "<!ENTITY") for encoding in ("ascii", "utf-16-le"))


_AUTHORS = {
    "docProps/core.xml": ".//{*}creator",
    "meta.xml": ".//{*}initial-creator",
    "Contents/content.hpf": ".//{*}meta[@name='creator']",
}
"""Where Office files, OpenDocument and HWPX tell who made them."""


def parts_and_type(data: bytes) -> tuple[set[str], str]:
    """Names of an archive's parts, none where `data` is no readable zip archive, and what it says that it is, in a part
    `mimetype`; "" where it has none."""
    names: set[str] = set()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            return names, archive.open("mimetype").read(200).decode("ascii", "replace").strip()
    except (KeyError, zipfile.BadZipFile, ValueError, OSError, RuntimeError):
        return names, ""


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
                before = b""
                with archive.open(part) as stream:
                    while block := stream.read(_BLOCK):
                        if any(word in before + block for word in _FORBIDDEN):
                            raise Unreadable("unsafe")
                        before = block[-32:]


def xml(part: bytes, *, huge: bool = False) -> Any:
    """A part of an archive that is XML, which names nothing outside of itself."""
    from lxml import etree

    return etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=huge))


def author(data: bytes) -> str:
    """Who made an Office file; "" where it does not tell, or not so that one could read it."""
    from lxml import etree

    with suppress(etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.namelist():
            if part in _AUTHORS:
                return xml(archive.read(part)).findtext(_AUTHORS[part]) or ""
    return ""
