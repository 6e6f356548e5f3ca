"""When a page stands still. That it asked for nothing for half a second, which Playwright waits for once a document, is
no sign of it: a busy machine takes longer from one thing to the next."""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from playwright.async_api import Page

_FRAMES = 3
_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
_ASKED: "WeakKeyDictionary[Page, set[Any]]" = WeakKeyDictionary()


def watched(page: "Page") -> "Page":
    """The page, of which is noted from here on what it asks for."""
    asked = _ASKED[page] = set()
    page.on("request", lambda request: asked.add(request))
    for ended in ("requestfinished", "requestfailed"):
        page.on(ended, lambda request: asked.discard(request))
    return page


async def still(page: "Page") -> None:
    """Until a page that is `watched` has got all that it asked for, drawn it, and asks for nothing because of it."""
    frames = 0
    while frames < _FRAMES:
        await page.evaluate(_DRAWN)
        frames = 0 if _ASKED[page] else frames + 1
