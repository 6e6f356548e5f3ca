"""Papers and the glossary in the browser: found, read, noted, imported, saved."""

import re

import pytest

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

BIB = """@article{kim2031, title={김치 발효의 그래프 이론},
  author={김두레 and 이나래}, year={2031}, journal={두레 논집},
  abstract={발효가 그래프 위에서 어떻게 번지는지 다룬다.}, url={https://example.com/kimchi}}"""


async def test_papers(serve, visit) -> None:
    page = await visit(await serve(), "#/library")
    await page.wait_for_selector(".paper")
    file = {"name": "mine.bib", "mimeType": "text/plain", "buffer": BIB.encode()}
    await page.locator("input[type=file]").set_input_files(file)
    await expect(page.locator(".toast").last).to_contain_text("새 논문 1편")
    await page.get_by_label("논문에서 찾기").fill("김치 발효의 그래프 이론")
    paper = page.locator(".paper").first
    await expect(paper).to_contain_text("김두레")
    await expect(paper).to_contain_text("2031")
    await paper.locator("summary").click()
    await expect(paper).to_contain_text("어떻게 번지는지")
    await expect(paper.get_by_role("link")).to_have_attribute("href", "https://example.com/kimchi")
    await paper.get_by_role("button", name="메모 남기기").click()
    await page.get_by_role("dialog").get_by_role("textbox").fill("다시 볼 것")
    await page.get_by_role("dialog").get_by_role("button", name="저장").click()
    await expect(paper.locator(".notes")).to_contain_text("다시 볼 것")
    await paper.get_by_role("button", name="꼬리표").click()
    await page.get_by_role("dialog").get_by_role("textbox").fill("발효, 그래프")
    await page.get_by_role("dialog").get_by_role("button", name="저장").click()
    await expect(paper.locator(".tags .mark")).to_have_text(["그래프", "발효"])
    await paper.get_by_role("button", name="메모 지우기").click()
    await expect(paper.locator(".notes")).to_have_count(0)
    await paper.get_by_role("button", name="읽기").click()
    await expect(page.locator("#panel .source-text")).to_contain_text("김치 발효")
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="모두 BibTeX로 저장").click()
    assert "김치 발효" in (await (await saved.value).path()).read_text()


async def test_pdfs_are_papers_too_and_what_is_none_is_named(serve, visit, make_pdf) -> None:
    page = await visit(await serve(), "#/library")
    await page.wait_for_selector(".paper")
    async with page.expect_file_chooser() as chosen:
        await page.get_by_role("button", name="논문 넣기 (PDF, 참고문헌)").click()
    files = {"a.pdf": make_pdf([[(22, "Drawing the Wind"), (11, "Ada Lovelace")]]), "b.pdf": b"no paper"}
    given = [{"name": name, "mimeType": "application/pdf", "buffer": data} for name, data in files.items()]
    await (await chosen.value).set_files(given)
    await expect(page.locator(".toast", has_text="새 논문 1편")).to_be_visible()
    await expect(page.locator(".toast", has_text="b.pdf")).to_be_visible()
    await page.get_by_label("논문에서 찾기").fill("Drawing the Wind")
    await expect(page.locator(".paper").first).to_contain_text("Ada Lovelace")


async def test_the_glossary(serve, visit) -> None:
    page = await visit(await serve(), "#/library/glossary")
    await page.wait_for_selector(".row")
    await page.get_by_role("button", name="용어 추가").click()
    await expect(page.get_by_label(re.compile("^용어")).last).to_be_focused()
    save = page.get_by_role("button", name="저장", exact=True)
    field = await page.get_by_label(re.compile("^뜻")).bounding_box()
    assert (await save.bounding_box())["y"] > field["y"] + field["height"] + 8
    await save.click()
    await expect(page.get_by_role("alert").first).not_to_be_empty()
    await page.get_by_label(re.compile("^용어")).last.fill("두레질")
    await page.get_by_label(re.compile("^뜻")).fill("물을 함께 퍼 올리는 일")
    await page.get_by_role("button", name="저장", exact=True).click()
    await expect(page.get_by_label(re.compile("^뜻"))).to_have_count(0)
    await page.get_by_label("용어에서 찾기").fill("두레질")
    await expect(page.locator(".row")).to_have_count(1)
    await expect(page.locator(".row")).to_contain_text("물을 함께 퍼 올리는 일")
    await page.get_by_role("button", name="‘두레질’ 지우기").click()
    await page.get_by_role("dialog").get_by_role("button", name="삭제").click()
    await expect(page.locator(".row")).to_have_count(0)
