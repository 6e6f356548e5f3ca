"""Pictures of the page for the documentation: `python benchmarks/screenshots.py [--to docs/pictures] [NAME …]`.

A real server with the example documents and a scripted model, in Chromium, in the states of `STATES`. Written as PNG
with few colours, below 80 KB each, and beside them in `states.json` what each state says to a screen reader: both are
compared with what the page shows by `tests/web/test_pictures.py`.
"""

import argparse
import asyncio
import io
import json as js
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from page_still import still, watched
from playwright.async_api import Browser, Page, async_playwright

from dure import Agent, Dure, Team, tool
from dure.cli.demo import DOCUMENTS
from dure.testing import ScriptedServer, Step, call, json, say, served
from dure.tooling import File, ToolResult

CHROMIUM = os.environ.get("DURE_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--hide-scrollbars"]
DESKTOP, TABLET, PHONE = ({"width": w, "height": h} for w, h in ((1240, 800), (820, 1100), (390, 780)))
ANSWER = """연차휴가는 **근속년수**에 따라 다릅니다.

- 근속 1년 미만인 직원에게는 월 1일의 연차휴가를 부여합니다.
- 근속 1년 이상인 직원에게는 연 15일의 연차휴가를 부여합니다.
- 근속 3년 이상인 직원에게는 연 20일의 연차휴가를 부여합니다.
"""
LEAVE = "After one year you get 15 days a year, and after three years you get 20 days a year."
MAIL = """안녕하세요.

경쟁사 세 곳의 요금과 우리 매출을 한 표로 보냅니다.
"""
REPORT = """## 지역별 매출

| 지역 | 1분기 | 2분기 | 변화 |
|---|---:|---:|---:|
| 서울 | 1,204,000 | 1,310,500 | 8.8% |
| 부산 | 842,300 | 801,900 | -4.8% |
| 광주 | 310,000 | 355,200 | 14.6% |

변화율은 $r = \\frac{b - a}{a}$ 로 셈했습니다.[^1]

- [x] 분기별로 모음
- [ ] 원인 살펴보기

```python
change = (second - first) / first  # 변화율
```

[^1]: 반올림한 값입니다.
"""
CHART = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120" width="320" height="120">
<rect width="320" height="120" fill="#f4f6f4"/><rect x="30" y="20" width="60" height="90" fill="#2f6f57"/>
<rect x="130" y="45" width="60" height="65" fill="#5b8fb0"/><rect x="230" y="80" width="60" height="30" fill="#c08a3e"/>
</svg>"""
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


@tool
def draw_chart(topic: str) -> ToolResult:
    """Draw a chart."""
    rows = (
        "지역 | 1분기 | 2분기",
        "---|---|---",
        "서울 | 1,204,000 | 1,310,500",
        "부산 | 842,300 | 801,900",
        "광주 | 310,000 | 355,200",
    )
    table = "\n".join(f"| {each} |" for each in rows)
    files = [
        File("매출.svg", CHART.encode(), "image/svg+xml"),
        File("매출.csv", "지역,2분기\n서울,1310500\n부산,801900\n광주,355200\n".encode(), "text/csv"),
        File("출장비.docx", (DOCUMENTS / "출장비규정.docx").read_bytes()),
    ]
    return ToolResult(f"매출.svg 파일로 전달했습니다.\n\n{table}", files=files)


def respond(body: dict[str, Any]) -> Step:
    first = str(body["messages"][0]["content"])
    said = str(body["messages"][1:])
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
    if "천천히" in said:
        return Step(
            text="네 곳의 규정을 차례로 읽고 있습니다.\n\n1. **연차휴가**는 근속년수에 따라", exact=True, stall=600
        )
    if "그려" in said:
        return say(REPORT) if "전달했습니다" in said else call("draw_chart", topic="매출")
    if "You are clerk." in first and "How many" in said:
        return say(LEAVE) if "15 days a year" in said else call("search_knowledge_base", queries=["annual leave days"])
    if "You are clerk." in first:
        found = "근속 1년" in said
        # Runs that stand side by side differ in their time, whatever the machine does meanwhile.
        answer = replace(say(ANSWER), delay=1.2 if "다시" in said else 0.0)
        return answer if found else call("search_knowledge_base", queries=["연차휴가 일수", "연차휴가 근속년수"])
    return say("정리했습니다.")


def teams() -> list[Team]:
    clerk = Agent(
        name="rag_agent",
        title="문서 담당 · Documents",
        description="규정과 문서를 찾아 답합니다 · Finds answers in the rules",
        prompt="You are clerk.",
        tools=["search_knowledge_base", draw_chart],
    )
    workers = [
        Agent(
            name="search",
            title="검색 담당 · Search",
            description="웹에서 찾습니다 · Searches the web",
            prompt="You are search.",
        ),
        Agent(
            name="data",
            title="자료 담당 · Data",
            description="표를 정리합니다 · Puts tables in order",
            prompt="You are data.",
        ),
        Agent(
            name="mail",
            title="메일 담당 · Mail",
            description="메일을 보냅니다 · Sends mails",
            prompt="You are mail.",
            tools=[send_mail],
        ),
    ]
    return [
        Team(
            name="documents",
            title="문서 팀 · Documents",
            kind="solo",
            description="문서에서 찾아 답하는 팀 · Answers from the documents",
            agents=[clerk],
            examples=["회사 휴가 정책 알려줘", "How many days of annual leave do I get?"],
        ),
        Team(
            name="sales",
            title="영업 팀 · Sales",
            kind="planner",
            description="계획을 세워 일하는 팀 · Plans and works",
            agents=workers,
            prompt="You lead.",
            examples=["경쟁사 요금과 매출을 비교해 줘"],
        ),
    ]


SLOWLY = "네 곳의 규정을 천천히 견주어 줘"
ASKED = {
    "how-many": ("documents", "How many days of annual leave do I get?"),
    "chart": ("documents", "지역별 매출을 그려 줘"),
    "again": ("documents", "휴가 정책을 다시 알려줘"),
    "leave": ("documents", "회사 휴가 정책 알려줘"),
    "plan": ("sales", "경쟁사 요금과 우리 매출을 비교해서 영업팀에 보내 줘"),
}
SCHEDULED = {"0 9 * * 1-5": "어제 들어온 문서를 요약해 줘", "30 8 1 * *": "지난달 매출을 정리해 줘"}
MESSAGES = (SLOWLY, *SCHEDULED.values(), *(message for _, message in ASKED.values()))


@dataclass(slots=True)
class Place:
    """A server that is filled: its URL, an empty one's, and the sessions' last runs by name."""

    url: str
    empty: str
    runs: dict[str, str] = field(default_factory=dict)


@asynccontextmanager
async def filled(folder: Path) -> AsyncIterator[Place]:
    """The example documents, conversations of every kind, a plan that waits; and a server with nothing."""
    given: dict[str, Any] = {"embeddings": False, "tool_dialect": "native", "port": 0}
    async with ScriptedServer(respond=respond) as scripted:
        dure = Dure(data_dir=folder / "full", model_base_url=scripted.url, teams=teams(), prices={"*": (1, 4)}, **given)
        bare = Dure(data_dir=folder / "empty", cache_dir=folder / "none", **given)
        async with served(dure) as url, served(bare) as empty, httpx.AsyncClient(base_url=url, timeout=60) as client:
            for path in sorted(DOCUMENTS.iterdir()):
                await dure.ingest(path)
            place = Place(url, empty)
            for session, (team, message) in ASKED.items():
                body = {"message": message, "session_id": session, "team": team}
                reply = await client.post("/v1/chat", json=body, headers={"Accept-Language": "ko"})
                place.runs[session] = reply.json()["metadata"]["run_id"]
            await client.patch("/v1/sessions/leave", json={"pinned": True})
            await client.patch("/v1/sessions/chart", json={"folder": "매출"})
            for cron, message in SCHEDULED.items():
                body = {"cron": cron, "zone": "Asia/Seoul", "message": message, "team": "documents"}
                await client.post("/v1/schedules", json=body)
            for member, role in (("*", "reader"), ("kim", "editor")):
                await client.put(f"/v1/shelves/인사 규정/members/{member}", json={"role": role})
            yield place


Act = Callable[[Page, Place], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class State:
    """`at`: the place of the page, with `{NAME}` for runs; `wanted`: what stands there when it is drawn; `act`: what is
    done then. In Korean, light, on a desktop where nothing else is said."""

    name: str
    at: str
    wanted: str
    act: Act | None = None
    locale: str = "ko-KR"
    theme: str = "light"
    size: dict[str, int] = field(default_factory=lambda: DESKTOP)
    empty: bool = False


async def _work(page: Page, place: Place) -> None:
    await page.locator(".activity > summary").first.click()
    await page.wait_for_selector(".activity-body > *")


async def _cited(page: Page, place: Place) -> None:
    await page.locator("button.cite").nth(1).click()
    await page.wait_for_selector("#panel .page-box")
    await page.evaluate("document.querySelector('.page-box').scrollIntoView({block: 'center'})")


async def _cited_on_a_phone(page: Page, place: Place) -> None:
    await page.locator("button.cite").first.click()
    await page.wait_for_selector("#panel mark")


async def _files(page: Page, place: Place) -> None:
    await page.locator(".answer-foot .link").click()
    await page.locator("#panel").get_by_role("button", name="파일").click()
    await page.locator("#panel .preview").last.locator("summary").click()
    await page.wait_for_selector("#panel .source-text")


async def _tool(page: Page, place: Place) -> None:
    await page.locator(".entry:has(.bar[data-kind=call]) > summary").last.click()


async def _slowly(page: Page, place: Place) -> None:
    await page.get_by_label("메시지").fill(SLOWLY)
    await page.get_by_label("메시지").press("Enter")
    await page.wait_for_selector(".answer.working strong")


async def _stopped(page: Page, place: Place) -> None:
    await _slowly(page, place)
    await page.get_by_label("멈추기").click()
    await page.wait_for_selector(".answer:not(.working) .problem")


async def _named(page: Page, place: Place) -> None:
    await page.get_by_label("Message").press_sequentially("@")
    await page.wait_for_selector(".mentions .palette-row:nth-child(4)")


async def _found(page: Page, place: Place) -> None:
    await page.keyboard.press("Control+k")
    await page.wait_for_selector(".palette-row >> nth=6")


async def _read(page: Page, place: Place) -> None:
    await page.locator(".row", has_text="인사규정").get_by_role("button", name="열기").click()
    await page.wait_for_selector("#panel .page-picture")


async def _team(page: Page, place: Place) -> None:
    await page.locator(".team-tools summary").click()


async def _paper(page: Page, place: Place) -> None:
    await page.locator(".paper summary").first.click()
    await page.wait_for_selector(".paper-body")


EN = "en-US"
STATES = [
    State("chat", "#/s/leave", ".md.finished button.cite", _work),
    State("source", "#/s/leave", ".md.finished button.cite", _cited),
    State("plan", "#/s/plan", ".answer .approval", theme="dark"),
    State("run", "#/runs/{leave}", ".run-tree .entry", _tool),
    State("welcome", "#/", ".example >> nth=1"),
    State("begin", "#/", ".mending >> nth=1", locale=EN, empty=True),
    State("answer", "#/s/chart", ".md.finished math"),
    State("files", "#/s/chart", ".md.finished math", _files, theme="dark"),
    State("mention", "#/s/how-many", ".md.finished", _named, locale=EN),
    State("find", "#/s/leave", ".md.finished", _found, theme="dark"),
    State("waiting", "#/waiting", ".approval", locale=EN),
    State("documents", "#/documents", ".row >> nth=7"),
    State("document", "#/documents", ".row >> nth=7", _read, theme="dark"),
    State("shelves", "#/shelves", "fieldset, .shelf, form", locale=EN),
    State("runs", "#/runs", ".row >> nth=4", locale=EN, theme="dark"),
    State("compare", "#/compare/{leave}/{again}", ".changes"),
    State("sessions", "#/sessions", ".row >> nth=3"),
    State("reading", "#/read/chart", ".reading .md", locale=EN),
    State("status", "#/start", ".finding >> nth=4"),
    State("team", "#/start/teams/documents", ".team-editor, .form", _team, theme="dark"),
    State("schedules", "#/start/schedules", ".row >> nth=1", locale=EN),
    State("tools", "#/start/tools", ".tool >> nth=4", locale=EN),
    State("settings", "#/start/settings", "fieldset >> nth=1", theme="dark"),
    State("papers", "#/library", ".paper >> nth=4", _paper, locale=EN),
    State("glossary", "#/library/glossary", ".row >> nth=4"),
    State("phone", "#/s/leave", ".md.finished button.cite", size=PHONE),
    State("phone-source", "#/s/how-many", ".md.finished button.cite", _cited_on_a_phone, EN, "dark", PHONE),
    State("tablet", "#/s/chart", ".md.finished math", size=TABLET),
    # What asks stands last: others would list it.
    State("stopped", "#/", ".example >> nth=1", _stopped, theme="dark"),
    State("working", "#/", ".example >> nth=1", _slowly),
]
MASKS = (
    (r"[rspf]-[0-9a-f]{8,}", "ID"),
    (r"(?:오전|오후) ?\d+:\d\d(?::\d\d)?|\d+:\d\d(?::\d\d)?\s?[AP]M", "TIME"),
    (r"\d{4}\. ?\d+\. ?\d+\.|\d{4}년 \d+월(?: \d+일)?|\w{3,9}\.? \d{1,2}, \d{4}", "DATE"),
    (r"\d+(?:\.\d+)? ?(?:밀리초|초|ms|s)\b|\d+(?:m|분) \d+(?:s|초)", "SECONDS"),
    (r"(?:/[\w.-]+)*/(?:full|empty|none)\b[\w./-]*", "PATH"),
    (r"127\.0\.0\.1:\d+", "HOST"),
    (r"SQLite [\d.]+", "SQLite VERSION"),
)


async def opened(browser: Browser, place: Place, state: State, **options: Any) -> Page:
    """The page in a state, in a context of its own."""
    given: dict[str, Any] = {"viewport": state.size, "locale": state.locale, "color_scheme": state.theme}
    given |= {"reduced_motion": "reduce", "service_workers": "block", "timezone_id": "Asia/Seoul"}
    context = await browser.new_context(**(given | options))
    context.set_default_timeout(20_000)
    page = watched(await context.new_page())
    await page.goto(f"{place.empty if state.empty else place.url}/{state.at.format(**place.runs)}")
    await page.wait_for_selector(state.wanted)
    await still(page)
    if state.act:
        await state.act(page, place)
    if state.name != "working":
        await still(page)
    await page.evaluate("Promise.all([...document.fonts].map((each) => each.load()))")
    await page.mouse.move(0, 0)
    return page


async def spoken(page: Page) -> str:
    """What view, side and dialogue say to a screen reader, without times, names of runs and what else is new."""
    parts = page.locator("#view, #panel:not([hidden]), dialog[open]")
    text = "\n".join([await each.aria_snapshot() for each in await parts.all()])
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text


async def picture(page: Page) -> bytes:
    """The page as it is, with the 96 colours that it has most of."""
    from PIL import Image

    drawn = Image.open(io.BytesIO(await page.screenshot())).convert("RGB")
    drawn = drawn.quantize(96, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    drawn.save(written := io.BytesIO(), "PNG", optimize=True)
    return written.getvalue()


async def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "states.json"
    said = js.loads(kept.read_text()) if kept.is_file() else {}
    with tempfile.TemporaryDirectory() as data:
        async with filled(Path(data)) as place, async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for state in STATES:
                if names and state.name not in names:
                    continue
                page = await opened(browser, place, state)
                said[state.name] = await spoken(page)
                path = folder / f"{state.name}.png"
                path.write_bytes(await picture(page))
                print(f"{path} {path.stat().st_size / 1024:.0f} KB")
                await page.context.close()
            await browser.close()
    text = js.dumps({each.name: said[each.name] for each in STATES if each.name in said}, ensure_ascii=False, indent=1)
    kept.write_text(text + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=Path("docs/pictures"))
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    asyncio.run(main(given.to, given.names))
