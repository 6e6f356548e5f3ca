"""CSL-JSON (https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables), as Zotero, Pandoc and
others write and read it."""

import re
from typing import Any

from dure.packs.papers import keys
from dure.packs.papers.formats.reading import integer, items, mapping, text
from dure.packs.papers.record import PaperRecord

KINDS = {
    "misc": ("article", "preprint"),
    "article": ("article-journal", "journalArticle"),
    "inproceedings": ("paper-conference", "conferencePaper"),
    "incollection": ("chapter", "bookSection"),
    "book": ("book", "book"),
    "thesis": ("thesis", ""),
    "phdthesis": ("thesis", "thesis"),
    "mastersthesis": ("thesis", ""),
    "techreport": ("report", "report"),
    "unpublished": ("manuscript", "manuscript"),
    "online": ("webpage", "webpage"),
    "software": ("software", "computerProgram"),
    "dataset": ("dataset", "dataset"),
    "patent": ("patent", "patent"),
}
"""BibTeX's kinds of entries, those of CSL, and Zotero's types of items (https://api.zotero.org/itemTypes)."""
_KINDS = {csl: kind for kind, (csl, _) in reversed(KINDS.items())}
_KEY = re.compile(r"zotero\.org/.+/items/(\w+)$")


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of one item; what has another shape than it should is left out."""
    arxiv = [text(value.get(name)) for name in ("number", "archive_location", "note", "URL")]
    collections = [text(each) for each in items(mapping(value.get("custom")).get("collections"))]
    tags = [each.strip() for each in text(value.get("keyword")).split(",") if each.strip()]
    known = _KEY.search(text(value.get("id")))
    return PaperRecord(
        title=text(value.get("title")),
        authors=[_name(mapping(each)) for each in items(value.get("author"))],
        year=_year(mapping(value.get("issued"))),
        venue=text(value.get("container-title")) or text(value.get("event-title")) or text(value.get("publisher")),
        kind=_KINDS.get(text(value.get("type")), ""),
        abstract=text(value.get("abstract")),
        doi=text(value.get("DOI")),
        arxiv_id=next((keys.arxiv_id(each) for each in arxiv if "arxiv" in each.lower()), ""),
        url=text(value.get("URL")),
        tags=[each for each in tags if each not in collections],
        collections=collections,
        key=f"zotero:{known[1]}" if known else "",
    )


def _name(person: dict[str, Any]) -> str:
    names = ("dropping-particle", "non-dropping-particle", "family", "suffix")
    family = " ".join(filter(None, (text(person.get(each)) for each in names)))
    return text(person.get("literal")) or keys.in_order(text(person.get("given")), family)


def _year(issued: dict[str, Any]) -> int | None:
    dates = items(issued.get("date-parts"))
    year = integer(items(dates[0])[0]) if dates and items(dates[0]) else None
    found = re.search(r"\d{4}", text(issued.get("raw")) or text(issued.get("literal")))
    return year or (int(found[0]) if found else None)
