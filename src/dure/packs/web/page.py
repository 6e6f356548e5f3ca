"""`fetch_page`: the text of a web page, as a passage that the answer can cite."""

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from dure.errors import Language
from dure.knowledge.parse import Unreadable, clean
from dure.knowledge.parse.encoding import declared, decode, is_binary
from dure.knowledge.parse.parsed import one_line
from dure.knowledge.sentences import cut_at
from dure.packs.web import TEXTS
from dure.packs.web.extract import MAX_CHARS, SECONDS, extract
from dure.packs.web.fetch import Fetched, Fetcher
from dure.packs.web.problems import PageUnreadable
from dure.sources import Passage
from dure.tooling import Outgoing, Tool, ToolContext, ToolResult, an_object, in_thread

WINDOW: Final = 6000
"""Characters of a page that one call gives."""
_KEPT: Final = 8
_KEPT_SECONDS: Final = 600.0

_DESCRIPTION = (
    "Read a web page: its main text, which can be cited. Long pages come in parts: the result says which `start` "
    "gives the next."
)
_PARAMETERS: Final = an_object(
    {
        "url": {"type": "string", "minLength": 1, "description": "http(s) address"},
        "start": {"type": "integer", "minimum": 0, "description": "character to read on from; 0 at first"},
    },
    "start",
)
_NOTES = TEXTS["page.notes"]


@dataclass(frozen=True, slots=True)
class Page:
    url: str
    title: str
    date: str
    text: str
    media_type: str

    @property
    def id(self) -> str:
        """Stands for the page with just this text: offsets into it stay true when the page changes."""
        return "web:" + hashlib.sha256(f"{self.url}\0{self.text}".encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class PageReader:
    """Fetches pages and reads their text; at most two are read at once."""

    fetcher: Fetcher
    seconds: float = SECONDS
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    async def read(self, url: str, language: Language = "en") -> Page:
        """The page at `url`. Raises the errors of `problems.py`."""
        fetched = await self.fetcher.fetch(url, language)
        text = await in_thread(lambda: _decoded(fetched))
        title = date = ""
        if fetched.is_html:
            async with self._turns:
                found = await extract(text, self.seconds)
            title, date, text = found["title"], found["date"], found["text"]
        text = await in_thread(lambda: clean(text[:MAX_CHARS]))
        if not any(c.isalnum() for c in text):
            raise PageUnreadable("no_text")
        title = one_line(title) or urlsplit(fetched.url).netloc
        return Page(fetched.url, title, date, text, fetched.media_type)


def page_tool(reader: PageReader, *, window: int = WINDOW) -> Tool:
    """The tool `fetch_page` {url, start?}: at most `window` characters a call."""
    kept: OrderedDict[tuple[str, str, str], tuple[float, Page]] = OrderedDict()

    async def page_of(url: str, context: ToolContext) -> Page:
        """The page; within a run a page is read on from what came first."""
        key = (context.owner, context.run_id, url)
        then, page = kept.get(key, (0.0, None))
        if page is not None and time.monotonic() - then < _KEPT_SECONDS:
            return page
        page = await reader.read(url, context.language)
        kept[key] = (time.monotonic(), page)
        while len(kept) > _KEPT:
            kept.popitem(last=False)
        return page

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        start = int(args.get("start", 0))
        page = await page_of(args["url"].strip(), context)
        if start >= len(page.text):
            raise PageUnreadable("beyond", length=len(page.text))
        end = cut_at(page.text, start, window)
        passage = Passage(page.id, page.title, None, start, end, page.text[start:end], url=page.url)
        place = {"start": start, "end": end, "length": len(page.text)}
        notes = {"date": page.date, "part": end - start < len(page.text), "next": end < len(page.text)}
        said = [_NOTES[each][context.language].format(date=page.date, **place) for each in notes if notes[each]]
        found = {"url": page.url, "title": page.title, "date": page.date, "media_type": page.media_type, **place}
        return ToolResult("\n".join(said), passages=[passage], data=found)

    outgoing: dict[str, Outgoing] = {"url": "address"}
    return Tool("fetch_page", _DESCRIPTION, _PARAMETERS, run, untrusted=True, outgoing=outgoing, needs="trafilatura")


def _decoded(fetched: Fetched) -> str:
    """The body as text: by the server's word, else the page's own, else by what the bytes look like."""
    named, own = fetched.charset, declared(fetched.body, is_html=fetched.is_html)
    # Servers name Latin-1 by default, for pages in any encoding.
    if own and (named is None or re.sub("[^a-z0-9]", "", named.lower()) in ("iso88591", "latin1", "usascii")):
        named = own
    if is_binary(fetched.body):
        raise PageUnreadable("kind", found=fetched.media_type or "?")
    try:
        return decode(fetched.body, named)
    except Unreadable:
        raise PageUnreadable("kind", found=fetched.media_type or "?") from None
