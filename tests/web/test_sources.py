"""From a citation's number to the sentence in its document."""

import io
import re
from pathlib import Path

import httpx
import openpyxl
import pytest
from page_still import still

from dure import Agent, Team
from dure.knowledge.parse import ocr
from dure.testing import ScriptedServer, call, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

COMPANY = Path(__file__).parents[2] / "benchmarks/data/company"
# A character beyond the basic plane before the sentence: offsets count characters.
RULES = "인사 규정 😀\n\n출장비는 하루 5만원이다.\n\n연차휴가는 1년에 15일이다.\n\n병가는 60일까지 준다."


def team() -> Team:
    agent = Agent(name="clerk", description="x", tools=["search_knowledge_base"])
    return Team(name="desk", kind="solo", description="x", agents=[agent])


def pdf(*pages: str) -> bytes:
    """A PDF with a line of Latin text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for n, text in enumerate(pages):
        content = f"BT /F1 14 Tf 60 700 Td ({text}) Tj ET"
        page = f"/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * n} 0 R"
        objects += [f"<</Type/Page{page}>>", f"<</Length {len(content)}>>stream\n{content}\nendstream"]
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj{each}endobj\n".encode())
    start = out.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer<</Size {len(places) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


async def upload(page, name: str, data: bytes) -> None:
    await page.goto(f"{page.url.split('#')[0]}#/documents")
    await page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    await expect(page.locator(f".row:has-text('{name}') .mark")).to_have_text("준비됨")


async def asked(page, message: str) -> None:
    await page.goto(f"{page.url.split('#')[0]}#/")
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")
    await page.wait_for_selector(".md.finished")


async def test_a_citation_opens_its_document_at_the_sentence(serve, visit) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가 일수"]), say("연차휴가는 1년에 15일입니다. [1]")
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "규정.txt", RULES.encode())
        await asked(page, "연차휴가는 며칠이야?")
        await page.locator(".answer button.cite").hover()
        await expect(page.get_by_role("tooltip")).to_contain_text("연차휴가는 1년에 15일이다.")
        await page.locator(".answer button.cite").click()
        await expect(page.get_by_role("tooltip")).to_have_count(0)
        await expect(page.locator("#panel mark")).to_have_text("연차휴가는 1년에 15일이다.")
        await expect(page.locator("#panel mark")).to_be_in_viewport()
        assert "병가는 60일까지" in await page.inner_text("#panel .source-text")
        await page.keyboard.press("Escape")
        await expect(page.locator("#panel")).to_be_hidden()
        await expect(page.locator(".answer button.cite")).to_be_focused()
        # Wherever one is; but not what closes something else.
        await page.locator(".answer button.cite").click()
        await page.get_by_label("메시지").press_sequentially("@")
        await expect(page.get_by_role("listbox")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("listbox")).to_have_count(0)
        await expect(page.locator("#panel")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#panel")).to_be_hidden()


async def test_a_cited_document_is_shown_as_it_is_read(serve, visit) -> None:
    """Headings and tables as such, and the sentence or row marked at its place."""
    text = "# 핸드북 😀\n\n## 1. 휴가\n\n- 연차는 입사 첫해 15일입니다.\n- 병가는 10일입니다.\n\n## 2. 장비 <b>\n\n"
    text += "| 항목 | 한도 |\n| --- | --- |\n| 노트북 | 3,200,000원 |\n| 도서 | 50,000원 |\n\n한도를 넘으면 묻습니다."
    told = say("연차는 입사 첫해 15일입니다 [1]. 노트북 한도는 3,200,000원입니다 [1].")
    async with ScriptedServer(call("search_knowledge_base", queries=["연차 첫해", "노트북 한도"]), told) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "핸드북.md", text.encode())
        await asked(page, "연차와 노트북 한도는?")
        await page.locator(".answer button.cite").first.click()
        shown = page.locator("#panel .source-text")
        await expect(shown.locator("mark")).to_have_text(re.compile("연차는 입사 첫해 15일입니다"))
        await expect(shown.locator("h3, h4")).to_have_text(["핸드북 😀", "1. 휴가", "2. 장비 <b>"])
        await expect(shown.locator("th")).to_have_text(["항목", "한도"])
        await expect(shown.locator("tbody td")).to_have_text(["노트북", "3,200,000원", "도서", "50,000원"])
        await expect(shown).not_to_contain_text("#")
        await expect(shown).not_to_contain_text("|")
        await expect(shown).to_contain_text("한도를 넘으면")
        await page.locator(".answer button.cite").last.click()
        await expect(shown.locator("td mark")).to_have_text(["노트북", "3,200,000원"])
        await expect(shown.locator("td mark").first).to_be_in_viewport()


async def test_around_a_sentence_stand_whole_words(serve, visit) -> None:
    around = [f"FEST-{n} holds {n} outdoor festivals." for n in range(300, 900)]
    text = " ".join([*around[:300], "Travel costs 50 dollars per day.", *around[300:]])
    steps = call("search_knowledge_base", queries=["travel costs"]), say("It costs 50 dollars per day. [1]")
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "rules.txt", text.encode())
        await asked(page, "What does travel cost per day?")
        await page.locator(".source-chip").click()
        await expect(page.locator("#panel mark")).to_have_text(re.compile("50 dollars per day"))
        before, *shown, after = (await page.inner_text("#panel .source-text")).split()
    assert (before, after) == ("…", "…")
    assert set(shown) <= set(text.split())


# The elements that hold marks, with what is marked, where characters 4 to 11 of a text are cited.
HEADS = """async (text) => {
  const { html, render } = await import("./static/js/preact.js");
  const { Marked } = await import("./static/js/views/marked.js");
  const [host, parts] = [document.createElement("div"), [text.slice(0, 4), text.slice(4, 11), text.slice(11)]];
  render(html`<${Marked} before=${parts[0]} cited=${parts[1]} after=${parts[2]} />`, host);
  return [...host.querySelectorAll("mark")].map((each) => `${each.parentElement.localName} ${each.textContent}`);
}"""


async def test_a_table_has_its_heads_once(serve, visit) -> None:
    """What is cited of them is marked in them; a row that leaves a cell empty stands in the same table."""
    from docx import Document

    written = Document()
    written.add_paragraph("대여료는 아래와 같다.")
    rows = [("품목", "수량", "비용"), ("LED 화면", "1", "900,000"), ("합계", "", "1,200,000")]
    table = written.add_table(rows=3, cols=3)
    for line, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(line.cells, cells, strict=True):
            cell.text = text
    written.add_paragraph("견적은 한 달 동안 유효하다.")
    written.save(word := io.BytesIO())
    told = say("견적은 한 달 동안 유효합니다 [1].")
    async with ScriptedServer(call("search_knowledge_base", queries=["견적 유효"]), told) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "견적.docx", word.getvalue())
        await asked(page, "견적은 언제까지 유효해?")
        await page.locator(".answer button.cite").first.click()
        shown = page.locator("#panel .source-text")
        await expect(shown.locator("mark")).to_contain_text("유효하다")
        await expect(shown.locator("th")).to_have_text(["품목", "수량", "비용"])
        await expect(shown.locator("td")).to_have_text(["LED 화면", "1", "900,000", "합계", "", "1,200,000"])
        await expect(shown).not_to_contain_text("|")
        # A citation of nothing but the heads.
        text = "대여료\n품목 | 수량\n품목: 막 | 수량: 2"
        drawn = await page.evaluate(HEADS, text)
        assert drawn == ["th 품목", "th 수량"]


async def test_of_a_pdf_the_page_is_shown(serve, visit) -> None:
    data = pdf("The first page has nothing.", "Travel costs 50 dollars per day.", "The last page.")
    steps = call("search_knowledge_base", queries=["travel costs"]), say("It costs 50 dollars per day. [1]")
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "rules.pdf", data)
        await asked(page, "What does travel cost per day?")
        await page.locator(".source-chip").click()
        picture = page.locator("#panel img")
        await expect(picture).to_have_attribute("alt", re.compile("rules, 2쪽"))
        await expect(picture).to_have_js_property("complete", True)
        await expect(picture).not_to_have_js_property("naturalWidth", 0)
        await expect(page.locator("#panel mark")).to_have_text(re.compile("50 dollars per day"))
        await page.get_by_label("다음 쪽").click()
        await expect(page.locator(".page-number")).to_have_text("3 / 3")
        await expect(page.get_by_label("다음 쪽")).to_be_disabled()


async def test_beside_the_answer_stand_its_work_its_sources_and_its_files(serve, visit) -> None:
    steps = (
        call("search_knowledge_base", queries=["연차휴가 병가"]),
        say("연차휴가는 1년에 15일입니다. [1]\n\n병가는 60일까지 줍니다. [1]"),
    )
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "규정.txt", RULES.encode())
        await asked(page, "연차휴가와 병가는?")
        await page.get_by_role("button", name="작업", exact=True).click()
        call_line = page.locator("#panel .activity-call summary")
        await expect(call_line).to_contain_text("문서 검색 연차휴가 병가")
        # All on one line.
        assert (await call_line.bounding_box())["height"] < 40
        await page.locator(".side-tab:has-text('출처')").click()
        await expect(page.locator(".side-sources section")).to_have_count(1)
        await page.locator(".source-row").first.click()
        await expect(page.locator("#panel mark")).to_contain_text("연차휴가는")
        await page.get_by_label("다음 출처").click()
        await expect(page.locator("#panel mark")).to_contain_text("병가는")
        await page.locator(".side-tab:has-text('파일')").click()
        await expect(page.locator("#panel")).to_contain_text("만든 파일이 없습니다")
        await page.get_by_label("닫기").click()
        await expect(page.get_by_role("button", name="작업", exact=True)).to_be_focused()


async def test_with_an_answer_go_the_sources_beside_it(serve, visit) -> None:
    """Of another answer, which stays, they stay."""
    found = [call("search_knowledge_base", queries=["연차휴가 일수"]), say("연차휴가는 1년에 15일입니다. [1]")]
    async with ScriptedServer(*found, *found, say("안녕하세요."), say("반갑습니다.")) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "규정.txt", RULES.encode())
        panel, box = page.locator("#panel"), page.get_by_label("메시지")
        await asked(page, "연차휴가는 며칠이야?")
        await box.fill("다시 물을게. 연차휴가는 며칠이야?")
        await box.press("Enter")
        await expect(page.locator(".answer .source-chip")).to_have_count(2)
        await page.locator(".source-chip").last.click()
        await expect(panel.locator("mark")).to_contain_text("연차휴가는")
        for n, (message, answer) in enumerate((("안녕?", "안녕하세요."), ("반가워", "반갑습니다."))):
            await page.locator(".question").last.hover()
            await page.locator(".question").last.get_by_label("고쳐서 다시 묻기").click()
            await box.fill(message)
            await box.press("Enter")
            await expect(page.locator(".md.finished").last).to_have_text(answer)
            if n == 0:
                await expect(panel).to_be_hidden()
                await page.locator(".source-chip").click()
        await expect(panel.locator("mark")).to_contain_text("연차휴가는")


async def test_of_a_deleted_document_the_sentence_is_left(serve, visit) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가 일수"]), say("연차휴가는 1년에 15일입니다. [1]")
    async with ScriptedServer(*steps) as scripted:
        url = await serve(scripted, teams=[team()])
        page = await visit(url)
        await upload(page, "규정.txt", RULES.encode())
        await asked(page, "연차휴가는 며칠이야?")
        async with httpx.AsyncClient(base_url=url) as client:
            for each in (await client.get("/v1/documents")).json()["documents"]:
                await client.delete(f"/v1/documents/{each['id']}")
        await page.locator(".source-chip").click()
        await expect(page.locator("#panel mark")).to_have_text("연차휴가는 1년에 15일이다.")
        await expect(page.locator("#panel")).to_contain_text("더 이상 없습니다")


async def test_a_cited_row_is_marked_in_its_table(serve, visit) -> None:
    """With the heads of its columns, though the text around begins in the middle of the sheet."""
    rows = "\n".join(f"{n}월,지점{n:03d},{n * 1000}" for n in range(1, 200))
    told = say("지점150의 매출은 150000입니다.")
    steps = [call("search_knowledge_base", queries=["지점150 매출"]), told]
    async with ScriptedServer(*steps) as scripted:
        page = await visit(await serve(scripted, teams=[team()]))
        await upload(page, "매출.csv", f"월,지점,매출\n{rows}\n".encode())
        await asked(page, "지점150의 매출은?")
        await page.locator("button.cite").first.click()
        marked = page.locator("#panel tr.marked")
        await expect(marked).to_have_count(1)
        await expect(marked.locator("td")).to_have_text(["150월", "지점150", "150000"])
        await expect(page.locator("#panel thead th")).to_have_text(["월", "지점", "매출"])
        await expect(marked).to_be_in_viewport()


async def test_a_sheet_is_told_by_its_name(serve, visit) -> None:
    """Below the answer, at its number, beside it, and where it is read, printed or shared; to programs too."""
    book = openpyxl.Workbook()
    book.active.append(["월", "매출"])
    for row in (["월", "매출"], ["9월", 4200]):
        (book["하반기"] if "하반기" in book else book.create_sheet("하반기")).append(row)
    data = io.BytesIO()
    book.save(data)
    steps = [call("search_knowledge_base", queries=["9월 매출"]), say("9월 매출은 4200입니다. [1]")]
    async with ScriptedServer(*steps) as scripted:
        url = await serve(scripted, teams=[team()])
        page = await visit(url)
        await upload(page, "매출.xlsx", data.getvalue())
        await asked(page, "9월 매출은?")
        await expect(page.locator(".source-chip small")).to_have_text("시트 '하반기'")
        await page.locator(".answer button.cite").hover()
        await expect(page.get_by_role("tooltip").locator("small")).to_have_text("시트 '하반기'")
        await page.locator(".answer button.cite").click()
        await expect(page.locator("#panel h2 + small")).to_have_text("시트 '하반기'")
        session = page.url.rpartition("/")[2]
        await page.goto(f"{page.url.split('#')[0]}#/read/{session}")
        await expect(page.locator(".cited small")).to_have_text("시트 '하반기'")
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        exported = (await client.get(f"/v1/sessions/{session}/export", headers={"Accept-Language": "en"})).text
    assert "- [1] 매출, sheet '하반기': “" in exported


@pytest.mark.parametrize("locale", ["ko-KR", "en-US"])
async def test_a_box_stands_where_the_sentence_does(serve, visit, locale) -> None:
    """Of a PDF and of a picture that was read; on another page of the document there is none."""
    if ocr.folder() is None:
        pytest.skip("Tesseract's Korean data are not installed")
    page = await visit(await serve(), "#/documents", locale=locale)
    files = [COMPANY / name for name in ("여비규정_2024-03-01.pdf", "사내식당_통근버스_공지.png")]
    await page.locator("input[type=file]").set_input_files(files)
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(2, timeout=60_000)
    search = page.get_by_role("searchbox").last
    await search.fill("국내출장 숙박비")
    await search.press("Enter")
    await page.locator(".passage", has_text="여비").first.click()
    boxes = page.locator("#panel .page-box")
    await expect(boxes.first).to_be_attached()
    await still(page)
    picture = await page.locator("#panel .page-picture").bounding_box()
    asked = "performance.getEntriesByType('resource').map((each) => each.name).filter((name) => name.includes('boxes'))"
    told = (await (await page.request.get((await page.evaluate(asked))[0])).json())["boxes"]
    drawn = [await each.bounding_box() for each in await boxes.all()]
    for (left, top, right, bottom), at in zip(told, drawn, strict=True):
        x, y, wide, high = (picture[key] for key in ("x", "y", "width", "height"))
        assert abs(at["x"] + at["width"] / 2 - x - wide * (left + right) / 2) < 1.5
        assert abs(at["y"] + at["height"] / 2 - y - high * (top + bottom) / 2) < 1.5
    await page.locator("#panel .page-figure figcaption button:enabled").first.click()
    await expect(boxes).to_have_count(0)
    await search.fill("통근버스 노선")
    await search.press("Enter")
    await page.locator(".passage", has_text="통근버스").first.click()
    await expect(page.locator("#panel .page-picture")).to_be_visible()
    await expect(boxes.first).to_be_attached()
