"""Dure's own records as JSON lines: the fields of `PaperRecord`."""

from typing import Any

from dure.packs.papers.formats.reading import integer, items, text
from dure.packs.papers.record import PaperRecord

_TEXTS = ("title", "venue", "field", "abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "url")


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of one object; what has another shape than it should is left out."""
    fields: dict[str, Any] = {name: text(value.get(name)) for name in _TEXTS}
    for name in ("authors", "aliases", "references", "tags", "collections"):
        fields[name] = [text(each) for each in items(value.get(name))]
    return PaperRecord(
        **fields,
        year=integer(value.get("year")),
        citations=integer(value.get("citations")),
    )
