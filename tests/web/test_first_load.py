"""What the first view asks for: little, and from the server alone (`visit` checks that)."""

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_few_requests_and_few_bytes(serve, browser) -> None:
    url = await serve()
    context = await browser.new_context(locale="ko-KR")
    page = await context.new_page()
    wire = await context.new_cdp_session(page)
    await wire.send("Network.enable")
    asked: list[str] = []
    sizes: list[float] = []
    wire.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    await page.goto(url)
    await page.wait_for_selector(".example")
    await page.wait_for_load_state("networkidle")
    assert len([each for each in asked if not each.startswith("data:")]) <= 8
    assert 10_000 < sum(sizes) <= 100 * 1024
    # A second visit asks for the page and the data anew, not for what stands under a name of its own.
    asked.clear()
    await page.reload()
    await page.wait_for_selector(".example")
    cached = await page.evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('/static/')).map((e) => e.transferSize)"
    )
    assert cached
    assert not any(cached)
    await context.close()
