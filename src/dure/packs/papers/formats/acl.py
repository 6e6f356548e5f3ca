"""The ACL Anthology's XML files (https://github.com/acl-org/acl-anthology, `data/xml`)."""

from collections.abc import Iterator
from typing import BinaryIO

from dure.packs.papers import TEXTS, keys
from dure.packs.papers.formats.reading import Element, elements, integer, words
from dure.packs.papers.record import PaperRecord, Problem

_LONG_NAMES = {"cl": "Computational Linguistics", "ws": "", "findings": ""}


def read(stream: BinaryIO, name: str) -> Iterator[PaperRecord | Problem]:
    """The papers of one file; its volumes and front matter are none. Raises Unusable."""
    meta: Element | None = None
    for element in elements(stream, ("meta", "paper")):
        if element.tag == "meta":
            meta = element
            continue
        record = _record(element, meta)
        place = f"{name}:{record.acl_id or element.get('id', '?')}"
        yield record if keys.title_key(record.title) else Problem(place, TEXTS.phrase("formats.untitled"))


def _record(paper: Element, meta: Element | None) -> PaperRecord:
    ids = {each.tag: each.get("id", "") for each in paper.iterancestors("collection", "volume")}
    acl = _id(ids.get("collection", ""), ids.get("volume", ""), paper.get("id", ""))
    year = integer(words(paper.find("year")).strip())
    if year is None and meta is not None:
        year = integer(words(meta.find("year")).strip()[:4])
    return PaperRecord(
        title=words(paper.find("title")),
        authors=[_name(each) for each in paper.findall("author")],
        year=year,
        venue=_venue(paper, meta),
        field="nlp",
        abstract=words(paper.find("abstract")),
        doi=words(paper.find("doi")),
        acl_id=acl,
        url=f"https://aclanthology.org/{acl}/" if acl else "",
    )


def _id(collection: str, volume: str, paper: str) -> str:
    """The Anthology's id (https://aclanthology.org/info/ids/): `P17-1001`, since 2020 `2020.acl-main.1`."""
    if not (collection and volume and paper):
        return ""
    if "." in collection:
        return f"{collection}-{volume}.{paper}"
    if not (volume.isascii() and volume.isdigit() and paper.isascii() and paper.isdigit()):
        return ""
    two = collection.startswith("W") or collection == "C69" or (collection == "D19" and int(volume) >= 5)
    return f"{collection}-{int(volume):02}{int(paper):02}" if two else f"{collection}-{int(volume)}{int(paper):03}"


def _name(author: Element) -> str:
    parts = (words(author.find("first")).strip(), words(author.find("last")).strip().replace(",", " "))
    return " ".join(part for part in parts if part) or words(author).strip()


def _venue(paper: Element, meta: Element | None) -> str:
    if meta is None:
        return ""
    short = words(meta.find("venue")).strip()
    known = _LONG_NAMES.get(short, short.upper() if short.isascii() and len(short) <= 8 else "")
    return known or words(meta.find("booktitle")) or words(paper.find("journal"))
