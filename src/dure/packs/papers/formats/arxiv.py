"""arXiv: the Atom feed of its API (https://info.arxiv.org/help/api/user-manual.html), and its metadata as JSON lines
(https://www.kaggle.com/datasets/Cornell-University/arxiv)."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from io import BytesIO
from typing import Any, BinaryIO

from dure.errors import InvalidInput, ToolError
from dure.packs.papers import TEXTS, data, keys
from dure.packs.papers.formats import reading
from dure.packs.papers.formats.latex import to_text
from dure.packs.papers.formats.reading import Element, Unusable, elements, integer, items, mapping, text, words
from dure.packs.papers.record import PaperRecord, Problem

API = "https://export.arxiv.org/api/query"
_PAUSE = 3.0
"""Seconds between two requests that arXiv asks for."""
_PAGE = 100
_FIELDS: dict[str, str] = {each: field for field, classes in data("formats")["classes"].items() for each in classes}


class ArxivUnavailable(ToolError, code="arxiv_unavailable", status=503, texts=TEXTS):
    """arXiv's API cannot be reached, or refuses."""


def field_of(category: str) -> str:
    """The field of a subject class; the class itself where it is none of those that have one here."""
    category = category.strip().lower()
    return _FIELDS.get(category, category)


def read_atom(stream: BinaryIO, name: str) -> Iterator[PaperRecord | Problem]:
    """The entries of a feed. Raises Unusable."""
    for entry in elements(stream, ("entry",)):
        id = words(entry.find("id")).strip()
        if "/api/errors" in id:
            yield Problem(name, words(entry.find("summary")).strip())
        else:
            yield _of_entry(entry, id)


def _of_entry(entry: Element, id: str) -> PaperRecord:
    category = entry.find("primary_category")
    arxiv = keys.arxiv_id(id)
    return PaperRecord(
        title=to_text(words(entry.find("title"))),
        authors=[words(each.find("name")).replace(",", " ") for each in entry.findall("author")],
        year=integer(words(entry.find("published")).strip()[:4]),
        venue=_venue(words(entry.find("journal_ref"))),
        field=field_of(category.get("term", "") if category is not None else ""),
        abstract=to_text(words(entry.find("summary"))),
        doi=words(entry.find("doi")),
        arxiv_id=arxiv,
        url=f"https://arxiv.org/abs/{arxiv}" if arxiv else "",
    )


def convert(value: dict[str, Any]) -> PaperRecord:
    """A record of one object of the metadata file."""
    arxiv = keys.arxiv_id(text(value.get("id")))
    parsed = items(value.get("authors_parsed"))
    names = [" ".join(filter(None, map(text, [*items(each)[1:2], *items(each)[:1]]))) for each in parsed]
    versions = items(value.get("versions"))
    created = re.search(r"\b(19|20)\d\d\b", text(mapping(versions[0]).get("created"))) if versions else None
    # Without those, one text, parted by commas and "and".
    names = names or [name for name in re.split(r",|\sand\s", text(value.get("authors"))) if name.strip()]
    return PaperRecord(
        title=to_text(text(value.get("title"))),
        authors=[to_text(name).replace(",", " ").strip() for name in names],
        year=int(created.group()) if created else integer(text(value.get("update_date"))[:4]),
        venue=_venue(text(value.get("journal-ref"))),
        field=field_of(text(value.get("categories")).partition(" ")[0]),
        abstract=to_text(text(value.get("abstract"))),
        doi=text(value.get("doi")),
        arxiv_id=arxiv,
        url=f"https://arxiv.org/abs/{arxiv}" if arxiv else "",
    )


def _venue(journal: str) -> str:
    """The journal without volume, pages and year; "arXiv" where there is none."""
    name = re.split(r"[,;(]|\s(?:vol\.?|\d)", " ".join(to_text(journal).split()), maxsplit=1, flags=re.IGNORECASE)[0]
    return name.strip() or "arXiv"


async def fetch(
    ids: Sequence[str] = (), *, query: str = "", limit: int = 100, url: str = API, pause: float = _PAUSE
) -> AsyncIterator[list[PaperRecord | Problem]]:
    """Ask arXiv's API for papers by id, or by a query of its syntax (`all:electron`), page by page.

    limit: the most papers of a query. Waits `pause` seconds between requests, as arXiv asks. An id that arXiv does not
    know is a Problem. Raises InvalidInput for what is no id, ArxivUnavailable.
    """
    wanted = [keys.arxiv_id(id) for id in ids]
    for given, id in zip(ids, wanted, strict=True):
        if not id:
            raise InvalidInput(reason=TEXTS.phrase("formats.no_arxiv", given=given))
    pages = [{"id_list": ",".join(wanted[i : i + _PAGE]), "max_results": _PAGE} for i in range(0, len(wanted), _PAGE)]
    if query.strip():
        starts = range(0, max(0, limit), _PAGE)
        pages += [{"search_query": query, "start": i, "max_results": min(_PAGE, limit - i)} for i in starts]
    for number, page in enumerate(pages):
        if number:
            await asyncio.sleep(pause)
        data = await reading.get(url, page, ArxivUnavailable, pause)
        try:
            found = await asyncio.to_thread(list[PaperRecord | Problem], read_atom(BytesIO(data), "arXiv"))
        except Unusable as error:
            raise ArxivUnavailable(reason=error.args[0]) from None
        if "id_list" in page:
            known = {each.arxiv_id for each in found if isinstance(each, PaperRecord)}
            unknown = [id for id in str(page["id_list"]).split(",") if id not in known]
            found += [Problem(f"arXiv:{id}", TEXTS.phrase("formats.unknown_arxiv")) for id in unknown]
        yield found
        if "search_query" in page and len(found) < int(str(page["max_results"])):
            return
