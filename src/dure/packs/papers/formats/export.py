"""Papers as files of references: BibTeX and CSL-JSON. Zotero reads both."""

import re
from collections.abc import Callable, Iterator, Sequence

import orjson

from dure.packs.papers.formats import csl
from dure.packs.papers.formats.names import citation_keys, kind_of, parts
from dure.packs.papers.record import ET_AL, PaperRecord

_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)
_TWICE = re.compile(r"([-`'])(?=\1)")
_VENUE = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}
_CAPITALS = re.compile(r"(?<![\w\\])[\w-]*[^\W_][A-Z][\w-]*")
"""A word that a style would set in small letters: `BERT`, `SciBERT`."""


def bibtex(papers: Sequence[PaperRecord]) -> bytes:
    """BibTeX in UTF-8."""
    from bibtexparser.entrypoint import write_string
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry, Field

    entries: list[Block] = [
        Entry(kind_of(paper), key, [Field(name, f"{{{value}}}") for name, value in _fields(paper) if value])
        for paper, key in zip(papers, citation_keys(papers), strict=True)
    ]
    return str(write_string(Library(entries), unparse_stack=[])).encode()


def csl_json(papers: Sequence[PaperRecord]) -> bytes:
    """A CSL-JSON list."""
    return orjson.dumps(list(map(csl.item, papers, citation_keys(papers))), option=orjson.OPT_INDENT_2)


EXPORTS: dict[str, tuple[Callable[[Sequence[PaperRecord]], bytes], str, str]] = {
    "bibtex": (bibtex, "bib", "application/x-bibtex; charset=utf-8"),
    "csl": (csl_json, "json", "application/vnd.citationstyles.csl+json"),
}
"""By format: how it is written, how its files' names end, its media type."""


def _fields(paper: PaperRecord) -> Iterator[tuple[str, str]]:
    yield "title", _CAPITALS.sub(lambda word: f"{{{word[0]}}}", _latex(paper.title))
    yield "author", " and ".join(map(_person, paper.authors))
    yield "year", str(paper.year or "")
    yield _VENUE[kind_of(paper)], _latex(paper.venue)
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
    given, family = map(_latex, parts(name))
    return f"{family}, {given}" if given else f"{{{family}}}"


def _latex(text: str) -> str:
    """Text in which no sign means anything to LaTeX."""
    return _TWICE.sub(r"\1{}", text.translate(_SIGNS))
