"""Zotero: its RDF export (https://www.zotero.org/support/kb/exporting), and its local API, which speaks the web API's
JSON (https://www.zotero.org/support/dev/web_api/v3/basics). Its BibTeX and CSL-JSON are read as any."""

import html
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, BinaryIO
from urllib.parse import unquote

import orjson

from dure.errors import ToolError
from dure.packs.papers import TEXTS, data, keys
from dure.packs.papers.formats.reading import Element, Unusable, elements, get, items, mapping, text, words
from dure.packs.papers.record import PaperRecord, Problem

API = "http://127.0.0.1:23119/api"
_PAGE = 100
_ITEMS = "Article Book BookSection Conference Description Document Journal Manuscript Proceedings Report Thesis"
_BESIDE = ("Attachment", "Collection", "Memo")
_KINDS = {item: kind for kind, (_, item) in data("formats")["kinds"].items() if item}
_VENUE = ("publicationTitle", "proceedingsTitle", "conferenceName", "bookTitle", "repository")
_BY = ("university", "institution", "publisher")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_TAG = re.compile(r"<[^>]+>")
_BREAK = re.compile(r"</p>|<br ?/?>|\n")


class ZoteroUnavailable(ToolError, code="zotero_unavailable", status=503, texts=TEXTS):
    """Zotero's local API cannot be reached, or refuses."""


def read_rdf(stream: BinaryIO, name: str) -> Iterator[PaperRecord | Problem]:
    """The items of an export, with their tags, collections and notes, and the paths of attached PDFs."""
    found: list[Element] = []
    try:
        found += elements(stream, (*_ITEMS.split(), *_BESIDE))
    except Unusable as error:
        yield Problem(name, error.args[0])
    about = {_attribute(each, "about"): each for each in found}
    holds = [(_attribute(part, "resource"), each) for each in found for part in each.findall("hasPart")]
    for id, each in about.items():
        if each.tag in _BESIDE or each.find("itemType") is None:
            continue
        collections = [words(its.find("title")) for part, its in holds if part == id and its.tag == "Collection"]
        yield _of_element(each, about, collections)


def _of_element(item: Element, about: dict[str, Element], collections: list[str]) -> PaperRecord:
    part = item.find("isPartOf")
    around = [] if part is None else [*part, *(e for e in [about.get(_attribute(part, "resource"))] if e is not None)]
    near = [item, *around]
    ids = [words(each) for one in near for each in one.findall("identifier")]
    told = " ".join([*ids, words(item.find("description")), words(item.find("archive"))])
    venues = [words(one.find("title")) for one in around] + [words(each) for each in item.iter("Conference")]
    # A thesis' university, a report's institute.
    venues += [words(each) for one in item.findall("publisher") for each in one.iter("name")]
    people = [each for names in item.findall("authors") for each in names.iter("Person")]
    attached = [about[at] for each in item.findall("link") if (at := _attribute(each, "resource")) in about]
    memos = [(at, about[at]) for e in item.findall("isReferencedBy") if (at := _attribute(e, "resource")) in about]
    year = _YEAR.search(words(item.find("date")))
    dois, arxiv, _ = keys.ids_in(told)
    return PaperRecord(
        title=words(item.find("title")),
        authors=[keys.in_order(words(e.find("givenName")), words(e.find("surname"))) for e in people],
        year=int(year[0]) if year else None,
        venue=next((each.strip() for each in venues if each.strip()), "arXiv" if arxiv else ""),
        kind=_KINDS.get(words(item.find("itemType")), ""),
        abstract=words(item.find("abstract")),
        doi=next(iter(dois), ""),
        arxiv_id=next(iter(arxiv), ""),
        url=next((each.strip() for each in ids if each.strip().startswith("http")), ""),
        tags=[words(each).strip() for each in item.findall("subject")],
        collections=collections,
        notes=[(f"zotero:{at}", _plain(words(memo.find("value")) or words(memo))) for at, memo in memos],
        files=[unquote(_attribute(each, "resource")) for one in attached for each in one.findall("resource")],
    )


def _attribute(element: Element, name: str) -> str:
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def _plain(note: str) -> str:
    """A note, which Zotero keeps as HTML."""
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", note))).strip()


async def fetch(url: str = API) -> AsyncIterator[list[PaperRecord | Problem]]:
    """The papers of a running Zotero's own library, page by page. Raises ZoteroUnavailable."""
    library = f"{url.rstrip('/')}/users/0"
    collections = {each["key"]: text(each["data"].get("name")) async for each in _all(f"{library}/collections")}
    children: dict[str, list[dict[str, Any]]] = {}
    parents: list[dict[str, Any]] = []
    async for item in _all(f"{library}/items"):
        parent = text(item["data"].get("parentItem"))
        (children.setdefault(parent, []) if parent else parents).append(item)
    for start in range(0, len(parents), _PAGE):
        page: list[PaperRecord | Problem] = []
        for item in parents[start : start + _PAGE]:
            if item["data"].get("itemType") not in ("attachment", "note", "annotation"):
                beside = children.get(item["key"], [])
                pdfs = [each["key"] for each in beside if each["data"].get("contentType") == "application/pdf"]
                files = [await _file(f"{library}/items/{key}/file/view/url") for key in pdfs]
                page.append(convert(item, beside, collections, filter(None, files)))
        yield page


def convert(
    item: dict[str, Any], children: list[dict[str, Any]], collections: dict[str, str], files: Iterable[str] = ()
) -> PaperRecord:
    """A record of an item of the API, with the names of collections by their keys."""
    data = mapping(item.get("data"))

    def said(*names: str) -> str:
        return next((found for name in names if (found := text(data.get(name)))), "")

    people = [mapping(each) for each in items(data.get("creators"))]
    people = [each for each in people if each.get("creatorType") == "author"] or people
    year = _YEAR.search(said("date"))
    told = " ".join(text(data.get(name)) for name in ("archiveID", "extra", "url"))
    notes = [(text(each.get("key")), mapping(each.get("data"))) for each in children]
    return PaperRecord(
        title=said("title"),
        authors=[
            text(one.get("name")) or keys.in_order(text(one.get("firstName")), text(one.get("lastName")))
            for one in people
        ],
        year=int(year[0]) if year else None,
        venue=said(*_VENUE, *_BY),
        kind=_KINDS.get(said("itemType"), ""),
        abstract=said("abstractNote"),
        doi=said("DOI") or next(iter(keys.ids_in(said("extra"))[0]), ""),
        arxiv_id=keys.arxiv_id(told) if "arxiv" in told.lower() else "",
        url=said("url"),
        tags=[text(mapping(each).get("tag")) for each in items(data.get("tags"))],
        collections=[collections[key] for key in items(data.get("collections")) if key in collections],
        notes=[(f"zotero:{key}", _plain(text(its.get("note")))) for key, its in notes if its.get("itemType") == "note"],
        files=list(files),
        key=f"zotero:{text(item.get('key'))}",
    )


async def _all(url: str) -> AsyncIterator[dict[str, Any]]:
    start = 0
    while True:
        data = await get(url, {"format": "json", "limit": _PAGE, "start": start}, ZoteroUnavailable)
        try:
            page = [
                each for each in orjson.loads(data) if isinstance(each["data"], dict) and isinstance(each["key"], str)
            ]
        except (ValueError, TypeError, KeyError):
            raise ZoteroUnavailable(reason=TEXTS.phrase("formats.not_zotero")) from None
        for each in page:
            yield each
        start += _PAGE
        if len(page) < _PAGE:
            return


async def _file(url: str) -> str:
    """The path of an attachment on this machine; empty where it has none."""
    try:
        told = (await get(url, {}, ZoteroUnavailable)).decode("utf-8", "replace").strip()
    except ZoteroUnavailable:
        return ""
    return unquote(told.removeprefix("file://")) if told.startswith("file:///") else ""
