"""BibTeX (https://www.ctan.org/pkg/bibtex, "Tame the BeaST"), split by bibtexparser a piece at a time: files may be
longer than memory. Takes time linear in the file's length."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from dure.packs.papers import TEXTS, keys
from dure.packs.papers.formats.arxiv import field_of
from dure.packs.papers.formats.latex import to_text
from dure.packs.papers.formats.reading import LONGEST_LINE, decode, integer, lines
from dure.packs.papers.record import PaperRecord, Problem

_LONGEST = 1_000_000
"""Characters of an entry, with what its macros stand for: these may be made of each other."""
_KEYWORDS = 20_000
_HELD = 50_000_000
"""Characters of entries that wait for the one they refer to, and of what others may refer to."""
_START = re.compile(r"\s*@\s*([A-Za-z]+)\s*(?=[{(])")
_MARKS = re.compile(r'(?<!\\)[{}"#]')
_WORD = re.compile(r"[^\s,{}\"#()=]+")
_FILE = re.compile(r"(?:[^:;]*:)?((?:[A-Za-z]\\?:)?[^:;]+\.pdf)(?=[:;]|$)", re.IGNORECASE)
"""A path in the way of Zotero and JabRef: `Full Text:files/12/paper.pdf:application/pdf`."""
_NO_PAPERS = frozenset({"proceedings", "mvproceedings", "xdata", "set", "control"})
_INHERITED = ("year", "date", "journal", "publisher", "series")

# It warns of every entry that it cannot read; here each becomes a Problem.
logging.getLogger("bibtexparser.splitter").disabled = True


@dataclass(slots=True)
class _Entry:
    line: int
    kind: str
    key: str
    fields: dict[str, str]


def read(stream: BinaryIO, name: str) -> Iterator[PaperRecord | Problem]:
    """The papers of a BibTeX file. An entry that cannot be read is told of, with its line, and left out."""
    parents: dict[str, dict[str, str]] = {}
    waiting: list[_Entry] = []
    held = 0
    for entry in _entries(stream, name):
        if isinstance(entry, Problem):
            yield entry
            continue
        if "booktitle" not in entry.fields and held < _HELD:
            kept = {each: entry.fields[each] for each in ("title", "booktitle", *_INHERITED) if each in entry.fields}
            parents[entry.key.lower()] = kept
            held += _size(kept)
        if entry.kind in _NO_PAPERS:
            continue
        if "crossref" in entry.fields and held < _HELD:
            held += _size(entry.fields)
            waiting.append(entry)
        else:
            yield _record(entry, name)
    for child in waiting:
        parent = parents.get(child.fields["crossref"].strip().lower(), {})
        inherited = {each: parent[each] for each in _INHERITED if each in parent}
        if title := parent.get("booktitle") or parent.get("title"):
            inherited["booktitle"] = title
        child.fields = inherited | child.fields
        yield _record(child, name)


def _size(fields: dict[str, str]) -> int:
    return 100 + sum(map(len, fields.values()))


def _entries(stream: BinaryIO, name: str) -> Iterator[_Entry | Problem]:
    """Entries with their macros put in."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import Entry, ParsingFailedBlock, String

    macros: dict[str, str] = {}
    for begin, piece in _pieces(stream):
        for block in parse_string(piece, parse_stack=[]).blocks:
            line = begin + (block.start_line or 0)
            # Two entries of one key and two fields of one name are failures to the library; here the latter are read as
            # BibTeX does, where the first one counts.
            meant = block.ignore_error_block if isinstance(block, ParsingFailedBlock) else block
            try:
                if isinstance(meant, String):
                    macros[meant.key.lower()] = _value(meant.value, macros)
                elif isinstance(meant, Entry):
                    fields: dict[str, str] = {}
                    size = 0
                    for field in reversed(meant.fields):
                        fields[field.key.lower()] = value = _value(field.value, macros)
                        size += len(value)
                        if size > _LONGEST:
                            raise ValueError
                    yield _Entry(line, meant.entry_type, meant.key, fields)
                elif meant is None:
                    raise ValueError
            except ValueError:
                told = " ".join((block.raw or "")[:60].split())
                yield Problem(f"{name}:{line}", TEXTS.phrase("formats.bibtex", told=told))


def _pieces(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """(line, text) from each line that begins an entry up to the next: one that was never closed costs no other."""
    begin, size, parts = 1, 0, list[str]()
    for number, raw in lines(stream):
        text = decode(raw) if raw is not None else ""
        if start := _START.match(text):
            yield begin, "".join(parts)
            begin, size, parts = number, 0, []
            text = f"@{start[1]}{text[start.end() :]}"
        size += len(text)
        if size <= LONGEST_LINE:
            parts.append(text)
    yield begin, "".join(parts)


def _value(raw: str, macros: dict[str, str]) -> str:
    """What the pieces of a value, which # joins, say. Raises ValueError where it is anything else, or too long."""
    pieces: list[str] = []
    depth = closed = start = 0
    quoted = False
    for mark in _MARKS.finditer(raw + "#"):
        sign = mark.group()
        if sign != "#":
            depth += (sign == "{") - (sign == "}")
            quoted ^= sign == '"' and not depth
            closed += sign != "{" and not depth and not quoted
        elif not depth and not quoted:
            piece = raw[start : mark.start()].strip()
            if closed == 1 and piece[0] in '{"' and piece[-1] in '}"':
                pieces.append(piece[1:-1])
            elif not closed and _WORD.fullmatch(piece):
                pieces.append(macros.get(piece.lower(), piece))
            else:
                raise ValueError
            start, closed = mark.end(), 0
    if start <= len(raw) or sum(map(len, pieces)) > _LONGEST:
        raise ValueError
    return "".join(pieces)


def _record(entry: _Entry, name: str) -> PaperRecord | Problem:
    fields = entry.fields

    def plain(*names: str) -> str:
        """What the first field of these that says something says."""
        return next((text for each in names if (text := keys.one_line(to_text(fields.get(each, ""))))), "")

    title, journal = plain("title"), plain("journal", "journaltitle")
    if not keys.title_key(title):
        told = f"@{entry.kind}{{{entry.key[:60]}}}"
        return Problem(f"{name}:{entry.line}", TEXTS.phrase("formats.no_title", told=told))
    shown = _link(fields.get("howpublished", ""))
    url = fields.get("url", "").strip() or shown or _link(fields.get("ee", ""))
    kind = plain("archiveprefix", "eprinttype").lower()
    arxiv = keys.arxiv_id(fields.get("eprint", "")) if kind in ("", "arxiv") else ""
    arxiv = arxiv or _arxiv_in(journal) or _arxiv_in(url) or _arxiv_in(plain("note"))
    venue, groups = journal or plain("booktitle"), _list(plain("groups"))
    if not venue or (arxiv and venue.lower().startswith(("arxiv", "corr"))):
        names = ("school", "institution", "publisher", *(["howpublished"] if not shown else []))
        venue = "arXiv" if arxiv else plain(*names)
    # Cut before anything is done with it.
    tags = keys.one_line(to_text(fields.get("keywords", "")[:_KEYWORDS]))
    return PaperRecord(
        title=title,
        aliases=[*([entry.key] if any(map(str.isdigit, entry.key)) else []), *keys.names_in(title)],
        authors=authors(fields.get("author") or fields.get("editor", "")),
        year=integer(plain("year")[:4]) or integer(plain("date")[:4]),
        venue=venue,
        kind=entry.kind,
        field=field_of(plain("primaryclass")),
        abstract=plain("abstract"),
        doi=fields.get("doi", "").replace("\\", ""),
        arxiv_id=arxiv,
        acl_id=keys.acl_id(url) if "aclanthology.org" in url or "aclweb.org" in url else "",
        url=url.replace("\\", ""),
        tags=[each for each in _list(tags) if each not in groups],
        collections=groups,
        files=[match[1].replace("\\", "") for match in _FILE.finditer(fields.get("file", ""))],
    )


def _list(text: str) -> list[str]:
    return [each.strip() for each in re.split("[,;]", text) if each.strip()]


def _link(text: str) -> str:
    found = re.search(r"https?://[^\s{}\\]+", text)
    return found.group() if found else ""


def _arxiv_in(text: str) -> str:
    return keys.arxiv_id(text) if "arxiv" in text.lower() else ""


def authors(field: str) -> list[str]:
    """The names of an author field in reading order; one in braces is a group's and stays as it is."""
    from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

    parts = ((name, parse_single_name_into_parts(name, strict=False)) for name in split_multiple_persons_names(field))
    # A Korean name without a comma stands in order already.
    whole = (
        " ".join([*each.first, *each.von, *each.last, *each.jr])
        if "," not in name
        else keys.in_order(" ".join(each.first), " ".join([*each.von, *each.last, *each.jr]))
        for name, each in parts
    )
    return [name for each in whole if (name := keys.one_line(to_text(each).replace(",", " ")))]
