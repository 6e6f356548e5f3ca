"""Files in, their state, a search to try out, and out again."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest

from dure.cli.demo import DOCUMENTS

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")
COMPANY = Path(__file__).parents[2] / "benchmarks/data/company"


def file(name: str) -> dict:
    return {"name": name, "mimeType": "text/plain", "buffer": "연차휴가는 1년에 15일이다.".encode()}


async def test_files_are_taken_in_each_with_its_state(serve, visit, tmp_path) -> None:
    page = await visit(await serve(), "#/documents")
    text = "연차휴가는 1년에 15일이다.".encode()
    for name, data in {"가.txt": text, "나.md": text, "다.exe": b"MZ\0\1\2" * 99, "라.txt": b""}.items():
        (tmp_path / name).write_bytes(data)
    await page.locator("input[type=file]").set_input_files(sorted(tmp_path.glob("?.*")))
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(2)
    # One kind is refused at once, an empty file is taken and then told of.
    await expect(page.locator(".upload.failed")).to_contain_text("다.exe")
    await expect(page.locator(".row:has-text('라.txt') .error-text")).not_to_be_empty()
    await page.locator(".row:has-text('나.md')").get_by_label("삭제: 나.md").click()
    await page.get_by_role("button", name="취소").click()
    await expect(page.locator(".row")).to_have_count(3)
    await page.locator(".row:has-text('나.md')").get_by_label("삭제: 나.md").click()
    await page.get_by_role("dialog").get_by_role("button", name="삭제").click()
    await expect(page.locator(".row")).to_have_count(2)


async def test_what_was_just_added_stands_first(serve, visit) -> None:
    """Also a file that failed and fails again."""
    url = await serve()
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        for name, data in {"빈.txt": b"", **{f"{n}.txt": f"글 {n}".encode() for n in range(30)}}.items():
            await client.post("/v1/documents", files={"file": (name, data)})
    page = await visit(url, "#/documents")
    rows = page.locator("#view .row")
    await expect(rows.first).to_contain_text("29.txt")
    await expect(rows.last).to_contain_text("빈.txt")
    await page.locator("input[type=file]").set_input_files(file("새것.txt"))
    await expect(rows.first).to_contain_text("새것.txt")
    await expect(rows.first).to_be_in_viewport()
    await page.locator("input[type=file]").set_input_files({"name": "빈.txt", "mimeType": "text/plain", "buffer": b""})
    await expect(rows.first.locator(".error-text")).not_to_be_empty()
    await expect(rows).to_have_count(32)
    # Among many, those of a name, and those that failed.
    await page.get_by_label("이름", exact=True).press_sequentially("1")
    await expect(rows).to_have_count(12)
    await page.get_by_label("이름", exact=True).fill("새것")
    await expect(rows).to_have_count(1)
    await page.get_by_label("이름", exact=True).fill("없는 것")
    await expect(page.locator("#view .empty")).to_have_text("이런 문서가 없습니다.")
    await page.get_by_label("이름", exact=True).fill("")
    await page.get_by_label("상태", exact=True).select_option("실패")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("빈.txt")


async def test_dropped_files(serve, visit) -> None:
    page = await visit(await serve(), "#/documents")
    data = await page.evaluate_handle(
        """() => { const data = new DataTransfer();
        data.items.add(new File(['놓은 파일이다.'], '놓음.txt')); return data }"""
    )
    await page.dispatch_event(".drop", "dragover", {"dataTransfer": data})
    await expect(page.locator(".drop")).to_have_class("drop over")
    await page.dispatch_event(".drop", "drop", {"dataTransfer": data})
    await expect(page.locator(".row:has-text('놓음.txt') .mark")).to_have_text("준비됨")


async def test_a_citation_of_an_answer_elsewhere_opens_here(serve, visit) -> None:
    url = await serve()
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        found = await client.post("/v1/documents", files={"file": ("규정.txt", "연차휴가는 15일이다. 끝.".encode())})
        id = found.json()["documents"][0]["id"]
        while (await client.get(f"/v1/documents/{id}")).json()["status"] != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    page = await visit(url, f"#/documents?open={id}&title=규정&start=0&end=12")
    await expect(page.locator("#panel .source h2")).to_have_text("규정")
    await expect(page.locator("#panel mark")).to_have_text("연차휴가는 15일이다.")


async def test_the_search_shows_passages_and_opens_them(serve, visit) -> None:
    page = await visit(await serve(), "#/documents")
    await page.locator("input[type=file]").set_input_files(file("규정.txt"))
    await expect(page.locator(".row .mark")).to_have_text("준비됨")
    await page.get_by_role("searchbox", name="검색 시험").fill("연차휴가")
    await page.get_by_role("searchbox", name="검색 시험").press("Enter")
    await expect(page.locator(".passage")).to_contain_text("15일이다")
    await page.locator(".passage").click()
    await expect(page.locator("#panel mark")).to_contain_text("연차휴가는")


async def test_names_are_text_whatever_they_are(serve, visit) -> None:
    page = await visit(await serve(), "#/documents")
    name = "<img src=x onerror=window.hacked=1>&amp;.txt"
    await page.locator("input[type=file]").set_input_files(file(name))
    await expect(page.locator(".row .mark")).to_have_text("준비됨")
    await expect(page.locator(".row .link")).to_have_text(name)
    await page.locator(".row .link").click()
    await expect(page.locator("#panel h2")).to_have_text(name.removesuffix(".txt"))
    assert await page.evaluate("window.hacked") is None
    assert await page.locator("#view img, #panel img").count() == 0


async def test_states_are_looked_at_again_after_a_failure(serve, visit) -> None:
    page = await visit(await serve())
    row = {
        "id": "d",
        "name": "가.txt",
        "title": "가",
        "kind": "text",
        "size": 1,
        "pages": 0,
        "passages": 0,
        "error": None,
        "shelf": "personal",
        "author": None,
        "tags": [],
    }
    row["created_at"] = "2026-01-01T00:00:00Z"
    states = iter(["indexing", None, "ready"])

    async def answer(route: Any) -> None:
        state = next(states)
        await (route.fulfill(json={"documents": [row | {"status": state}]}) if state else route.abort())

    await page.route("**/v1/documents", answer)
    await page.get_by_role("link", name="문서", exact=True).click()
    await expect(page.locator(".row .mark")).to_have_text("준비됨")


async def test_a_document_is_read_as_what_it_is(serve, visit) -> None:
    """Markdown and tables as such, a PDF by its pages, slides by theirs; the same from Ctrl+K."""
    url = await serve()
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        for path in sorted(DOCUMENTS.iterdir()):
            if path.suffix in (".md", ".csv", ".xlsx", ".pdf", ".pptx"):
                await client.post("/v1/documents", files={"file": (path.name, path.read_bytes())})
    page = await visit(url, "#/documents")
    panel = page.locator("#panel")
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(5)

    async def read(name: str) -> None:
        await page.get_by_role("button", name=f"{name} 열기").click()

    await read("정보보안지침.md")
    await expect(panel.get_by_role("heading", name="1. 비밀번호와 계정")).to_be_visible()
    assert "##" not in await panel.inner_text()
    await read("지역별매출_2025.csv")
    await expect(panel.locator("thead th").first).to_be_visible()
    assert await panel.locator("tbody tr").count() > 10
    await read("영업실적_2026상반기.xlsx")
    await expect(panel.get_by_role("heading", name="월별매출")).to_be_visible()
    await expect(panel.locator("tbody tr").first.locator("td")).to_have_text(["2026-01", "서울", "229", "109,920,000"])
    await read("신입사원안내.pptx")
    await expect(panel.locator("section[aria-label='슬라이드 2']")).to_contain_text("첫 출근 날")
    await read("인사규정.pdf")
    await expect(panel.locator("img.page-picture")).to_be_visible()
    await expect(panel.locator(".page-number")).to_have_text("1 / 5")
    await panel.get_by_role("button", name="다음 쪽").click()
    await expect(panel.locator(".page-number")).to_have_text("2 / 5")
    await panel.get_by_text("글자로 보기").click()
    await expect(panel).to_contain_text("제12조 (연차휴가)")


async def test_every_cell_of_a_sheet_is_shown(serve, visit) -> None:
    """Below titles of one cell, with notes under the rows, cells that have no head, and more rows than are drawn."""
    url = await serve()
    ragged = "구분,값\n가,1,덤\n나\n" + "".join(f"다{n},{n}\n" for n in range(300))
    names = ["가격표_2026_상반기.xlsx", "2026년_예산서.ods"]
    files = {name: (COMPANY / name).read_bytes() for name in names} | {"표.csv": ragged.encode()}
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        for each in files.items():
            await client.post("/v1/documents", files={"file": each})
    page = await visit(url, "#/documents")
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(3)
    panel = page.locator("#panel")
    await page.get_by_role("button", name=f"{names[0]} 열기").click()
    table = panel.locator("table").first
    heads = ["구분", "모델", "규격", "소비자가", "대리점가 1~9대", "대리점가 10대 이상"]
    await expect(table.locator("th")).to_have_text(heads)
    first = ["제습기", "DH-120", "120 L/일, 단상 220V", "3,200,000", "2,560,000", "2,432,000"]
    await expect(table.locator("tbody tr").first.locator("td")).to_have_text(first)
    await expect(panel).to_contain_text("2026년 상반기 가격표 - 완제품")
    total = panel.locator("tr", has_text="합계(세 세트를 모두 살 때)").locator("td")
    await expect(total).to_have_text(["합계(세 세트를 모두 살 때)", "", "", "", "24,183,000"])
    note = panel.locator("td", has_text="야간(19시 이후)과 휴일에는")
    await expect(note).to_have_attribute("colspan", "5")
    await page.get_by_role("button", name=f"{names[1]} 열기").click()
    row = panel.locator("tr", has_text="전시회비").locator("td")
    await expect(row).to_have_text(["영업", "전시회비", "0", "83,000", "12,000", "47,500", "142,500"])
    await page.get_by_role("button", name="표.csv 열기").click()
    rows = panel.locator("tbody tr")
    await expect(rows.first.locator("td")).to_have_text(["가", "1", "덤"])
    await expect(rows).to_have_count(200)
    await panel.get_by_role("button", name="더 보기").click()
    await expect(rows.last.locator("td")).to_have_text(["다299", "299", ""])


async def test_sheets_of_a_workbook_are_no_pages(serve, visit) -> None:
    url, name = await serve(), "가격표_2026_상반기.xlsx"
    sheets = openpyxl.load_workbook(COMPANY / name).sheetnames
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        await client.post("/v1/documents", files={"file": (name, (COMPANY / name).read_bytes())})
    page = await visit(url, "#/documents")
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(1)
    await expect(page.locator(".row").first).to_contain_text(f"시트 {len(sheets)}개")
    await page.get_by_role("searchbox", name="검색 시험").fill("제습기 DH-120")
    await page.keyboard.press("Enter")
    first = page.locator(".passage").first
    await expect(first.locator("small").first).to_have_text(f"시트 '{sheets[0]}'")
    await first.click()
    await expect(page.locator("#panel h2 + small")).to_have_text(f"시트 '{sheets[0]}'")


@pytest.mark.parametrize("encoding", ["cp949", "utf-8", "utf-8-sig", "utf-16"])
async def test_a_table_is_read_in_the_encoding_it_was_saved_in(serve, visit, encoding) -> None:
    page = await visit(await serve(), "#/documents")
    table = "제품,내용\n똠방각하,배수 호스에서 물이 샘\n"
    given = {"name": "불만.csv", "mimeType": "text/csv", "buffer": table.encode(encoding)}
    await page.locator("input[type=file]").set_input_files(given)
    await page.get_by_role("button", name="불만.csv 열기").click()
    await expect(page.locator("#panel :is(th, td)")).to_have_text(["제품", "내용", "똠방각하", "배수 호스에서 물이 샘"])


@pytest.mark.parametrize(
    ("locale", "tags", "author", "every", "none"),
    [
        ("ko-KR", "태그", "지은이", "모든 태그", "이런 문서가 없습니다."),
        ("en-US", "Tag", "Author", "Any tag", "There are no such documents."),
    ],
)
async def test_tags_and_authors_by_keyboard(serve, visit, locale, tags, author, every, none) -> None:
    """They are shown, narrow the list, and are edited; a reload shows the same."""
    url = await serve()
    mail = "From: Kim <kim@example.com>\nSubject: 보고\n\n연차휴가는 1년에 15일이다.\n"
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        await client.post(
            "/v1/documents", files={"file": ("규정.txt", "연차는 15일이다.".encode())}, data={"tag": "내규"}
        )
        await client.post("/v1/documents", files={"file": ("보고.eml", mail.encode())})
        while {each["status"] for each in (await client.get("/v1/documents")).json()["documents"]} != {"ready"}:
            pass
        names = {each["name"]: each for each in (await client.get("/v1/documents")).json()["documents"]}
    page = await visit(url, "#/documents", locale=locale)
    rows = page.locator("#view .row")
    await expect(rows).to_have_count(2)
    await expect(page.locator(".row:has-text('보고.eml') small")).to_contain_text(names["보고.eml"]["author"])
    plural = "Tags" if tags == "Tag" else tags
    await page.get_by_role("button", name=f"{plural}: 보고.eml").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("메일, <b>내규</b>")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("list", name=f"{plural}: 보고.eml").get_by_role("button")).to_have_text(
        ["메일", "<b>내규</b>"]
    )
    await expect(page.get_by_role("button", name=f"{plural}: 보고.eml")).to_be_focused()
    await page.get_by_role("button", name="내규", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("규정.txt")
    await expect(page.get_by_role("button", name="내규", exact=True)).to_be_focused()
    await page.reload()
    await expect(rows).to_have_count(1)
    await expect(page.get_by_label(tags, exact=True)).to_have_value("내규")
    await page.get_by_label(author, exact=True).select_option(names["보고.eml"]["author"])
    await expect(page.locator("#view .empty")).to_have_text(none)
    await page.get_by_label(tags, exact=True).select_option(every)
    await expect(rows).to_contain_text("보고.eml")
    # All choices stand in one line, as high as they are.
    places = [await each.bounding_box() for each in await page.locator(".filters input, .filters select").all()]
    assert len(places) > 2
    assert {round(each["y"]) for each in places} == {round(places[0]["y"])}
    assert max(each["height"] for each in places) < 50
    # No tags at all.
    await page.get_by_role("button", name=f"{plural}: 보고.eml").click()
    await page.get_by_role("dialog").get_by_role("textbox").fill("")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("list", name=f"{plural}: 보고.eml")).to_have_count(0)


async def test_lines_stand_where_a_document_is_on_its_way(serve, visit) -> None:
    """Until its text is there; whoever listens is told."""
    url = await serve()
    page = await visit(url, "#/documents")
    await page.locator("input[type=file]").set_input_files(file("규정.txt"))
    await expect(page.locator(".row .mark")).to_have_text("준비됨")
    held: list[Any] = []
    await page.route("**/text?**", lambda route: held.append(route))
    await page.get_by_role("button", name="규정.txt 열기").click()
    await expect(page.locator("#panel .skeleton")).to_have_text("불러오는 중…")
    await expect(page.locator("#panel .skeleton")).to_be_visible()
    await held[0].continue_()
    await expect(page.locator("#panel .source-text")).to_contain_text("연차휴가")
    await expect(page.locator("#panel .skeleton")).to_have_count(0)
