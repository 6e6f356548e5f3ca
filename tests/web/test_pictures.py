"""The states that the documentation shows, as they are: what they say and how they look is compared with what is kept
beside the pictures, no word of the other language stands in any, and axe-core finds nothing. After a change that is
meant: `python benchmarks/screenshots.py`."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from fixtures.axe import AXE, faults

pytest.importorskip("playwright.async_api", reason="needs the package playwright")
import screenshots

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEPT = Path(__file__).parents[2] / "docs/pictures"
STATES = {each.name: each for each in screenshots.STATES}
BLOCK = 40
"""Pixels of the squares whose mean colours are compared: letters may be drawn otherwise, but not stand elsewhere."""
OFF = 24
"""Of 255, how far the colour of a square may be off."""
SHARE = 0.03
"""Of the squares that may be further off: times and the like."""
HANGUL = re.compile("[가-힣]")
LATIN = re.compile(r"[A-Za-z][A-Za-z_]+")
# What people, documents and models said, and names: not the page's own words.
CONTENT = (
    ".bubble, .md, .source-text, .pre, pre, code, math, mark, q, textarea, input, .paper, .recent, .file-chip, .mail, "
    ".source > h2, .page-figure, .row-title strong, .row-main strong, .example, .activity-call .asked, .prompt, "
    ".plan-step p, .row-main > p, .row-main > strong + small, .waiting-entry > a"
)
WORDS = """(content) => {
  const found = [];
  const own = (node) => node && !node.closest(content) && node.checkVisibility();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (own(walker.currentNode.parentElement)) found.push(walker.currentNode.data.trim());
  for (const each of document.querySelectorAll('[aria-label], [title], [placeholder]'))
    if (own(each)) for (const name of ['aria-label', 'placeholder']) found.push(each.getAttribute(name) ?? '');
  return [...new Set(found)].filter(Boolean);
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    async with screenshots.filled(tmp_path_factory.mktemp("pictures")) as place:
        yield place


@pytest.mark.parametrize("name", STATES)
async def test_a_state_is_as_it_is_shown(browser: Any, place: Any, name: str) -> None:
    page = await screenshots.opened(browser, place, STATES[name], bypass_csp=True)
    try:
        said, drawn = await screenshots.spoken(page), await screenshots.picture(page)
        found = await page.evaluate(WORDS, CONTENT)
        assert said == json.loads((KEPT / "states.json").read_text())[name]
        assert different((KEPT / f"{name}.png").read_bytes(), drawn) <= SHARE
        assert foreign(found, korean=STATES[name].locale == "ko-KR") == []
        if AXE.is_file():
            assert await faults(page) == []
    finally:
        await page.context.close()


def different(kept: bytes, drawn: bytes) -> float:
    """The share of squares whose colours are off."""
    one, other = (_squares(each) for each in (kept, drawn))
    assert one.shape == other.shape
    return float((np.abs(one - other).max(axis=2) > OFF).mean())


def _squares(data: bytes) -> Any:
    from PIL import Image

    picture = Image.open(io.BytesIO(data)).convert("RGB")
    size = (picture.width // BLOCK, picture.height // BLOCK)
    return np.asarray(picture.resize(size, Image.Resampling.BOX), np.int16)


# Of formats, keys, makers, settings, addresses and currencies, and what the filled server calls its own.
NAMES = {
    *(
        "English",
        "Language",
        "Enter",
        "Shift",
        "JSON",
        "Markdown",
        "Parquet",
        "PDF",
        "HWP",
        "DOCX",
        "XLSX",
        "PPTX",
        "ODT",
    ),
    *("EML", "ZIP", "HTML", "CSV", "PNG", "JPEG", "TIFF", "Word", "BibTeX", "MCP", "API", "SQL", "USD", "KB", "MB"),
    *("OpenAI", "SQLite", "DURE_EMBEDDINGS", "DURE_MCP_CONFIG", "DURE_TOOL_DIALECT", "scripted", "openai", "native"),
    *("http", "python", "kim", "employee_handbook"),
}
TITLES = ("인사 규정", "매출", "여울박스 자주 묻는 질문", "정보보안 지침")


def foreign(texts: list[str], *, korean: bool) -> list[str]:
    """Of the page's own words those of the other language, and names that no person uses."""
    data = [*screenshots.MESSAGES, *TITLES, *(path.stem for path in screenshots.DOCUMENTS.iterdir())]
    own = [each for each in texts if not any(each in other or other in each for other in data)]
    if korean:
        return [each for each in own if set(LATIN.findall(each)) - NAMES]
    return [each for each in own if HANGUL.search(each) and each != "한국어"]
