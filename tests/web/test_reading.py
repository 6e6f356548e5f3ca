"""What stands in an answer: code in colours, formulas, pictures with their rows, files, and what was checked."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, ToolResult

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><script>window.hit = 1</script></svg>'
CODE = """```python
def total(rows):  # 합계
    return sum(rows) + 15
```

```sql
Select '연차' from t
```

```whatever
def x
```"""


@tool
def draw_chart(topic: str) -> ToolResult:
    """Draw a chart."""
    table = "| 월 | 매출 |\n|---|---|\n| 1월 | 1,200 |\n| 2월 | 900 |"
    files = [
        File("매출.svg", PICTURE, "image/svg+xml"),
        File("매출.csv", '월,매출,비고\n1월,"1,200","둘\n줄"\n2월,900,"""곧"""\n'.encode(), "text/csv"),
        File("요약.md", "# 요약\n\n**많이** 팔았다. <script>window.hit = 1</script>".encode(), "text/markdown"),
    ]
    return ToolResult(f"매출.svg 파일로 전달했습니다.\n\n{table}", files=files)


@asynccontextmanager
async def answered(serve: Any, visit: Any, *script: Any, tools: Any = ()) -> AsyncIterator[Any]:
    agent = Agent(name="clerk", description="x", tools=list(tools))
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(*script) as scripted:
        page = await visit(await serve(scripted, teams=[team]))
        await page.get_by_label("메시지").fill("보여 줘")
        await page.get_by_label("메시지").press("Enter")
        await page.wait_for_selector(".md.finished")
        yield page


async def parts(page: Any, kind: str, block: int) -> list[str]:
    return await page.locator(".code-block").nth(block).locator(f".code-{kind}").all_text_contents()


async def test_code_has_colours(serve, visit) -> None:
    async with answered(serve, visit, say(CODE)) as page:
        await page.wait_for_selector(".code-block:nth-child(2) .code-word")
        assert await parts(page, "word", 0) == ["def", "return"]
        assert await parts(page, "comment", 0) == ["# 합계"]
        assert await parts(page, "number", 0) == ["15"]
        assert await parts(page, "word", 1) == ["Select", "from"]
        assert await parts(page, "text", 1) == ["'연차'"]
        assert await page.locator(".code-block").nth(2).locator("code span").count() == 0
        assert (await page.locator("code").first.text_content()).endswith("return sum(rows) + 15")


async def test_formulas_are_drawn_and_what_is_none_stays(serve, visit) -> None:
    text = "넓이는 $a^2 + \\frac{b}{2}$ 입니다.\n\n$$\\sum_{i=1}^n x_i$$\n\n$\\nonsense{x}$ 와 $5 와 $6."
    async with answered(serve, visit, say(text)) as page:
        await expect(page.locator(".md math")).to_have_count(2)
        await expect(page.locator("span.math math mfrac")).to_have_count(1)
        await expect(page.locator("div.math math[display=block]")).to_have_count(1)
        await expect(page.locator(".md")).to_contain_text("$\\nonsense{x}$ 와 $5 와 $6.")


async def test_a_chart_stands_in_the_answer_with_its_rows(serve, visit) -> None:
    async with answered(serve, visit, call("draw_chart", topic="매출"), say("그렸습니다."), tools=[draw_chart]) as page:
        picture = page.get_by_role("img", name="매출.svg")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("(each) => each.decode().then(() => each.naturalWidth)") == 80
        await page.get_by_text("표로 보기").click()
        await expect(page.locator(".picture td").nth(1)).to_have_text("1,200")
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="매출.svg").click()
        assert (await saved.value).suggested_filename == "매출.svg"
        previews = page.locator(".preview")
        await previews.first.locator("summary").click()
        await expect(previews.first.locator("tbody tr")).to_have_count(2)
        cells = await previews.first.locator("td").all_text_contents()
        assert cells == ["1월", "1,200", "둘\n줄", "2월", "900", '"곧"']
        await previews.last.locator("summary").click()
        await expect(previews.last.locator("h1")).to_have_text("요약")
        await expect(previews.last.locator("strong")).to_have_text("많이")
        assert await page.evaluate("window.hit") is None


async def test_files_that_were_made_are_read_in_their_place(serve, visit, make_pdf) -> None:
    """A Word file as its text, a PDF by its pages, what cannot be read with the reason."""
    from docx import Document

    written = Document()
    written.add_heading("1. 계약", 1)
    written.add_paragraph("첫째 물건", style="List Bullet")
    written.add_paragraph("둘째 물건", style="List Bullet")
    written.add_paragraph("제1조 (목적) 이 계약은 <b>임대</b>에 관한 것이다.")
    table = written.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ("품목", "하루", "막", "900"), strict=True):
        cell.text = text
    written.save(word := io.BytesIO())

    @tool
    def write() -> ToolResult:
        """Write files."""
        pdf = make_pdf([[(14, "Leave is fifteen days.")], [(14, "Travel is paid.")]])
        made = {"계약.docx": word.getvalue(), "report.pdf": pdf, "broken.pdf": b"%PDF-1.7 nothing"}
        return ToolResult("made", files=[File(name, data) for name, data in made.items()])

    async with answered(serve, visit, call("write"), say("했습니다."), tools=[write]) as page:
        kinds = page.locator(".artifacts > li > .preview")
        for each in await kinds.all():
            await each.locator("> summary").click()
        # A heading is one, and a list, as where a document is read.
        await expect(kinds.nth(0).locator("h3")).to_have_text("1. 계약")
        await expect(kinds.nth(0).locator("li")).to_have_text(["첫째 물건", "둘째 물건"])
        words = kinds.nth(0).locator(".source-text > div").first
        await expect(words).to_have_text("제1조 (목적) 이 계약은 <b>임대</b>에 관한 것이다.")
        await expect(kinds.nth(0).locator("th")).to_have_text(["품목", "하루"])
        await expect(kinds.nth(0).locator("td")).to_have_text(["막", "900"])
        await expect(kinds.nth(1).get_by_role("img", name="report.pdf, 1쪽 그림")).to_be_visible()
        await kinds.nth(1).get_by_role("button", name="다음 쪽").click()
        await expect(kinds.nth(1).locator(".page-number")).to_have_text("2 / 2")
        await expect(kinds.nth(1).get_by_role("img", name="report.pdf, 2쪽 그림")).to_be_visible()
        await kinds.nth(1).get_by_text("글자로 보기").click()
        await expect(kinds.nth(1).locator("section").last).to_contain_text("Travel is paid.")
        await expect(kinds.nth(2)).to_contain_text("손상")


async def test_a_file_that_is_made_again_is_listed_once(serve, visit) -> None:
    """Of two with one name the second counts; so also after a reload."""

    @tool
    def write(text: str) -> ToolResult:
        """Write a file."""
        return ToolResult("made", files=[File("표.md", text.encode(), "text/markdown")])

    steps = call("write", text="하나"), call("write", text="둘"), say("했습니다.")
    async with answered(serve, visit, *steps, tools=[write]) as page:
        for _ in range(2):
            await expect(page.locator(".artifacts .file-chip")).to_have_count(1)
            await page.reload()
            await page.wait_for_selector(".artifacts")


async def test_what_cannot_be_loaded_any_more_says_so(serve, visit) -> None:
    """The network is cut: what comes when first opened is told to be out of reach, and comes once it is there again."""

    @tool
    def write() -> ToolResult:
        """Write a file."""
        return ToolResult("made", files=[File("표.md", b"# A", "text/markdown"), File("a.rtf", b"{\\rtf1 Leave.}")])

    async with answered(serve, visit, call("write"), say("했습니다."), tools=[write]) as page:
        await page.route("**/views/whole.js", lambda route: route.abort())
        preview = page.locator(".artifacts .preview").last
        await preview.locator("summary").click()
        await expect(preview.get_by_role("alert")).to_have_text("서버에 연결할 수 없습니다.")
        await page.unroute("**/views/whole.js")
        await preview.locator("summary").click()
        await expect(preview.get_by_role("alert")).to_have_count(0)
        await preview.locator("summary").click()
        await expect(preview).to_contain_text("Leave.")


RIGHT, WRONG = "연차휴가는 1년에 15일입니다. [1]", "연차휴가는 1년에 **17일**입니다. [1]"


@pytest.mark.parametrize(("said", "missing"), [(RIGHT, ""), (WRONG, "17")])
async def test_what_was_checked_is_told(serve, visit, said, missing) -> None:
    script = call("search_knowledge_base", queries=["연차휴가"]), say(said)
    agent = Agent(name="clerk", description="x", tools=["search_knowledge_base"])
    async with ScriptedServer(*script) as scripted:
        url = await serve(scripted, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            await client.post("/v1/documents", files={"file": ("규정.txt", "연차휴가는 1년에 15일이다.".encode())})
            while (await client.get("/v1/documents")).json()["documents"][0]["status"] != "ready":
                pass
        page = await visit(url)
        await page.get_by_label("메시지").fill("연차휴가는 며칠이야?")
        await page.get_by_label("메시지").press("Enter")
        if not missing:
            await expect(page.locator(".checked")).to_contain_text("어긋난 것은 없습니다")
            await expect(page.locator(".checks")).to_have_count(0)
            return
        for _ in range(2):
            await page.locator(".checks summary").click()
            await expect(page.locator(".check-row small")).to_have_text(f"출처에 없음: {missing}")
            marked = await page.evaluate("[...CSS.highlights.get('unsure')].map(String)")
            assert len(marked) == 1
            assert "1년에 17일입니다" in marked[0]
            await page.reload()


HOSTILE = """$\\href{javascript:window.hit=1}{a}$ $\\url{https://evil.example}$ $\\includegraphics{https://evil.example/x.png}$

$\\class{big}{b}$ $\\style{position:fixed}{c}$ $\\data{x=1}{d}$ $\\def\\a{\\a\\a}\\a$ 끝 $e^2$"""


async def test_a_formula_is_no_way_in(serve, visit) -> None:
    """No link, picture, class or style comes of one, and none goes on for ever; `visit` sees requests elsewhere."""
    async with answered(serve, visit, say(HOSTILE)) as page:
        await expect(page.locator(".md math msup")).to_have_count(1)
        wrong = ".md :is(a, img, mglyph, [href], [src], [style*=position], .big, [data-x])"
        assert await page.locator(wrong).count() == 0
        assert await page.evaluate("window.hit") is None
