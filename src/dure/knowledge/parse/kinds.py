"""The kinds of files that can be read, and how to tell one from another by content first, by name second.

To add a kind: a file here with `parse(data: bytes) -> Parsed`, a line in `KINDS`, and what tells its content apart.
"""

import importlib
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, cast

from dure.errors import UnsupportedFile
from dure.knowledge.parse import archive
from dure.knowledge.parse.encoding import has_nul, is_binary
from dure.knowledge.parse.parsed import Parsed
from dure.knowledge.parse.problems import Unreadable, fault_of, unreadable
from dure.sources import SUB


@dataclass(slots=True, frozen=True)
class Kind:
    """`module`: the file of this folder that parses it; `label`: its name for people. `pages`: what its pages are."""

    module: str
    label: str
    extensions: tuple[str, ...]
    pages: Literal["page", "slide", "sheet"] = "page"


KINDS: dict[str, Kind] = {
    "pdf": Kind("pdf", "PDF", (".pdf",)),
    "docx": Kind("docx", "DOCX", (".docx", ".docm", ".dotx")),
    "pptx": Kind("office", "PPTX", (".pptx", ".pptm", ".ppsx"), "slide"),
    "xlsx": Kind("sheets", "XLSX", (".xlsx", ".xlsm", ".xlsb"), "sheet"),
    "hwp": Kind("office", "HWP", (".hwp",)),
    "hwpx": Kind("office", "HWPX", (".hwpx",)),
    "doc": Kind("office", "DOC", (".doc",)),
    "ppt": Kind("office", "PPT", (".ppt", ".pps"), "slide"),
    "xls": Kind("sheets", "XLS", (".xls",), "sheet"),
    "odt": Kind("opendocument", "ODT", (".odt",)),
    "odp": Kind("opendocument", "ODP", (".odp",), "slide"),
    "ods": Kind("opendocument", "ODS", (".ods",), "sheet"),
    "rtf": Kind("plain", "RTF", (".rtf",)),
    "mail": Kind("inside", "EML, MSG", (".eml", ".msg")),
    "epub": Kind("inside", "EPUB", (".epub",)),
    "archive": Kind("inside", "ZIP", (".zip",)),
    "picture": Kind("ocr", "PNG, JPEG, TIFF", (".png", ".jpg", ".jpeg", ".tif", ".tiff")),
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
_FIRST_BYTES = {
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*"), "picture"),
    b"{\\rtf": "rtf",
    b"HWP Document File": "hwp",
}
_FILMS = (b"GIF8", b"BM", b"RIFF")
_ARCHIVES = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!")
_FOREIGN = (*_FILMS, *_ARCHIVES, b"\x7fELF", b"MZ", b"ID3", b"OggS", b"SQLite format 3\0")
"""Archives, programs, sound and film: kinds of their own, not damaged text."""
_LETTER = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_MAIN_PARTS = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsx",
    "Contents/content.hpf": "hwpx",
    "Contents/section0.xml": "hwpx",
}
_TYPES = {
    "application/epub+zip": "epub",
    "application/hwp+zip": "hwpx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
}
"""What the first part of an archive, `mimetype`, says that it is."""
_STREAMS = {
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Workbook": "xls",
    "__properties_version1.0": "mail",
}
"""Streams of compound files by which their kinds are known, as they stand in the directory."""
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
    extension = PurePath(name.replace("\\", "/")).suffix.lower()
    named = next((key for key, kind in KINDS.items() if extension in kind.extensions), None)
    if kind := _by_content(data, extension):
        return kind
    empty, packed, binary = not data.strip(b"\0 \t\r\n"), data.startswith((archive.ZIP, _OLE)), is_binary(data)
    if named is None and (empty or packed or binary or _is_no_text(data)):
        raise UnsupportedFile(name=name, known=KNOWN)
    if empty:
        raise Unreadable("empty")
    foreign = data.startswith(_OLE) and named not in (*_STREAMS.values(), "hwp")
    foreign |= named in _PLAIN and binary and (data.startswith(_FOREIGN) or data[4:8] == b"ftyp")
    if foreign:
        raise UnsupportedFile(name=name, known=KNOWN)
    if packed or binary or named not in (None, *_PLAIN):
        # Called so, but without that format's first bytes.
        raise Unreadable(fault_of(data))
    return "html" if named in (None, "text") and _HTML.match(data[:4096]) else named or "text"


def _is_no_text(data: bytes) -> bool:
    """Whether what no name tells of is no text though few of its bytes are control characters: one has a NUL, or only
    the first bytes of another kind are there, with no letter or digit behind them."""
    first = next(filter(data.startswith, _FOREIGN), b"")
    return has_nul(data) or bool(first and not _LETTER.search(data, len(first)))


def _by_content(data: bytes, extension: str) -> str | None:
    """The kind where the content itself tells it. Raises Unreadable for an encrypted file of Office."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] == data[-4:] and data[:4] in _PARQUET:
        return "parquet"
    if data.startswith(archive.ZIP):
        parts, stated = archive.parts_and_type(data)
        kind = next((kind for part, kind in _MAIN_PARTS.items() if part in parts), _TYPES.get(stated))
        return kind or ("archive" if parts and extension in ("", ".zip") else None)
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Unreadable("encrypted")
        streams = {b"HWP Document File": "hwp"} | {n.encode("utf-16-le"): kind for n, kind in _STREAMS.items()}
        return next((kind for stream, kind in streams.items() if stream in data), None)
    return next((kind for first, kind in _FIRST_BYTES.items() if data.startswith(first)), None)


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
