"""What is known of a paper; and the form in which that is stored and compared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import field as of
from functools import cache
from itertools import islice
from typing import Any

from dure.errors import Language
from dure.packs.papers import TEXTS, data, keys
from dure.sources import Passage
from dure.texts import said

_TOLD = 100
_CREDITED = 3
_TITLE, _TEXT, _AUTHORS, _REFERENCES = 1000, 20_000, 3000, 5000
_OTHERS = {"et al", "others", "and others"}
ET_AL = "et al."
"""Stands at the end of authors that are not all."""


@dataclass(slots=True, kw_only=True)
class PaperRecord:
    """A paper as a source tells of it; "" and None stand for what it does not tell.

    `kind`: BibTeX's kind of entry, e.g. `phdthesis`.
    `authors`: their names in order; "et al." at the end where the source names only the first ones.
    `field`: the field of research, e.g. `nlp`. `citations`: how often it is cited, as the source says. `aliases`: short
    names it is known by ("BERT"). `references`: what it cites, each a DOI, arXiv id, ACL id, title, or `key:` and the
    `key` of a paper of the same source. `key`: what the source calls it. `tags`, `collections` and `notes` are what its
    owner put on it, and nobody else sees.
    """

    title: str
    authors: list[str] = of(default_factory=list)
    year: int | None = None
    venue: str = ""
    kind: str = ""
    field: str = ""
    abstract: str = ""
    summary_ko: str = ""
    summary_en: str = ""
    doi: str = ""
    arxiv_id: str = ""
    acl_id: str = ""
    url: str = ""
    citations: int | None = None
    aliases: list[str] = of(default_factory=list)
    references: list[str] = of(default_factory=list)
    key: str = ""
    tags: list[str] = of(default_factory=list)
    collections: list[str] = of(default_factory=list)
    notes: list[tuple[str, str]] = of(default_factory=list)
    """(id, text) of each."""
    files: list[str] = of(default_factory=list)
    """Paths of its PDF, of which a source tells."""

    @property
    def named(self) -> list[str]:
        """The authors' names without "et al."."""
        return self.authors[:-1] if self.more_authors else self.authors

    @property
    def more_authors(self) -> bool:
        """Whether there are more than those named."""
        return self.authors[-1:] == [ET_AL]

    @property
    def link(self) -> str | None:
        """Where it can be read on the web."""
        if self.url:
            return self.url
        if self.arxiv_id:
            return f"https://arxiv.org/abs/{self.arxiv_id}"
        if self.acl_id:
            return f"https://aclanthology.org/{self.acl_id}/"
        return f"https://doi.org/{self.doi}" if self.doi else None


@dataclass(slots=True, kw_only=True)
class Paper(PaperRecord):
    """A paper that is here. `shared`: everybody's, which nobody can remove. `references`: ids of the papers here that
    it cites. `document_id`: its card, a document of title, abstract and summaries. `full_text_id`: the document of its
    PDF, None without one. `status`: of that PDF (`queued`, `indexing`, `ready`, `failed`), else `ready`.
    """

    id: str
    owner: str
    shared: bool
    document_id: str
    full_text_id: str | None = None
    status: str = "ready"
    source: str = ""
    created_at: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For HTTP, the terminal and tools."""
        fields = asdict(self)
        del fields["owner"], fields["key"], fields["files"]
        return {**fields, "notes": [{"id": id, "text": text} for id, text in self.notes], "link": self.link}


def credit(paper: Mapping[str, Any]) -> str:
    """Authors, year and venue, e.g. `Ashish Vaswani, Noam Shazeer, Niki Parmar et al. (2017, NeurIPS)`."""
    authors = paper.get("authors") or []
    names = ", ".join([each for each in authors if each != ET_AL][:_CREDITED])
    names += f" {ET_AL}" if len(authors) > _CREDITED or ET_AL in authors else ""
    when = ", ".join(str(each) for each in (paper.get("year"), paper.get("venue")) if each)
    return f"{names} ({when})".strip() if when else names


@dataclass(slots=True, frozen=True)
class Problem:
    """Why a part of a source was left out. `place`: file and line, entry or record."""

    place: str
    reason: str


@dataclass(slots=True)
class Added:
    """What an import did: how many papers are new, how many got something that they had not, how many were there
    already, and what could not be used: `failed` counts it, `problems` tells of the first hundred."""

    added: int = 0
    completed: int = 0
    skipped: int = 0
    failed: int = 0
    problems: list[Problem] = of(default_factory=list)
    attached: list[str] = of(default_factory=list)
    """Ids of the papers that got a PDF; its text is read in the background."""

    @property
    def read(self) -> int:
        """Records seen so far."""
        return self.added + self.completed + self.skipped + self.failed

    def fail(self, problem: Problem) -> None:
        self.failed += 1
        if len(self.problems) < _TOLD:
            self.problems.append(problem)

    def count(self, became: Iterable[str]) -> None:
        """Count what has become of records: `added`, `completed` or `skipped`."""
        for name in became:
            setattr(self, name, getattr(self, name) + 1)

    def as_dict(self, language: Language = "en") -> dict[str, Any]:
        """For HTTP and the terminal; the problems' reasons in `language`."""
        told: dict[str, Any] = said(asdict(self), language)
        return told


@dataclass(slots=True)
class FoundPaper:
    """A paper that a search found: the passages that speak for it, best first (its card where only filters were asked
    for); `score` 0 to 1; `evidence`: how well the best of all found papers support the question at all, 0 to 1."""

    paper: Paper
    passages: list[Passage]
    score: float
    evidence: float


@cache
def naming(*kinds: str) -> str:
    """A regular expression for what headings call parts of these kinds, of all where none is given. Letters of Hangul
    may stand apart (`초 록`), as they do where a line is to be filled."""
    named = {**data("formats")["sections"], **data("formats")["headings"]}
    names = [name for kind in kinds or named for name in named[kind]]
    return "|".join((r"\s?" if name >= "가" else "").join(name).replace(" ", r"\s") for name in names)


def kind_of(title: str) -> str:
    """The kind of a section by its heading, the first that it names; "" for others."""
    return next((kind for kind in data("formats")["sections"] if re.search(naming(kind), title, re.IGNORECASE)), "")


@dataclass(slots=True)
class PaperText:
    """What can be read of a paper. `full`: its whole text, not only its card. `sections`: each with its heading as
    `title`, and the page on which it begins. `pages`: (page number, offset of its first character)."""

    paper: Paper
    sections: list[Passage]
    full: bool
    pages: Sequence[tuple[int | None, int]] = ()


def normal(record: PaperRecord) -> PaperRecord | None:
    """The record with clean texts, names in reading order and bare ids; None for one without a title.

    Whatever is no id, no year or no count is left out rather than kept wrong.
    """
    title, url = keys.one_line(record.title)[:_TITLE].strip(), keys.one_line(record.url)
    if not keys.title_key(title):
        return None
    return replace(
        record,
        title=title,
        authors=_authors(record.authors[:_AUTHORS]),
        year=record.year if record.year is not None and 1000 <= record.year <= 2200 else None,
        venue=keys.one_line(record.venue)[:300],
        kind=record.kind.lower() if re.fullmatch("[A-Za-z]{1,32}", record.kind) else "",
        field=keys.one_line(record.field).casefold()[:64],
        abstract=keys.one_line(record.abstract)[:_TEXT],
        summary_ko=keys.one_line(record.summary_ko)[:_TEXT],
        summary_en=keys.one_line(record.summary_en)[:_TEXT],
        doi=keys.doi(record.doi),
        arxiv_id=(keys.arxiv_id(record.arxiv_id) or keys.arxiv_id(record.doi))[:32],
        acl_id=keys.acl_id(record.acl_id or record.doi)[:64],
        # They are shown as links.
        url=url if len(url) <= 2000 and re.fullmatch("https?://[^ ]*", url) else "",
        citations=record.citations if record.citations is not None and 0 <= record.citations < 1 << 31 else None,
        aliases=_aliases(record.aliases, title),
        references=list(filter(None, map(keys.reference_key, record.references[:_REFERENCES]))),
        key=keys.one_line(record.key)[:160],
    )


def batch(records: Iterator[PaperRecord | Problem], size: int) -> list[PaperRecord | Problem]:
    """The next `size` records, brought into form."""
    return [
        each if isinstance(each, Problem) else normal(each) or Problem(each.key, TEXTS.phrase("formats.untitled"))
        for each in islice(records, size)
    ]


def _aliases(given: list[str], title: str) -> list[str]:
    """The short names of a source, each once; without any, that in the title."""
    clean = [keys.one_line(each)[:100] for each in given or keys.names_in(title)]
    return list({key: alias for alias in clean[::-1] if (key := keys.alias_key(alias))}.values())[::-1]


def _authors(given: list[str]) -> list[str]:
    """Each name once, "et al." at the end where some source says so."""
    bare = [keys.without_others(name) for name in given if keys.name_key(name) not in _OTHERS]
    more = bare != [keys.one_line(name) for name in given]
    names = {keys.name_key(name): keys.person(name) for name in bare if keys.name_key(name)}
    return [*names.values(), ET_AL] if names and more else list(names.values())
