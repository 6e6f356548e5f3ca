"""Papers as files of references: BibTeX and CSL-JSON. Zotero reads both."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from dure.packs.papers import data, keys
from dure.packs.papers.record import ET_AL, PaperRecord

_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)
_TWICE = re.compile(r"([-`'])(?=\1)")
_CAPITALS = re.compile(r"(?<![\w\\])[\w-]*[^\W_][A-Z][\w-]*")
"""A word that a style would set in small letters: `BERT`, `SciBERT`."""
_JOURNAL = re.compile(r"journal|transactions|letters|review|computation|foundations|annals|nature|science", re.I)
_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|II|III|IV")
_ACRONYM = re.compile(r"[JT][A-Z]{2,}")
"""Journals' acronyms begin with J or T: JMLR, TACL, TPAMI."""


def bibtex(papers: Sequence[PaperRecord]) -> bytes:
    """BibTeX in UTF-8."""
    from bibtexparser.entrypoint import write_string
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry, Field

    entries: list[Block] = [
        Entry(_kind_of(paper), key, [Field(name, f"{{{value}}}") for name, value in _fields(paper) if value])
        for paper, key in zip(papers, _citation_keys(papers), strict=True)
    ]
    return str(write_string(Library(entries), unparse_stack=[])).encode()


def csl_json(papers: Sequence[PaperRecord]) -> bytes:
    """A CSL-JSON list."""
    return orjson.dumps(list(map(_csl_item, papers, _citation_keys(papers))), option=orjson.OPT_INDENT_2)


EXPORTS: dict[str, tuple[Callable[[Sequence[PaperRecord]], bytes], str, str]] = {
    "bibtex": (bibtex, "bib", "application/x-bibtex; charset=utf-8"),
    "csl": (csl_json, "json", "application/vnd.citationstyles.csl+json"),
}
"""By format: how it is written, how its files' names end, its media type."""


def _fields(paper: PaperRecord) -> Iterator[tuple[str, str]]:
    yield "title", _CAPITALS.sub(lambda word: f"{{{word[0]}}}", _latex(paper.title))
    yield "author", " and ".join(map(_person, paper.authors))
    yield "year", str(paper.year or "")
    yield data("formats")["venues"].get(_kind_of(paper), "howpublished"), _latex(paper.venue)
    yield "doi", paper.doi
    yield "eprint", paper.arxiv_id
    yield "archiveprefix", "arXiv" if paper.arxiv_id else ""
    yield "url", paper.link or ""
    yield "abstract", _latex(paper.abstract)
    named = [_latex(each.replace(",", " ")) for each in paper.collections]
    # JabRef's field; Zotero knows keywords alone, of which it makes tags.
    yield "groups", ", ".join(named)
    yield "keywords", ", ".join([*(_latex(each.replace(",", " ")) for each in paper.tags), *named])


def _person(name: str) -> str:
    if name == ET_AL:
        return "others"
    given, family = map(_latex, _parts(name))
    return f"{family}, {given}" if given else f"{{{family}}}"


def _latex(text: str) -> str:
    """Text in which no sign means anything to LaTeX."""
    return _TWICE.sub(r"\1{}", text.translate(_SIGNS))


def _csl_item(paper: PaperRecord, name: str) -> dict[str, Any]:
    """A paper as an item with `name` as its id. Tags and collections are keywords, which Zotero makes tags."""
    people = [
        {"family": family, "given": given} if given else {"literal": family}
        for given, family in map(_parts, paper.authors)
    ]
    told = {
        "id": name,
        "type": data("formats")["kinds"].get(_kind_of(paper), ("document",))[0],
        "title": paper.title,
        "author": people,
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.venue,
        "abstract": paper.abstract,
        "DOI": paper.doi,
        "URL": paper.link,
        "note": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "",
        "keyword": ", ".join(each.replace(",", " ") for each in (*paper.tags, *paper.collections)),
        "custom": {"collections": paper.collections} if paper.collections else None,
    }
    return {key: value for key, value in told.items() if value}


def _parts(name: str) -> tuple[str, str]:
    """Given name, and family name with its particles and what follows ("Jr."); of one word all is the family's."""
    words = name.split()
    last = len(words) - (2 if _SUFFIX.fullmatch(words[-1]) else 1)
    at = next((i for i, word in enumerate(words) if i and word[0].islower()), max(last, 0))
    return ("", name) if name == ET_AL else (" ".join(words[:at]), " ".join(words[at:]))


def _kind_of(paper: PaperRecord) -> str:
    """BibTeX's kind of entry."""
    if paper.kind:
        return paper.kind
    if paper.venue in ("", "arXiv"):
        return "misc"
    return "article" if _JOURNAL.search(paper.venue) or _ACRONYM.fullmatch(paper.venue) else "inproceedings"


def _citation_keys(papers: Sequence[PaperRecord]) -> list[str]:
    """A key for each, such as `vaswani2017attention`; equal ones get a number."""
    seen: Counter[str] = Counter()
    found = []
    for paper in papers:
        family = _parts(paper.authors[0])[1] if paper.authors else ""
        word = next((word for word in keys.name_key(paper.title).split() if len(word) > 3), "")
        key = re.sub(r"\W", "", f"{keys.name_key(family)}{paper.year or ''}{word}") or "paper"
        seen[key] += 1
        found.append(key if seen[key] == 1 else f"{key}{seen[key]}")
    return found
