"""The bundled Korean face: it comes when the page stands, with figures of one width."""

from pathlib import Path

import pytest
from page_still import still

pytestmark = pytest.mark.asyncio(loop_scope="session")

STATIC = Path(__file__).parents[2] / "src/dure/web/static"
LOADED = """async () => {
  await new Promise((done) => { const look = () => document.fonts.size ? done() : setTimeout(look, 20); look(); });
  await document.fonts.load('400 16px Pretendard', '가');
  await document.fonts.ready;
  return [...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.weight);
}"""
WIDTHS = """() => {
  const cell = document.createElement('span');
  cell.style.fontVariantNumeric = 'tabular-nums';
  document.body.append(cell);
  return [...'0123456789'].map((each) => ((cell.textContent = each.repeat(20)), cell.getBoundingClientRect().width));
}"""


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_the_face_comes_and_its_figures_stand_under_each_other(serve, visit, locale) -> None:
    url = await serve()
    page = await visit(url, locale=locale)
    assert "100 500" in await page.evaluate(LOADED)
    assert len(set(await page.evaluate(WIDTHS))) == 1
    asked = await page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    fonts = [each for each in asked if each.endswith(".woff2")]
    assert all(each.startswith(f"{url}/static/") for each in fonts)
    reply = await page.request.get(fonts[0])
    assert reply.headers["content-type"] == "font/woff2"
    assert "immutable" in reply.headers["cache-control"]


async def test_who_spares_data_keeps_the_system_s_face(serve, visit) -> None:
    page = await visit(await serve(), "#/sessions")
    await page.add_init_script("Object.defineProperty(navigator, 'connection', {value: {saveData: true}})")
    await page.reload()
    await page.wait_for_selector("html[data-ready]")
    await still(page)
    assert await page.evaluate("document.fonts.size") == 0


ADVANCES = """async ([face, syllables]) => {
  await document.fonts.load(`${face} 100px Pretendard`, '가');
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `${face} 100px Pretendard, monospace`;
  const bundled = [...new Set([...syllables].map((each) => pen.measureText(each).width))];
  pen.font = `${face} 100px monospace`;
  return [bundled, pen.measureText('가').width];
}"""


async def test_every_syllable_of_the_page_and_of_ks_x_1001_is_in_it(serve, visit) -> None:
    """All of them are as wide as each other, and another face's are not."""
    syllables = [bytes([row, cell]).decode("euc_kr") for row in range(0xB0, 0xC9) for cell in range(0xA1, 0xFF)]
    assert len(syllables) == 2350
    words = [each for each in (STATIC / "i18n/ko.json").read_text() if "가" <= each <= "힣"]
    page = await visit(await serve())
    await page.evaluate(LOADED)
    for weight in (400, 700):
        bundled, other = await page.evaluate(ADVANCES, [weight, "".join(syllables + words)])
        assert len(bundled) == 1
        assert bundled != [other]
