"""Files with a JSON object on each line, or one JSON list of objects: Dure's own, with the fields of `PaperRecord`,
Semantic Scholar's and CSL-JSON. What has another shape than it should is left out."""

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from dure.packs.papers import TEXTS, data, keys
from dure.packs.papers.formats.reading import first_line, integer, items, lines, mapping, text
from dure.packs.papers.record import PaperRecord, Problem

_WHOLE = 200_000_000
"""Bytes of a file that is one JSON value, which has to be read whole."""

_BOM = b"\xef\xbb\xbf"
_ANSWER = re.compile(rb'\{(?:\s*"(?:total|offset|next|token)"\s*:[^,{}\[\]]*,)*\s*"data"\s*:\s*\[')
"""How an answer of Semantic Scholar's API begins."""
_KEY = re.compile(r"zotero\.org/.+/items/(\w+)$")
_TEXTS = ("title", "venue", "kind", "field", "abstract", "summary_ko", "summary_en", "doi", "arxiv_id", "acl_id", "url")


def read(
    stream: BinaryIO, name: str, convert: Callable[[dict[str, Any]], PaperRecord]
) -> Iterator[PaperRecord | Problem]:
    """The papers of a file. A line that cannot be read is told of, with its number, and left out."""
    for place, value in _values(stream, name):
        if isinstance(value, dict):
            record = convert(value)
            yield record if record.title.strip() else Problem(place, TEXTS.phrase("formats.untitled"))
        else:
            yield value if isinstance(value, Problem) else Problem(place, TEXTS.phrase("formats.no_object"))


def _values(stream: BinaryIO, name: str) -> Iterator[tuple[str, Any]]:
    """Where each value stands, and what it is; a Problem where it cannot be read."""
    first = first_line(stream)
    start = first[1].removeprefix(_BOM).lstrip()
    if start[:1] == b"[" or start.rstrip() == b"{" or _ANSWER.match(start):
        # However long its first line is.
        data = start + stream.read(_WHOLE + 1)
        long = Problem(name, TEXTS.phrase("formats.whole", most=_WHOLE)) if len(data) > _WHOLE else None
        value = long or _loaded(data, name)
        if isinstance(value, dict):
            value = value["data"] if isinstance(value.get("data"), list) else [value]
        if isinstance(value, list):
            yield from ((f"{name}#{n}", each) for n, each in enumerate(value, 1))
        else:
            yield name, value
        return
    for number, line in lines(stream, first):
        place = f"{name}:{number}"
        if line is None:
            yield place, Problem(place, TEXTS.phrase("formats.long_line"))
        elif line := line.removeprefix(_BOM).strip():
            yield place, _loaded(line, place)


def _loaded(data: bytes, place: str) -> Any:
    """What the JSON says; a Problem where it is none."""
    try:
        return orjson.loads(data)
    except ValueError as error:
        return Problem(place, TEXTS.phrase("formats.no_json", error=error))


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of an object of Dure's own."""
    fields: dict[str, Any] = {name: text(value.get(name)) for name in _TEXTS}
    for name in ("authors", "aliases", "references", "tags", "collections"):
        fields[name] = [text(each) for each in items(value.get(name))]
    return PaperRecord(**fields, year=integer(value.get("year")), citations=integer(value.get("citations")))


def of_semantic_scholar(value: dict[str, Any]) -> PaperRecord:
    """A record of an object of its API or its data sets (https://api.semanticscholar.org/api-docs/)."""
    value = {key.lower(): each for key, each in value.items()}
    ids = _ids(value.get("externalids"))
    paper_id = text(value.get("paperid")) or text(value.get("corpusid")) or ids.get("corpusid", "")
    fields = [*items(value.get("fieldsofstudy")), *items(value.get("s2fieldsofstudy"))]
    return PaperRecord(
        title=text(value.get("title")),
        authors=[text(mapping(each).get("name")) or text(each) for each in items(value.get("authors"))],
        year=integer(value.get("year")),
        venue=text(value.get("venue")) or text(mapping(value.get("journal")).get("name")),
        field=next(filter(None, (text(each) or text(mapping(each).get("category")) for each in fields)), ""),
        abstract=text(value.get("abstract")),
        doi=ids.get("doi", "") or text(value.get("doi")),
        arxiv_id=ids.get("arxiv", "") or text(value.get("arxivid")),
        acl_id=ids.get("acl", ""),
        url=text(mapping(value.get("openaccesspdf")).get("url")) or text(value.get("url")),
        citations=integer(value.get("citationcount")),
        references=[each for each in map(_reference, items(value.get("references"))) if each],
        key=f"s2:{paper_id}" if paper_id else "",
    )


def _reference(value: Any) -> str:
    """What a reference is known by: a DOI, arXiv or ACL id, the id here, or its title."""
    if isinstance(value, str):
        # Ids are 40 hexadecimal digits; anything else is a DOI, an arXiv id or a title.
        return f"key:s2:{value}" if len(value) == 40 and value.isalnum() else value
    fields = mapping(value)
    fields = mapping(fields.get("citedPaper")) or fields
    ids, paper_id = _ids(fields.get("externalIds")), text(fields.get("paperId"))
    known = (ids.get("doi"), ids.get("arxiv"), ids.get("acl"), text(fields.get("title")))
    return next(filter(None, known), f"key:s2:{paper_id}" if paper_id else "")


def _ids(value: Any) -> dict[str, str]:
    return {key.lower(): text(each) for key, each in mapping(value).items()}


def of_csl(value: dict[str, Any]) -> PaperRecord:
    """A record of an item of CSL-JSON, as Zotero, Pandoc and others write it
    (https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables)."""
    arxiv = [text(value.get(name)) for name in ("number", "archive_location", "note", "URL")]
    collections = [text(each) for each in items(mapping(value.get("custom")).get("collections"))]
    tags = [each.strip() for each in text(value.get("keyword")).split(",") if each.strip()]
    known, kinds = _KEY.search(text(value.get("id"))), data("formats")["kinds"].items()
    return PaperRecord(
        title=text(value.get("title")),
        authors=[_csl_name(mapping(each)) for each in items(value.get("author"))],
        year=_year(mapping(value.get("issued"))),
        venue=text(value.get("container-title")) or text(value.get("event-title")) or text(value.get("publisher")),
        kind=next((kind for kind, (csl, _) in kinds if csl == text(value.get("type"))), ""),
        abstract=text(value.get("abstract")),
        doi=text(value.get("DOI")),
        arxiv_id=next((keys.arxiv_id(each) for each in arxiv if "arxiv" in each.lower()), ""),
        url=text(value.get("URL")),
        tags=[each for each in tags if each not in collections],
        collections=collections,
        key=f"zotero:{known[1]}" if known else "",
    )


def _csl_name(person: dict[str, Any]) -> str:
    names = ("dropping-particle", "non-dropping-particle", "family", "suffix")
    family = " ".join(filter(None, (text(person.get(each)) for each in names)))
    return text(person.get("literal")) or keys.in_order(text(person.get("given")), family)


def _year(issued: dict[str, Any]) -> int | None:
    dates = items(issued.get("date-parts"))
    year = integer(items(dates[0])[0]) if dates and items(dates[0]) else None
    found = re.search(r"\d{4}", text(issued.get("raw")) or text(issued.get("literal")))
    return year or (int(found[0]) if found else None)
