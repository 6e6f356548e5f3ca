"""Records brought into the form in which they are stored and compared."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from dure.packs.papers import TEXTS, keys
from dure.packs.papers.record import ET_AL, PaperRecord, Problem

_TITLE, _TEXT, _AUTHORS, _REFERENCES = 1000, 20_000, 3000, 5000
_OTHERS = {"et al", "others", "and others"}


def normal(record: PaperRecord) -> PaperRecord | None:
    """The record with clean texts, names in reading order and bare ids; None for one without a title.

    Whatever is no id, no year or no count is left out rather than kept wrong.
    """
    title = keys.one_line(record.title)[:_TITLE].strip()
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
        url=_url(record.url),
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


def _url(url: str) -> str:
    """Addresses of the web only: they are shown as links."""
    url = keys.one_line(url)
    return url if url.startswith(("http://", "https://")) and len(url) <= 2000 and " " not in url else ""
