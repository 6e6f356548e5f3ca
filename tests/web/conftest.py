"""The page in a real browser: Chromium as the system has it, driven by Playwright; one browser, a context per test.

Without a window if there is that Chromium: to open a page takes it a third of the CPU."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from fixtures.authority import Authority, guarded
from page_still import still, watched

from dure import Dure
from dure.testing import ScriptedServer, served

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

Serve = Callable[..., Awaitable[str]]
Visit = Callable[..., Awaitable["Page"]]
_OWN, _WHOLE = os.environ.get("DURE_TEST_CHROMIUM"), shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM = _OWN or shutil.which("chromium-headless-shell") or _WHOLE
_PATIENCE = 30_000
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--disable-component-update"]
# Letters as wide as their face says, which the shell would round to whole pixels.
_FLAGS += ["--font-render-hinting=none"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the browser is slow."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def launch() -> AsyncIterator[Callable[[str | None], Awaitable["Browser"]]]:
    """`browser = await launch(path)`, which is closed at the end; skips where there is none."""
    if find_spec("playwright") is None:
        pytest.skip("the page is tested with the package playwright (extra dev)")
    from playwright.async_api import async_playwright, expect

    # As long as clicks and the like wait: other programs may hold the machine up.
    expect.set_options(timeout=_PATIENCE)
    async with async_playwright() as driver, AsyncExitStack() as stack:

        async def start(path: str | None) -> "Browser":
            if path is None:
                given = "apt-get install chromium chromium-headless-shell, or name one in DURE_TEST_CHROMIUM"
                pytest.skip(f"the page is tested in Chromium: {given}")
            opened = await driver.chromium.launch(executable_path=path, args=_FLAGS)
            stack.push_async_callback(opened.close)
            return opened

        yield start


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(launch: Callable[[str | None], Awaitable["Browser"]]) -> "Browser":
    return await launch(CHROMIUM)


@pytest_asyncio.fixture(loop_scope="session")
async def whole(launch: Callable[[str | None], Awaitable["Browser"]]) -> "Browser":
    """With all that has a window elsewhere, such as what installs a page."""
    return await launch(_OWN or _WHOLE)


@pytest_asyncio.fixture(loop_scope="session")
async def serve(tmp_path: Path, migrated: Callable[..., None]) -> AsyncIterator[Serve]:
    """`url = await serve(scripted, teams=[…])`: a server that answers with a scripted model."""
    async with AsyncExitStack() as stack:

        async def start(scripted: ScriptedServer | None = None, **settings: Any) -> str:
            given: dict[str, Any] = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
            given |= {"port": 0, "model_base_url": scripted.url if scripted else "http://127.0.0.1:9/v1"}
            given |= settings
            migrated(Path(given["data_dir"]), given)
            return await stack.enter_async_context(served(Dure(**given)))

        yield start


@pytest_asyncio.fixture(loop_scope="session")
async def authority() -> AsyncIterator[Authority]:
    """As elsewhere, in the event loop of these tests."""
    async with guarded() as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: "Browser", serve: Serve) -> AsyncIterator[Visit]:
    """`page = await visit(url, "#/runs", locale="en-US")`: a page in a context of its own, ready for use.

    At the end of the test: no script failed, nothing broke the Content-Security-Policy, and no request went elsewhere.
    leads_to: another server, to which the page sends the browser.
    Depends on `serve` so that pages are closed before their server.
    """
    faults: list[str] = []
    contexts = []

    async def open_one(
        url: str, place: str = "", context: Any = None, team: str = "desk", leads_to: str = "", **options: Any
    ) -> "Page":
        if context is None:
            given = {"locale": "ko-KR", "viewport": {"width": 1200, "height": 800}, "reduced_motion": "reduce"}
            given["service_workers"] = "block"
            context = await browser.new_context(**(given | options))
            context.set_default_timeout(_PATIENCE)
            chosen = f'{{"team": "{team}"}}'
            await context.add_init_script(f"if (location.host) localStorage['dure.choices'] ??= '{chosen}'")
            contexts.append(context)
        page = watched(await context.new_page())
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("console", lambda said: "Security Policy" in said.text and faults.append(f"policy: {said.text}"))
        page.on("request", lambda asked: _is_foreign(asked.url, url, leads_to) and faults.append(f"left: {asked.url}"))
        await page.goto(f"{url}/{place}")
        await page.wait_for_selector("html[data-ready]")
        return page

    yield open_one
    for each in contexts:
        await each.close()
    assert faults == []


def _is_foreign(asked: str, url: str, leads_to: str) -> bool:
    return not asked.startswith((url + "/", f"blob:{url}/", "data:", (leads_to or url) + "/"))


@pytest.fixture
def arrive() -> Callable[[Any, str, str], Awaitable[None]]:
    """`await arrive(page, "#/runs", "h1")`: at a place of the page, when it has drawn what is wanted there.

    What the view before drew stands until the next one is loaded; that is not taken for it.
    """

    async def arrived(page: Any, place: str, wanted: str) -> None:
        stale = "document.querySelectorAll('#view *').forEach((each) => each.setAttribute('data-before', ''))"
        await page.evaluate(stale)
        await page.goto(f"{page.url.split('#')[0]}{place}")
        await page.wait_for_selector(f"#view :is({wanted}):not([data-before])")
        await still(page)

    return arrived
