"""Which format a file is of, told by its content, and its papers."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import orjson

from dure.errors import UnsupportedFile
from dure.packs.papers.formats import acl, arxiv, bibtex, json_lines, zotero
from dure.packs.papers.formats.reading import Unusable, open_bytes
from dure.packs.papers.record import PaperRecord, Problem

Records = Iterator[PaperRecord | Problem]

_HEAD = 65_536
_XML = {"arxiv-atom": rb"<(?:\w+:)?feed[\s>]", "acl": rb"<collection[\s>]", "zotero-rdf": rb"<rdf:RDF[\s>]"}
_PLAIN = {"bibtex": rb"@\s*[A-Za-z]+\s*[{(]"}
"""What tells formats of XML, and others, near the beginning."""

FORMATS: dict[str, Callable[[BinaryIO, str], Records]] = {
    "bibtex": bibtex.read,
    "arxiv": partial(json_lines.read, convert=arxiv.convert),
    "arxiv-atom": arxiv.read_atom,
    "acl": acl.read,
    "semantic-scholar": partial(json_lines.read, convert=json_lines.of_semantic_scholar),
    "dure": partial(json_lines.read, convert=json_lines.convert),
    "csl": partial(json_lines.read, convert=json_lines.of_csl),
    "zotero-rdf": zotero.read_rdf,
}
"""Readers by name; PDFs are read elsewhere."""
NAMES = (*FORMATS, "pdf")


def format_of(path: Path, name: str) -> str:
    """The format of a file, one of `NAMES`. Raises UnsupportedFile."""
    try:
        with open_bytes(path) as stream:
            head = stream.read(_HEAD)
    except Unusable:
        head = b""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"["):
        return _of_json(start)
    marks = _XML if start[:1] == b"<" else _PLAIN
    if kind := next((kind for kind, mark in marks.items() if re.search(mark, start)), ""):
        return kind
    raise UnsupportedFile(
        name=name,
        known="BibTeX, CSL-JSON, Zotero (RDF), arXiv (JSON, Atom), ACL Anthology (XML), Semantic Scholar (JSON), PDF",
    )


def _of_json(start: bytes) -> str:
    line = start.split(b"\n", 1)[0]
    try:
        value = orjson.loads(line)
    except ValueError:
        value = None
    if isinstance(value, dict):
        named = set(value)
        counted = isinstance(value.get("citations"), int)
    else:
        # A first line that is cut off, or broken: the names of fields tell all the same.
        named = {found.decode() for found in re.findall(rb'"(\w[\w-]*)"\s*:', start)}
        counted = re.search(rb'"citations"\s*:\s*\d', start) is not None
    if named & {"authors_parsed", "journal-ref", "submitter"}:
        return "arxiv"
    if named & {"container-title", "issued", "event-title", "date-parts", "citation-key"} and "type" in named:
        return "csl"
    # Semantic Scholar's citations are a list of papers.
    if counted or named & {"summary_ko", "summary_en", "arxiv_id", "acl_id", "aliases", "field"}:
        return "dure"
    return "semantic-scholar"


def records(path: Path, name: str, format: str) -> Records:
    """The papers of a file, as they are read. What cannot be read is told of as a Problem; the rest goes on."""
    try:
        with open_bytes(path) as stream:
            yield from FORMATS[format](stream, name)
    except Unusable as error:
        yield Problem(name, error.args[0])
