"""Pictures of the page for the documentation: `python benchmarks/screenshots.py [--to docs/pictures]`.

A real server with the example documents and a scripted model, in Chromium: chat, plan with approval, source and run.
Written as PNG with few colours, below 120 KB each.
"""

import argparse
import asyncio
import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from dure import Agent, Dure, Team, tool
from dure.cli.demo import DOCUMENTS
from dure.testing import ScriptedServer, Step, call, json, say, served

CHROMIUM = os.environ.get("DURE_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--hide-scrollbars"]
SIZE = {"width": 1240, "height": 800}
ANSWER = """연차휴가는 **근속년수**에 따라 다릅니다.

- 근속 1년 미만인 직원에게는 월 1일의 연차휴가를 부여합니다.
- 근속 1년 이상인 직원에게는 연 15일의 연차휴가를 부여합니다.
- 근속 3년 이상인 직원에게는 연 20일의 연차휴가를 부여합니다.
"""
MAIL = """안녕하세요.

경쟁사 세 곳의 요금과 우리 매출을 한 표로 보냅니다.
"""
STEPS = [
    ("search", "경쟁사 세 곳의 최근 요금을 찾는다", []),
    ("data", "우리 매출을 지역별로 정리한다", []),
    ("data", "요금과 매출을 한 표로 비교한다", [1, 2]),
    ("mail", "비교표를 영업팀에 보낸다", [3]),
]


@tool(effect="external")
def send_mail(to: list[str], subject: str, body: str) -> str:
    """Send a mail."""
    return "sent"


def respond(body: dict[str, Any]) -> Step:
    first = str(body["messages"][0]["content"])
    schema = str(body.get("response_format") or "") + first
    if "category" in schema and "depends_on" not in schema:
        return json({"category": "data", "description": "비교", "key_entities": [], "complexity": "medium"})
    if "depends_on" in schema:
        fields = {"requires_approval": False, "estimated_time": "1분"}
        steps = [{"step": n, "agent": a, "task": t, "depends_on": d} | fields for n, (a, t, d) in enumerate(STEPS, 1)]
        return json({"steps": steps})
    if "You are mail." in first:
        to = ["sales@example.com", "lee@example.com"]
        return call("send_mail", to=to, subject="요금 비교표", body=MAIL)
    if "You are clerk." in first:
        found = "근속 1년" in str(body["messages"][1:])
        return say(ANSWER) if found else call("search_knowledge_base", queries=["연차휴가 일수", "연차휴가 근속년수"])
    return say("정리했습니다.")


def teams() -> list[Team]:
    clerk = Agent(name="rag_agent", description="규정과 문서", prompt="You are clerk.", tools=["search_knowledge_base"])
    workers = [
        Agent(name="search", description="웹에서 찾습니다", prompt="You are search."),
        Agent(name="data", description="표를 정리합니다", prompt="You are data."),
        Agent(name="mail", title="메일 담당", description="메일을 보냅니다", prompt="You are mail.", tools=[send_mail]),
    ]
    return [
        Team(name="documents", title="문서 팀", kind="solo", description="문서에서 찾아 답하는 팀", agents=[clerk]),
        Team(
            name="sales",
            title="영업 팀",
            kind="planner",
            description="계획을 세워 일하는 팀",
            agents=workers,
            prompt="You lead.",
        ),
    ]


async def visit(browser: Browser, url: str, theme: str = "light", **options: Any) -> Page:
    given = {"viewport": SIZE, "locale": "ko-KR", "color_scheme": theme, "reduced_motion": "reduce"}
    context = await browser.new_context(**(given | options))
    page = await context.new_page()
    await page.goto(url)
    await page.wait_for_selector(".team-tab")
    return page


async def ask(page: Page, team: str, message: str) -> None:
    await page.get_by_role("combobox", name="팀").select_option(team)
    await page.get_by_label("메시지").fill(message)
    await page.get_by_label("메시지").press("Enter")


async def take(page: Page, folder: Path, name: str) -> None:
    """A picture of the page as it is, with the 128 colours that it has most of."""
    from PIL import Image

    await page.mouse.move(0, 0)
    picture = Image.open(io.BytesIO(await page.screenshot())).convert("RGB")
    path = folder / f"{name}.png"
    picture.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path} {path.stat().st_size / 1024:.0f} KB")


async def pictures(browser: Browser, url: str, folder: Path) -> None:
    page = await visit(browser, url)
    await ask(page, "documents", "회사 휴가 정책 알려줘")
    await page.wait_for_selector(".md.finished button.cite")
    await page.locator(".activity > summary").click()
    await take(page, folder, "chat")
    await page.locator(".activity > summary").click()
    await page.locator("button.cite").nth(1).click()
    await page.wait_for_selector("#panel mark")
    await page.wait_for_load_state("networkidle")
    await page.wait_for_selector("#panel .page-box")
    await page.evaluate("document.querySelector('.page-box').scrollIntoView({block: 'center'})")
    await take(page, folder, "source")
    await page.context.close()

    page = await visit(browser, url, "dark")
    await ask(page, "sales", "경쟁사 요금과 우리 매출을 비교해서 영업팀에 보내 줘")
    await page.wait_for_selector(".answer .approval")
    await take(page, folder, "plan")
    await page.get_by_role("button", name="승인", exact=True).click()
    await page.wait_for_selector(".md.finished:visible")
    await page.context.close()

    page = await visit(browser, url)
    await page.locator(".recent a").first.click()
    await page.get_by_role("link", name="과정 보기").click()
    await page.locator(".entry:has(.bar[data-kind=tool]) > summary").last.click()
    await page.wait_for_load_state("networkidle")
    await take(page, folder, "run")
    await page.context.close()


async def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        async with ScriptedServer(respond=respond) as scripted, async_playwright() as driver:
            given: dict[str, Any] = {"data_dir": Path(data), "embeddings": False, "tool_dialect": "native", "port": 0}
            dure = Dure(model_base_url=scripted.url, teams=teams(), prices={"*": (1, 4)}, **given)
            async with served(dure) as url:
                for path in sorted(DOCUMENTS.iterdir()):
                    await dure.ingest(path)
                browser = await driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                await pictures(browser, url, folder)
                await browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=Path("docs/pictures"))
    asyncio.run(main(parser.parse_args().to))
