"""What a paper cites, from the references at its end: ids and titles by which papers here are known."""

import re
from collections.abc import Iterator

from dure.packs.papers import keys
from dure.packs.papers.record import REFERENCES
from dure.patterns import later

_HEADING = later(rf"^\W*(?:\d{{1,2}}\.?\s+)?(?:{REFERENCES})\W*$", re.IGNORECASE | re.MULTILINE)
_ENTRY = later(r"^\s*(?:\[\d{1,3}\]|\d{1,3}[.)]\s)", re.MULTILINE)
_QUOTED = later(r"[“\"「『‘]([^”\"」』]{8,300}?)[,.]?[”\"」』]")
_PARTS = [later(each) for each in (r"(?<=[^A-Z\s])[.?!]\s+", r"[.?!]\s+", r"\.\s+", r",\s+")]
"""Between the parts of a reference, in styles that part them by full stops (behind initials too where names end so:
`Seo JH. Title`; a title may ask), and by commas."""
_WORDS = 4
"""Words of a title that stands without quotation marks, at least."""
_MOST = 300


def references_in(text: str) -> list[str]:
    """Of each reference behind the last such heading: its DOI or arXiv id, else what is quoted in it, else each part of
    it that is long enough to be a title; what is none names no paper."""
    headings = list(_HEADING.finditer(text))
    found = [each for entry in _entries(text[headings[-1].end() :]) for each in _names(entry)] if headings else []
    return list(dict.fromkeys(found))


def _entries(text: str) -> Iterator[str]:
    starts = [match.start() for match in _ENTRY.finditer(text)][:_MOST]
    if not starts:
        starts = [match.start() for match in re.finditer(r"^.", text, re.MULTILINE)][:_MOST]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # A word that a line end cut, then the lines as one.
        yield " ".join(re.sub(r"(?<=[a-z])[-‐]\n(?=[a-z])", "", text[start:end]).split())


def _names(entry: str) -> list[str]:
    dois, arxiv, _ = keys.ids_in(entry)
    if dois or arxiv:
        return [*dois, *arxiv]
    if quoted := _QUOTED.search(entry):
        return [quoted[1]]
    parts = (part.strip() for pattern in _PARTS for part in pattern.split(_ENTRY.sub("", entry)))
    return [part for part in parts if len(part.split()) >= _WORDS]
