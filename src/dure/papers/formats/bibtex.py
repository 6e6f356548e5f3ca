"""BibTeX (https://www.ctan.org/pkg/bibtex, "Tame the BeaST"), entry by entry, in time linear in the file's length."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from dure.papers import keys
from dure.papers.formats.categories import field_of
from dure.papers.formats.latex import to_text
from dure.papers.formats.reading import decode, integer, lines
from dure.papers.record import PaperRecord, Problem

_LONGEST = 1_000_000
"""Characters of one entry."""
_WAITING = 50_000
"""Entries that may wait for the one they refer to."""
_START = re.compile(r"\s*@\s*([A-Za-z]+)\s*([{(])")
_MARKS = re.compile(r"[{})]")
_NAME = re.compile(r"\s*([^\s=,{}\"#()]+)\s*=\s*")
_WORD = re.compile(r"[^\s,{}\"#()=]+")
_NO_PAPERS = frozenset({"proceedings", "mvproceedings", "xdata", "set", "control"})
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_INHERITED = ("year", "date", "journal", "publisher", "series", "url", "doi")


@dataclass(slots=True)
class _Entry:
    line: int
    kind: str
    key: str
    fields: dict[str, str]


class _Fault(Exception):
    """What is wrong with an entry, in English and Korean."""

    def __init__(self, reason: str, ko: str) -> None:
        self.reason, self.ko = reason, ko
        super().__init__(reason)


def read(stream: BinaryIO, name: str) -> Iterator[PaperRecord | Problem]:
    """The papers of a BibTeX file. An entry that cannot be read is told of, with its line, and left out."""
    macros = {month: month for month in _MONTHS}
    parents: dict[str, dict[str, str]] = {}
    waiting: dict[str, list[_Entry]] = {}
    waits = 0
    for line, kind, body in _bodies(stream):
        if body is None or kind in ("comment", "preamble"):
            if body is None:
                yield Problem(f"{name}:{line}", f"the entry @{kind} has no end", f"@{kind} 항목이 끝나지 않습니다")
            continue
        try:
            entry = _entry(line, kind, body, macros)
        except _Fault as fault:
            yield Problem(f"{name}:{line}", fault.reason, fault.ko)
            continue
        if entry is None:
            continue
        for child in waiting.pop(entry.key.lower(), ()):
            yield _record(_inherit(child, entry.fields), name)
        if entry.kind in _NO_PAPERS or "booktitle" not in entry.fields:
            kept = {each: entry.fields[each] for each in ("title", "booktitle", *_INHERITED) if each in entry.fields}
            if len(parents) < _WAITING:
                parents[entry.key.lower()] = kept
        if entry.kind in _NO_PAPERS:
            continue
        wanted = entry.fields.get("crossref", "").strip().lower()
        if wanted in parents:
            yield _record(_inherit(entry, parents[wanted]), name)
        elif wanted and waits < _WAITING:
            waits += 1
            waiting.setdefault(wanted, []).append(entry)
        else:
            yield _record(entry, name)
    for children in waiting.values():
        for child in children:
            yield _record(child, name)


def _bodies(stream: BinaryIO) -> Iterator[tuple[int, str, str | None]]:
    """(line, kind, what stands between the outer braces) of each entry; None for one that does not end before the next
    begins."""
    kind, closing, begin, depth, size = "", "", 0, 0, 0
    parts: list[str] = []
    for number, raw in lines(stream):
        text = decode(raw) if raw is not None else ""
        at = 0
        while at < len(text):
            if kind:
                if not at and _START.match(text):
                    # A new entry at a line's start: the one before was never closed.
                    yield begin, kind, None
                    kind = ""
                    continue
                end = _end(text, at, depth, closing)
                depth = end[1]
                stop = end[0] if end[0] is not None else len(text)
                size += stop - at
                if size <= _LONGEST:
                    parts.append(text[at:stop])
                if end[0] is not None:
                    yield begin, kind, "".join(parts) if size <= _LONGEST else None
                    kind = ""
                    stop += 1
                at = stop
            else:
                sign = text.find("@", at)
                if sign < 0:
                    break
                start = _START.match(text, sign)
                if start is None:
                    at = sign + 1
                    continue
                kind, closing = start[1].lower(), "}" if start[2] == "{" else ")"
                begin, depth, size, parts = number, 0, 0, []
                at = start.end()
    if kind:
        yield begin, kind, None


def _end(text: str, at: int, depth: int, closing: str) -> tuple[int | None, int]:
    """Where the entry ends in this line, if it does, and how deep braces are at the line's end."""
    for mark in _MARKS.finditer(text, at):
        sign = mark.group()
        if sign == closing and depth == 0:
            return mark.start(), 0
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(0, depth - 1)
    return None, depth


def _entry(line: int, kind: str, body: str, macros: dict[str, str]) -> _Entry | None:
    """An entry's fields with their macros put in. An @string, which adds to `macros`, is None."""
    if kind == "string":
        macros.update(_fields(body, 0, macros))
        return None
    key, comma, _ = body.partition(",")
    if "=" in key:
        # No key was given.
        key, comma, start = "", ",", 0
    else:
        start = len(key) + 1
    if not comma and not key.strip():
        raise _Fault(f"the entry @{kind} is empty", f"@{kind} 항목이 비어 있습니다")
    return _Entry(line, kind, key.strip(), _fields(body, start, macros))


def _fields(body: str, at: int, macros: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    while at < len(body):
        while at < len(body) and (body[at].isspace() or body[at] == ","):
            at += 1
        if at >= len(body):
            break
        name = _NAME.match(body, at)
        if name is None:
            place = repr(body[at : at + 30].strip())
            raise _Fault(f"a field is expected at {place}", f"{place}에 필드가 있어야 합니다")
        value, at = _value(body, name.end(), macros)
        # As in BibTeX, the first of two fields of one name counts.
        found.setdefault(name[1].lower(), value)
    return found


def _value(body: str, at: int, macros: dict[str, str]) -> tuple[str, int]:
    """A value, of pieces joined by #, and where it ends."""
    pieces: list[str] = []
    while True:
        while at < len(body) and body[at].isspace():
            at += 1
        if at >= len(body):
            raise _Fault("a field without a value", "값이 없는 필드가 있습니다")
        if body[at] in '{"':
            end = _closing(body, at)
            pieces.append(body[at + 1 : end])
            at = end + 1
        elif word := _WORD.match(body, at):
            pieces.append(word.group() if word.group().isdigit() else macros.get(word.group().lower(), word.group()))
            at = word.end()
        else:
            place = repr(body[at : at + 30].strip())
            raise _Fault(f"a value is expected at {place}", f"{place}에 값이 있어야 합니다")
        while at < len(body) and body[at].isspace():
            at += 1
        if at >= len(body) or body[at] != "#":
            return "".join(pieces), at
        at += 1


_IN_VALUE = re.compile(r'[{}"]')


def _closing(body: str, at: int) -> int:
    """Where the value ends that begins with the brace or quote at `at`."""
    depth = 0
    for mark in _IN_VALUE.finditer(body, at + 1):
        sign = mark.group()
        if sign == "{":
            depth += 1
        elif sign == "}":
            if depth == 0 and body[at] == "{":
                return mark.start()
            depth -= 1
        elif depth == 0 and body[at] == '"':
            return mark.start()
    place = repr(body[at : at + 30].strip())
    raise _Fault(f"a value has no end: {place}", f"값이 끝나지 않습니다: {place}")


def _inherit(entry: _Entry, parent: dict[str, str]) -> _Entry:
    for name in _INHERITED:
        if name in parent and name not in ("url", "doi"):
            entry.fields.setdefault(name, parent[name])
    if title := parent.get("booktitle") or parent.get("title"):
        entry.fields.setdefault("booktitle", title)
    return entry


def _record(entry: _Entry, name: str) -> PaperRecord | Problem:
    fields = entry.fields
    plain = {each: keys.clean(to_text(value)) for each, value in fields.items() if each not in ("author", "editor")}
    if not keys.title_key(plain.get("title", "")):
        told = f"@{entry.kind}{{{entry.key[:60]}}}"
        return Problem(f"{name}:{entry.line}", f"{told} has no title", f"{told}에 제목이 없습니다")
    url = fields.get("url", "").strip() or _link(fields.get("howpublished", "")) or _link(fields.get("ee", ""))
    journal = plain.get("journal") or plain.get("journaltitle") or ""
    kind = plain.get("archiveprefix", plain.get("eprinttype", "")).lower()
    arxiv = keys.arxiv_id(fields.get("eprint", "")) if kind in ("", "arxiv") else ""
    arxiv = arxiv or _arxiv_in(journal) or _arxiv_in(url) or _arxiv_in(plain.get("note", ""))
    venue = journal or plain.get("booktitle") or ""
    if not venue or (arxiv and venue.lower().startswith(("arxiv", "corr"))):
        venue = "arXiv" if arxiv else plain.get("school") or plain.get("institution") or plain.get("publisher", "")
    return PaperRecord(
        title=plain["title"],
        authors=authors(fields.get("author") or fields.get("editor", "")),
        year=integer(plain.get("year", "")[:4]) or integer(plain.get("date", "")[:4]),
        venue=venue,
        field=field_of(plain.get("primaryclass", "")),
        abstract=plain.get("abstract", ""),
        doi=fields.get("doi", "").replace("\\", ""),
        arxiv_id=arxiv,
        acl_id=keys.acl_id(url) if "aclanthology.org" in url or "aclweb.org" in url else "",
        url=url.replace("\\", ""),
    )


def _link(text: str) -> str:
    found = re.search(r"https?://[^\s{}\\]+", text)
    return found.group() if found else ""


def _arxiv_in(text: str) -> str:
    return keys.arxiv_id(text) if "arxiv" in text.lower() else ""


def authors(field: str) -> list[str]:
    """The names of an author field in reading order; one in braces is a group's and stays as it is."""
    names: list[str] = []
    for name in _split(field, _AND):
        name = name.strip()
        if not name:
            continue
        if name.startswith("{") and name.endswith("}") and _closing_of_first(name) == len(name) - 1:
            names.append(keys.clean(to_text(name)).replace(",", ""))
            continue
        parts = [keys.clean(to_text(part)) for part in _split(name, _COMMA)]
        if len(parts) == 1:
            names.append(parts[0])
        else:
            # "von Last, First" and "von Last, Jr, First".
            names.append(" ".join(part for part in (parts[-1], parts[0], *parts[1:-1]) if part))
    return [name.replace(",", " ") for name in names if name]


# One blank on each side: where a run of them is looked through from each of its blanks, time grows with its square.
_AND = re.compile(r"[{}]|\sand\s", re.IGNORECASE)
_COMMA = re.compile("[{},]")


def _split(text: str, at: re.Pattern[str]) -> list[str]:
    """Split where `at` finds something else than braces and no brace is open."""
    pieces: list[str] = []
    depth, last = 0, 0
    for mark in at.finditer(text):
        found = mark.group()
        if found == "{":
            depth += 1
        elif found == "}":
            depth = max(0, depth - 1)
        elif depth == 0:
            pieces.append(text[last : mark.start()])
            last = mark.end()
    return [*pieces, text[last:]]


def _closing_of_first(text: str) -> int:
    try:
        return _closing(text, 0)
    except _Fault:
        return -1
