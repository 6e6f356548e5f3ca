"""The kinds of files that can be read, and how to tell one from another by content first, by name second.

To add a kind: a file here with `parse(data: bytes) -> Parsed`, a line in `KINDS`, and what tells its content apart.
"""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, cast

from dure.errors import UnsupportedFile
from dure.knowledge.parse import archive
from dure.knowledge.parse.encoding import has_nul, is_binary
from dure.knowledge.parse.parsed import Parsed
from dure.knowledge.parse.problems import Unreadable, fault_of, unreadable
from dure.sources import SUB


def _streams(*names: str) -> tuple[bytes, ...]:
    """Names as they stand in the directory of a compound file."""
    return tuple(name.encode("utf-16-le") for name in names)


@dataclass(slots=True, frozen=True)
class Kind:
    """`module`: the file of this folder that parses it; `label`: its name for people. `pages`: what its pages are.

    What tells its content: `begins`, its first bytes; of an archive `parts`, the names of some, or what its first part,
    `mimetype`, says; of a compound file `streams`, what stands somewhere in it."""

    module: str
    label: str
    extensions: tuple[str, ...]
    pages: Literal["page", "slide", "sheet"] = "page"
    begins: tuple[bytes, ...] = ()
    parts: tuple[str, ...] = ()
    streams: tuple[bytes, ...] = ()


_OPEN = "application/vnd.oasis.opendocument."
_WORKBOOK = ("xl/workbook.xml", "xl/workbook.bin")
_HANGUL = ("Contents/content.hpf", "Contents/section0.xml", "application/hwp+zip")
_PICTURE = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_HWP = (b"HWP Document File",)
KINDS: dict[str, Kind] = {
    "pdf": Kind("pdf", "PDF", (".pdf",)),
    "docx": Kind("docx", "DOCX", (".docx", ".docm", ".dotx"), parts=("word/document.xml",)),
    "pptx": Kind("office", "PPTX", (".pptx", ".pptm", ".ppsx"), "slide", parts=("ppt/presentation.xml",)),
    "xlsx": Kind("sheets", "XLSX", (".xlsx", ".xlsm", ".xlsb"), "sheet", parts=_WORKBOOK),
    "hwp": Kind("office", "HWP", (".hwp",), begins=_HWP, streams=_HWP),
    "hwpx": Kind("office", "HWPX", (".hwpx",), parts=_HANGUL),
    "doc": Kind("office", "DOC", (".doc",), streams=_streams("WordDocument")),
    "ppt": Kind("office", "PPT", (".ppt", ".pps"), "slide", streams=_streams("PowerPoint Document")),
    "xls": Kind("sheets", "XLS", (".xls",), "sheet", streams=_streams("Workbook")),
    "odt": Kind("opendocument", "ODT", (".odt",), parts=(f"{_OPEN}text",)),
    "odp": Kind("opendocument", "ODP", (".odp",), "slide", parts=(f"{_OPEN}presentation",)),
    "ods": Kind("opendocument", "ODS", (".ods",), "sheet", parts=(f"{_OPEN}spreadsheet",)),
    "rtf": Kind("plain", "RTF", (".rtf",), begins=(b"{\\rtf",)),
    "mail": Kind("inside", "EML, MSG", (".eml", ".msg"), streams=_streams("__properties_version1.0")),
    "epub": Kind("inside", "EPUB", (".epub",), parts=("application/epub+zip",)),
    "archive": Kind("inside", "ZIP", (".zip",)),
    "picture": Kind("ocr", "PNG, JPEG, TIFF", (".png", ".jpg", ".jpeg", ".tif", ".tiff"), begins=_PICTURE),
    "parquet": Kind("parquet", "Parquet", (".parquet", ".pq")),
    "html": Kind("html", "HTML", (".html", ".htm", ".xhtml")),
    "markdown": Kind("markdown", "Markdown", (".md", ".markdown")),
    "csv": Kind("csv", "CSV", (".csv", ".tsv")),
    "text": Kind("plain", "TXT", (".txt", ".text", ".log", ".rst")),
}

_SHEET = re.compile(rf"\[(.+?)\](?:{SUB}|$)")
"""The first of the headings in a workbook: the name of the sheet."""

KNOWN = ", ".join(kind.label for kind in KINDS.values())


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PLAIN = ("html", "markdown", "csv", "text", "mail")
"""Kinds without first bytes of their own."""
_PARQUET = (b"PAR1", b"PARE")
"""Plain, and encrypted: https://parquet.apache.org/docs/file-format/"""
# A comment ends at its first "-->" and nowhere else: with ".*?" the time doubles with each comment.
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


def kind_of(name: str, data: bytes) -> str:
    """The kind, a key of `KINDS`, of a file named `name` (any text) with content `data`.

    Raises UnsupportedFile for kinds that cannot be read, and Unreadable where the content shows the reason at once.
    """
    extension, named = _extension(name), kind_named(name)
    if kind := _by_content(data, extension):
        return kind
    empty, packed, binary = not data.strip(b"\0 \t\r\n"), data.startswith((archive.ZIP, _OLE)), is_binary(data)
    if named is None and (empty or packed or binary or has_nul(data)):
        raise UnsupportedFile(name=name, known=KNOWN)
    if empty:
        raise Unreadable("empty")
    if (data.startswith(_OLE) and not (named and KINDS[named].streams)) or (named in _PLAIN and binary):
        raise UnsupportedFile(name=name, known=KNOWN)
    if packed or binary or named not in (None, *_PLAIN):
        # Called so, but without that format's first bytes.
        raise Unreadable(fault_of(data))
    return "html" if named in (None, "text") and _HTML.match(data[:4096]) else named or "text"


def _extension(name: str) -> str:
    return PurePath(name.replace("\\", "/")).suffix.lower()


def kind_named(name: str) -> str | None:
    """The kind that a file's name alone says, if any."""
    return next((key for key, kind in KINDS.items() if _extension(name) in kind.extensions), None)


def _by_content(data: bytes, extension: str) -> str | None:
    """The kind where the content itself tells it. Raises Unreadable for an encrypted file of Office."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] == data[-4:] and data[:4] in _PARQUET:
        return "parquet"
    if data.startswith(archive.ZIP):
        parts = archive.told_in(data)
        kind = _first(lambda kind: not parts.isdisjoint(kind.parts))
        return kind or ("archive" if parts and extension in ("", ".zip") else None)
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Unreadable("encrypted")
        return _first(lambda kind: any(stream in data for stream in kind.streams))
    return _first(lambda kind: data.startswith(kind.begins))


def _first(told: Callable[[Kind], bool]) -> str | None:
    return next((name for name, kind in KINDS.items() if told(kind)), None)


def part_of(kind: str, page: int | None, context: str) -> dict[str, Any]:
    """`sheet` and `slide` of a passage of a document of that kind, which stands there under the headings `context`."""
    pages = KINDS[kind].pages if kind in KINDS else "page"
    named = _SHEET.match(context) if pages == "sheet" else None
    return {"sheet": named[1] if named else None, "slide": page if pages == "slide" else None}


def parse(kind: str, data: bytes) -> Parsed:
    """Read a file of a known kind. Raises Unreadable."""
    module = importlib.import_module(f"dure.knowledge.parse.{KINDS[kind].module}")
    with unreadable(data):
        parsed = cast(Parsed, module.parse(data))
    if data.startswith(archive.ZIP):
        parsed.author = parsed.author or archive.author(data)
    return parsed
