"""What the first view asks for: little, all of it at once, and from the server alone (`visit` checks that)."""

import pytest
from page_still import still, watched

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_few_bytes_and_no_file_after_another(serve, browser) -> None:
    url = await serve()
    context = await browser.new_context(locale="ko-KR")
    page = watched(await context.new_page())
    wire = await context.new_cdp_session(page)
    await wire.send("Network.enable")
    requests: dict[str, str] = {}
    got: dict[str, float] = {}
    wire.on("Network.requestWillBeSent", lambda event: requests.update({event["requestId"]: event["request"]["url"]}))
    wire.on("Network.loadingFinished", lambda event: got.update({event["requestId"]: event["encodedDataLength"]}))
    await page.goto(url)
    await page.wait_for_selector(".example")
    await page.wait_for_function("document.fonts.size")
    await still(page)
    # When the page stands, the Korean face comes, and what draws approvals and the work.
    every = list(requests.values())
    asked = every[: next(n for n, each in enumerate(every) if "/face/" in each)]
    assert 2 <= len(every) - len(asked) <= 9
    assert "/js/approval.js" in every[len(asked) + 1]
    sizes = [size for key, size in got.items() if requests[key] in asked]
    index = await (await page.request.get(url)).text()
    files = [each.removeprefix(f"{url}/") for each in asked if "/static/" in each]
    # The page itself names what it needs, but for the words of the language.
    assert [each for each in files if each not in index and "/i18n/" not in each] == []
    assert len(files) == len(set(files))
    assert len(asked) <= 9
    assert 10_000 < sum(sizes) <= 80 * 1024
    # A second visit asks for the page and the data anew, not for what stands under a name of its own.
    await page.reload()
    await page.wait_for_selector(".example")
    cached = await page.evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('/static/')).map((e) => e.transferSize)"
    )
    assert cached
    assert not any(cached)
    await context.close()
