"""A paper's card: the text that it is found by and cited from, a document without a file, ready at once."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from dure.knowledge.parse.parsed import DocumentText, clean
from dure.knowledge.split import split
from dure.packs.papers.record import ET_AL, Paper, PaperRecord
from dure.sources import Passage
from dure.storage.database import now
from dure.storage.documents import NewPassage, empty, fill
from dure.storage.schema import documents
from dure.storage.sql import among

_LIMIT = 1500
"""Characters of one passage, about what an embedding model reads."""
_NAMED = 8
"""Authors that are named."""


@dataclass(slots=True, frozen=True)
class Card:
    """`name` is unique on its shelf. It may hold "/", which no file's name does. `id`: the document's."""

    id: str
    name: str
    title: str
    text: str
    passages: Sequence[NewPassage]


def card_of(record: PaperRecord, document_id: str, paper_id: str) -> Card:
    """Title, authors, venue and year, other names, English summary and abstract; then the Korean summary apart, since
    passages of two languages are no one's."""
    names = ", ".join(record.named[:_NAMED])
    if record.more_authors or len(record.named) > _NAMED:
        names += f" {ET_AL}"
    head = " · ".join(part for part in (names, record.venue, str(record.year or "")) if part)
    lines = [record.title, head, ", ".join(sorted(record.aliases)), clean(record.summary_en), clean(record.abstract)]
    # Lines of their own: a title may be as long as one that was only wrapped, and run into the sentence below.
    parts = ["\n\n".join(line for line in lines if line)]
    if summary := clean(record.summary_ko):
        parts.append(f"{record.title}\n\n{summary}")
    passages: list[NewPassage] = []
    at = 0
    for part in parts:
        # One passage, or as many as its length needs, each where it stands in the card's text.
        cut = [NewPassage(None, 0, len(part), part)]
        if len(part) > _LIMIT:
            cut = split(DocumentText(part, [(None, 0)]))
        passages += [replace(each, start=each.start + at, end=each.end + at) for each in cut]
        at += len(part) + 2
    return Card(document_id, f"papers/{paper_id}", record.title[:300], "\n\n".join(parts), passages)


def card_sections(paper: Paper, text: str) -> list[Passage]:
    """The parts of a card's `text`: what the paper is, its summary, its abstract, its summary in Korean."""
    parts = ((paper.summary_en, "Summary"), (paper.abstract, "Abstract"), (paper.summary_ko, "요약"))
    told = [(text.find(words), words, name) for part, name in parts if (words := clean(part))]
    places = sorted((at, at + len(words), name) for at, words, name in told if at >= 0)
    head = text[: places[0][0]].rstrip() if places else text
    found = [(0, len(head), paper.title), *places]
    return [Passage(paper.document_id, name, None, start, end, text[start:end]) for start, end, name in found]


def put(connection: sa.Connection, shelf: str, cards: Sequence[Card]) -> dict[str, int]:
    """Store cards; their documents' numbers, by id. One that is there gets its new text, where that is another: id and
    number stay, vectors are made anew."""
    its = sa.and_(documents.c.owner == shelf, among(documents.c.id, [card.id for card in cards]))
    query = sa.select(documents.c.id, documents.c.number, documents.c.sha256).where(its)
    there = {row.id: row for row in connection.execute(query)}
    at = now()
    new, changed, written = [], [], []
    for card in cards:
        data = card.text.encode()
        digest = hashlib.sha256(data).hexdigest()
        sizes = {"size": len(data), "chars": len(card.text), "passages": len(card.passages)}
        values = {"id": card.id, "title": card.title, "sha256": digest, "updated_at": at, **sizes}
        if card.id not in there:
            fixed = {"owner": shelf, "kind": "text", "file": "", "status": "ready", "created_at": at}
            new.append({**fixed, **values, "name": card.name})
        elif there[card.id].sha256 != digest:
            changed.append({**values, "embedded": 0})
        else:
            continue
        written.append(card)
    if changed:
        empty(connection, shelf, [there[values["id"]].number for values in changed])
        for values in changed:
            connection.execute(documents.update().where(documents.c.id == values["id"]).values(values))
    if new:
        connection.execute(documents.insert(), new)
    numbers = {row.id: row.number for row in connection.execute(query)}
    if written:
        pages = [(None, 0)]
        fill(connection, shelf, [(numbers[card.id], card.text, pages, card.passages) for card in written])
    return numbers
