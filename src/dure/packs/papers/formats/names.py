"""Names as reference managers have them, and what papers are called in files of theirs."""

import re
from collections import Counter
from collections.abc import Sequence

from dure.packs.papers import keys
from dure.packs.papers.record import ET_AL, PaperRecord

_JOURNAL = re.compile(
    r"journal|transactions|letters|review|computation|foundations|annals|nature|science", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|II|III|IV")
_ACRONYM = re.compile(r"[JT][A-Z]{2,}")
"""Journals' acronyms begin with J or T: JMLR, TACL, TPAMI."""


def parts(name: str) -> tuple[str, str]:
    """Given name, and family name with its particles and what follows ("Jr."); of one word all is the family's."""
    words = name.split()
    last = len(words) - (2 if _SUFFIX.fullmatch(words[-1]) else 1)
    at = next((i for i, word in enumerate(words) if i and word[0].islower()), max(last, 0))
    return ("", name) if name == ET_AL else (" ".join(words[:at]), " ".join(words[at:]))


def kind_of(paper: PaperRecord) -> str:
    """BibTeX's kind of entry."""
    if paper.venue in ("", "arXiv"):
        return "misc"
    return "article" if _JOURNAL.search(paper.venue) or _ACRONYM.fullmatch(paper.venue) else "inproceedings"


def citation_keys(papers: Sequence[PaperRecord]) -> list[str]:
    """A key for each, such as `vaswani2017attention`; equal ones get a number."""
    seen: Counter[str] = Counter()
    found = []
    for paper in papers:
        family = parts(paper.authors[0])[1] if paper.authors else ""
        word = next((word for word in keys.name_key(paper.title).split() if len(word) > 3), "")
        key = re.sub(r"\W", "", f"{keys.name_key(family)}{paper.year or ''}{word}") or "paper"
        seen[key] += 1
        found.append(key if seen[key] == 1 else f"{key}{seen[key]}")
    return found
