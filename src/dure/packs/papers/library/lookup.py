"""Papers as the library's methods give them, from what is stored."""

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from dure.errors import existing
from dure.knowledge.search import Found
from dure.packs.papers import keys
from dure.packs.papers.library.card import card_sections
from dure.packs.papers.library.store import record_fields
from dure.packs.papers.record import FoundPaper, Paper, PaperRecord, PaperText
from dure.packs.papers.storage import citations, marks, papers
from dure.packs.papers.storage.library import shelf, touch
from dure.packs.papers.storage.papers import Filters, Row
from dure.sources import Passage
from dure.storage import documents

_SHOWN = 3
"""Passages shown of one paper."""
_NAMES = 500
"""Characters of a text that authors' names are looked for in."""
_FAMILY = 3
"""Letters of a family name that is looked for by itself: shorter ones are words too."""


def listed(connection: sa.Connection, owner: str, filters: Filters, limit: int, offset: int) -> list[Paper]:
    """Papers that fit, newest first."""
    return of_rows(connection, owner, papers.listing(connection, owner, filters, limit, offset))


def fitting(connection: sa.Connection, owner: str, filters: Filters, k: int) -> list[FoundPaper]:
    """The `k` papers that fit, most cited first, each with its card."""
    found = []
    for paper in of_rows(connection, owner, papers.listing(connection, owner, filters, k, by_citations=True)):
        card = documents.slice_of(connection, shelf(paper.owner), paper.document_id) or ""
        passage = Passage(paper.document_id, paper.title, None, 0, len(card), card, url=paper.link)
        found.append(FoundPaper(paper, [passage], 1.0, 1.0))
    return found


def one(connection: sa.Connection, owner: str, id: str) -> Paper:
    """Raises NotFound."""
    return of_rows(connection, owner, [row_of(connection, owner, id)])[0]


def row_of(connection: sa.Connection, owner: str, id: str) -> Row:
    return existing(papers.get(connection, owner, id), "paper", id)


def of_rows(connection: sa.Connection, owner: str, rows: Sequence[Row]) -> list[Paper]:
    """Rows as papers, with what other tables tell of them."""
    cited = citations.references_of(connection, owner, [row["number"] for row in rows])
    put = marks.fields(connection, owner, [row["number"] for row in rows])
    more = ("id", "owner", "document_id", "full_text_id", "source", "created_at")
    return [
        Paper(
            **fields,
            references=cited.get(row["number"], []),
            shared=row["owner"] == "",
            status=row["text_status"] or "ready",
            **{name: row[name] for name in more},
            **put.get(row["number"], {}),
        )
        for row, fields in zip(rows, record_fields(connection, rows), strict=True)
    ]


def mark(connection: sa.Connection, owner: str, id: str, kind: str, drop: Sequence[str], record: PaperRecord) -> int:
    """Take marks off a paper and put on those of a record; how many were taken off. Raises NotFound."""
    number = row_of(connection, owner, id)["number"]
    gone = marks.drop(connection, owner, number, kind, drop)
    marks.put(connection, owner, [(number, record)])
    touch(connection, owner)
    return gone


def grouped(connection: sa.Connection, owner: str, found: Found, k: int) -> list[FoundPaper]:
    """The first `k` papers of passages, best first."""
    paper_of = papers.of_documents(connection, owner, sorted({passage.document_id for passage in found.passages}))
    passages: dict[int, list[Passage]] = {}
    for passage in found.passages:
        number = paper_of.get(passage.document_id)
        if number is not None and (number in passages or len(passages) < k):
            passages.setdefault(number, []).append(passage)
    rows = papers.by_numbers(connection, owner, list(passages))
    grouped = []
    numbers = [number for number in passages if number in rows]
    for number, paper in zip(numbers, of_rows(connection, owner, [rows[n] for n in numbers]), strict=True):
        best = passages[number][:_SHOWN]
        shown = [replace(each, title=paper.title, url=paper.link) for each in best]
        grouped.append(FoundPaper(paper, shown, best[0].score, found.evidence))
    return grouped


def cited_by(connection: sa.Connection, owner: str, id: str) -> list[Paper]:
    """The papers that cite one, or that of everybody's which it stands for. Raises NotFound."""
    row = row_of(connection, owner, id)
    numbers = citations.citing(connection, [n for n in (row["number"], row["shared"]) if n is not None])
    return of_numbers(connection, owner, numbers)


def cites(connection: sa.Connection, owner: str, id: str) -> list[Paper]:
    """The papers here that one cites. Raises NotFound."""
    rows = [papers.get(connection, owner, each) for each in one(connection, owner, id).references]
    return of_rows(connection, owner, [row for row in rows if row])


def by_authors(connection: sa.Connection, owner: str, text: str, limit: int) -> list[Paper]:
    """Papers of authors whose names stand in a text; particles may follow a Korean name. Words in capitals are
    abbreviations, but where all are."""
    text = text[:_NAMES]
    if not text.isupper():
        text = " ".join(word for word in text.split() if not (word.isascii() and word.isupper()))
    words = keys.name_key(text).split()
    names = [word for word in words if word.isascii() and len(word) >= _FAMILY]
    names += [word[:size] for word in words if not word.isascii() for size in (2, 3, 4) if len(word) >= size]
    return of_numbers(connection, owner, papers.of_authors(connection, owner, names, limit))


def of_numbers(connection: sa.Connection, owner: str, numbers: Sequence[int]) -> list[Paper]:
    rows = papers.by_numbers(connection, owner, numbers)
    return of_rows(connection, owner, [rows[number] for number in numbers if number in rows])


def _text_of(connection: sa.Connection, owner: str, id: str) -> tuple[Paper, str, str | None]:
    """A paper, the text of its PDF or else its card, and the PDF's id where it is that one's. Raises NotFound."""
    paper = one(connection, owner, id)
    full = paper.full_text_id if paper.status == "ready" else None
    return paper, documents.slice_of(connection, shelf(paper.owner), full or paper.document_id) or "", full


def passages(connection: sa.Connection, owner: str, id: str) -> tuple[Paper, list[int], str, bool]:
    """A paper, the ids of the passages of its full text or else its card, that text, and whether it is the full text.
    Raises NotFound."""
    paper, whole, full = _text_of(connection, owner, id)
    rows = documents.passages_of(connection, shelf(paper.owner), full or paper.document_id)
    return paper, [row["id"] for row in rows], whole, full is not None


def text(connection: sa.Connection, owner: str, id: str) -> PaperText:
    """Raises NotFound."""
    from dure.packs.papers.library.inside import sections

    paper, whole, full = _text_of(connection, owner, id)
    if full is None:
        return PaperText(paper, card_sections(paper, whole), False)
    pages = documents.pages_of(connection, shelf(paper.owner), full)
    return PaperText(paper, sections(whole, pages, full, paper.title), True, pages)
