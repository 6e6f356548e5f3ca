"""What the page costs, measured in Chromium against a real server on loopback with a scripted model.

    python benchmarks/page.py [--rounds 5]

Prints, each with its limit: requests, bytes and time of the first load; how long after its event an approval card
stands there; the frames while an answer of 20,000 characters streams, and the requests to draw it; how long a list
of 1,000 conversations takes to open, one of 200 messages with their runs and one of 500 without; requests that left
the server. Exits with 1 where a limit is broken. But for the first load nothing is measured before all is there that
the page loads late: the face, what draws approvals, the worker with what it keeps. The times are those of this
machine and of whatever else it does: the median of the rounds, and the worst. As root, the browser runs before other
programs.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from dure import Agent, Dure, Team, tool
from dure.storage import DEFAULT_OWNER, stamp
from dure.storage.schema import sessions
from dure.storage.sessions import add_message
from dure.testing import ScriptedServer, Step, call, say, served

CHROMIUM = os.environ.get("DURE_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--disable-component-update"]
SECTIONS = 110
CONVERSATIONS = 999
"""Put into the list; one more is asked for."""

# Times are taken in the page itself: when what is waited for is there and was painted.
WATCH = """(() => {
  window.seen = {};
  window.when = (selector) => new Promise((done) => {
    const look = () => {
      if (!document.querySelector(selector)) return;
      watching.disconnect();
      requestAnimationFrame(() => setTimeout(() => done({at: performance.now(), date: Date.now()})));
    };
    const watching = new MutationObserver(look);
    watching.observe(document, {subtree: true, childList: true, attributes: true});
    look();
  });
  window.ready = window.when("html[data-ready]");
})()"""
FIRST = ".page .rows:has(> .group):has(> .row:nth-child(200 of .row))"
# What the page loads late: all of it is in the worker's cache then.
LATE = """async () => {
  for (;;) {
    const names = performance.getEntriesByType('resource').map((each) => each.name);
    const files = names.filter((each) => /\\/static\\/[0-9a-f]{12}\\//.test(each));
    const kept = new Set((await (await caches.open('dure-page')).keys()).map((each) => each.url));
    const last = files.some((each) => each.endsWith('/approval.js')) && files.some((each) => each.includes('/face/'));
    if (navigator.serviceWorker.controller && last && files.every((each) => kept.has(each))) return;
    await new Promise((done) => setTimeout(done, 100));
  }
}"""
FACE = """async () => {
  const come = () => performance.getEntriesByType("resource").some((each) => each.name.includes("/face/"));
  while (!come()) await new Promise((done) => setTimeout(done, 50));
}"""
FRAMES = """() => { const times = window.frames_seen = []; let last = performance.now();
  const next = (at) => { times.push(at - last); last = at; if (!window.frames_end) requestAnimationFrame(next) };
  requestAnimationFrame(next) }"""

# The same text, a line a paragraph, in a page of nothing else: what the browser itself takes here.
BARE = """(text) => new Promise((done) => {
  const host = document.createElement("div");
  host.style.cssText = "height: 100vh; overflow: auto";
  document.body.replaceChildren(host);
  let [at, line, began] = [0, null, performance.now()];
  const next = () => {
    const to = Math.min(text.length, Math.floor((performance.now() - began) / 4) * 24);
    for (const [n, part] of text.slice(at, to).split("\\n").entries()) {
      if (n || !line) host.append((line = document.createElement("p")));
      line.append(part);
    }
    host.scrollTop = 1e9;
    at = to;
    if (at < text.length) requestAnimationFrame(next);
    else done();
  };
  requestAnimationFrame(next);
})"""


@tool(effect="external")
def send_mail(to: str, copies: int, urgent: bool) -> str:
    """Send a mail."""
    return "sent"


def long_answer() -> str:
    """20,000 characters and more of Markdown: paragraphs, lists, tables, code."""
    paragraph = "연차휴가는 근속년수에 따라 **차등** 부여하며 규정 3조를 따른다. " * 5
    rest = "- 하나\n- 둘\n\n| 근속 | 일수 |\n|---|---|\n| 1년 | 15 |\n\n```\nx = 1\n```"
    return "\n\n".join(f"## 제{n}절\n\n{paragraph}\n\n{rest}" for n in range(SECTIONS))


def respond(body: dict[str, Any]) -> Step:
    said = str(body["messages"][-1]["content"])
    if "보내" in said:
        return call("send_mail", to="kim", copies=2, urgent=False)
    return say(long_answer() if "길게" in said else "네.")


def fill(connection: Any) -> None:
    """1,000 conversations of the last half year, the first of them of 500 messages without runs."""
    for n in range(CONVERSATIONS):
        row = {"owner": DEFAULT_OWNER, "id": f"s-{n:03}", "title": f"{n}번째 대화의 제목입니다"}
        at = stamp(datetime.now(UTC) - timedelta(hours=4 * n))
        connection.execute(sessions.insert().values(**row, created_at=at, updated_at=at))
    for n in range(500):
        said = f"**답변 {n}**\n\n- 하나\n- 둘\n\n" + "문장입니다. " * 40
        role, text = ("assistant", said) if n % 2 else ("user", f"질문 {n}")
        add_message(connection, DEFAULT_OWNER, "s-000", "-", role, text)


def first_in_line(folder: Path) -> str:
    """Chromium, before other programs of this machine where we may: it is the page that is measured."""
    if os.name != "posix" or os.geteuid() != 0:
        return CHROMIUM
    path = folder / "chromium"
    path.write_text(f'#!/bin/sh\nexec nice -n -15 {CHROMIUM} "$@"\n')
    path.chmod(0o755)
    return str(path)


async def spent(wire: Any) -> float:
    """Seconds of CPU that the page's main thread has used."""
    found = await wire.send("Performance.getMetrics")
    return next(float(each["value"]) for each in found["metrics"] if each["name"] == "TaskDuration")


class Bench:
    def __init__(self, browser: Browser, url: str, rounds: int) -> None:
        self.browser, self.url, self.rounds = browser, url, rounds
        self.foreign: list[str] = []
        self.broken = False

    def tell(self, name: str, values: list[float], limit: float, unit: str) -> None:
        worst, middle = max(values), statistics.median(values)
        # Half a millisecond of grace: three frames of 60 Hz take 50.1 ms.
        good = middle <= limit + 0.5
        self.broken |= not good
        print(f"{name:<46} {middle:8.1f} {unit:<4} (worst {worst:.1f}; limit {limit:g}) {'ok' if good else 'BROKEN'}")

    async def visit(self, place: str = "") -> Page:
        context = await self.browser.new_context(viewport={"width": 1200, "height": 800}, locale="ko-KR")
        await context.add_init_script(WATCH)
        await context.add_init_script("""localStorage['dure.choices'] ??= '{"team": "desk"}'""")
        page = await context.new_page()
        page.on(
            "request", lambda r: None if r.url.startswith((self.url, "data:", "blob:")) else self.foreign.append(r.url)
        )
        await page.goto(f"{self.url}/{place}")
        await page.evaluate(LATE)
        await page.wait_for_load_state("networkidle")
        return page

    async def first_load(self) -> None:
        counts, sizes, laters, times = [], [], [], []
        for _ in range(self.rounds):
            context = await self.browser.new_context(locale="ko-KR")
            await context.add_init_script(WATCH)
            page = await context.new_page()
            wire = await context.new_cdp_session(page)
            await wire.send("Network.enable")
            asked: dict[str, str] = {}
            got: dict[str, float] = {}
            wire.on(
                "Network.requestWillBeSent", lambda e, asked=asked: asked.update({e["requestId"]: e["request"]["url"]})
            )
            wire.on("Network.loadingFinished", lambda e, got=got: got.update({e["requestId"]: e["encodedDataLength"]}))
            await page.goto(self.url)
            times.append((await page.evaluate("window.ready"))["at"])
            # Where the machine is busy, half a second without a request is no sign that all has come.
            await page.evaluate(FACE)
            await page.wait_for_load_state("networkidle")
            # What comes when the page stands, the face first, is told apart.
            keys = list(asked)
            later = set(keys[next(n for n, key in enumerate(keys) if "/face/" in asked[key]) :])
            counts.append(len([key for key in keys if key not in later and not asked[key].startswith("data:")]))
            sizes.append(sum(size for key, size in got.items() if key not in later) / 1024)
            laters.append(sum(size for key, size in got.items() if key in later) / 1024)
            await context.close()
        self.tell("first load: requests, at once", counts, 10, "")
        self.tell("first load: on the wire, with headers", sizes, 90, "KB")
        self.tell("after it: the Korean face, approvals", laters, 600, "KB")
        self.tell("first load: interactive", times, 600, "ms")

    async def approval(self) -> None:
        times = []
        for _ in range(self.rounds):
            page = await self.visit()
            await page.fill(".composer textarea", "보내 줘")
            await page.press(".composer textarea", "Enter")
            shown = await page.evaluate("window.when('.approval')")
            run = await page.evaluate("document.querySelector('.answer-foot a').hash.split('/').pop()")
            record = await (await page.request.get(f"{self.url}/v1/runs/{run}")).json()
            asked = next(each["at"] for each in record["events"] if each["kind"] == "run_waiting")
            times.append(shown["date"] - await page.evaluate("(at) => Date.parse(at)", asked))
            await page.context.close()
        self.tell("approval card after its event at the server", times, 100, "ms")

    async def idle(self) -> None:
        """What this machine does to frames of a page in which nothing happens, and of one that shows the text alone."""
        page = await self.visit()
        await page.evaluate(FRAMES)
        await page.evaluate("new Promise((done) => setTimeout(done, 3000))")
        gaps = sorted((await page.evaluate("window.frames_seen"))[1:])
        slow = sum(gap > 50 for gap in gaps)
        print(
            f"{'for comparison, nothing: longest frame':<46} {gaps[-1]:8.1f} ms   ({slow} of {len(gaps)} above 50 ms)"
        )
        await page.evaluate("window.frames_end = true")
        wire = await page.context.new_cdp_session(page)
        await wire.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = await spent(wire)
        await page.evaluate(f"window.frames_end = false; ({FRAMES})()")
        await page.evaluate(BARE, long_answer())
        used = await spent(wire) - before
        gaps = sorted((await page.evaluate("window.frames_seen"))[1:])
        print(f"{'for comparison, the text alone: frames, 99 %':<46} {gaps[int(len(gaps) * 0.99)]:8.1f} ms   ", end="")
        print(f"(longest {gaps[-1]:.1f}; {used * 1000 / len(gaps):.1f} ms of CPU a frame)")
        await page.context.close()

    async def streaming(self) -> None:
        gaps: list[float] = []
        worst: list[float] = []
        used: list[float] = []
        drawing: list[float] = []
        for _ in range(self.rounds):
            page = await self.visit()
            await page.fill(".composer textarea", "길게 설명해 줘")
            wire = await page.context.new_cdp_session(page)
            # Of its own thread: what others on this machine take does not count.
            await wire.send("Performance.enable", {"timeDomain": "threadTicks"})
            before = await spent(wire)
            meanwhile: list[str] = []
            page.on("request", lambda request, meanwhile=meanwhile: meanwhile.append(request.url))
            await page.evaluate(FRAMES)
            await page.press(".composer textarea", "Enter")
            await page.evaluate("window.when('.md.finished')")
            await page.evaluate("window.frames_end = true")
            # But for the question, and what is looked at after it: the conversations, what waits.
            others = ("/v1/chat", "/v1/sessions?limit=30", "/v1/approvals", "/icon.svg")
            drawing.append(sum(not each.endswith(others) for each in meanwhile))
            used.append((await spent(wire) - before) * 1000)
            found = (await page.evaluate("window.frames_seen"))[1:]
            gaps += found
            worst.append(max(found))
            length = len(await page.text_content(".md"))
            await page.context.close()
        gaps.sort()
        self.tell(f"an answer of {length:,} characters: frames, 99 %", [gaps[int(len(gaps) * 0.99)]], 17, "ms")
        self.tell("  the longest", worst, 50, "ms")
        self.tell("  requests to draw it", drawing, 0, "")
        print(f"  {len(gaps)} frames, {sum(each > 50 for each in gaps)} above 50 ms; the page's own thread used")
        print(f"  {statistics.median(used):.0f} ms of CPU for the answer, {sum(used) / len(gaps):.1f} ms a frame")

    async def opening(self) -> None:
        """Until what is wanted is there and was painted; `more` is pressed until nothing is left."""
        script = """async ([hash, selector, more]) => {
            const start = performance.now();
            location.hash = hash;
            let at = (await window.when(selector)).at;
            for (const each of more) {
              [...document.querySelectorAll('.page > .button')].at(-1).click();
              at = (await window.when(each)).at;
            }
            return at - start;
        }"""
        whole = [f".page .rows:has(> .row:nth-child({n} of .row))" for n in (400, 600, 800, 1000)]
        places: dict[str, tuple[list[Any], float]] = {
            "a list of 1,000 conversations by days opens": (["#/sessions", FIRST, []], 500),
            "  all of it, in five pieces": (["#/sessions", FIRST, whole], 1000),
            "a conversation of 200 messages opens": (["#/s/talk", ".answer:last-child .facts-line", []], 500),
            "one of 500 messages without runs": (["#/s/s-000", ".answer:last-child .md strong", []], 300),
        }
        times: dict[str, list[float]] = {each: [] for each in places}
        for _ in range(self.rounds):
            for name, (given, _limit) in places.items():
                page = await self.visit("#/documents")
                await page.evaluate("window.when('.drop')")
                times[name].append(await page.evaluate(script, given))
                await page.context.close()
        for name, (_given, limit) in places.items():
            self.tell(name, times[name], limit, "ms")


async def main(rounds: int) -> bool:
    agent = Agent(name="clerk", description="x", tools=[send_mail])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    with tempfile.TemporaryDirectory() as folder:
        async with ScriptedServer(respond=respond, interval=0.004, chunk=24) as scripted, async_playwright() as driver:
            given: dict[str, Any] = {"data_dir": Path(folder), "embeddings": False, "tool_dialect": "native", "port": 0}
            dure = Dure(model_base_url=scripted.url, teams=[team], **given)
            async with served(dure) as url:
                await dure.database.write(fill)
                for n in range(100):
                    await dure.chat(f"{n}번째 질문", session_id="talk", team="desk")
                browser = await driver.chromium.launch(executable_path=first_in_line(Path(folder)), args=FLAGS)
                bench = Bench(browser, url, rounds)
                load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
                print(f"Chromium {browser.version}, {load}, {rounds} rounds\n")
                for part in (bench.first_load, bench.approval, bench.idle, bench.streaming, bench.opening):
                    await part()
                print(f"{'requests that left the server':<46} {len(bench.foreign):8}")
                await browser.close()
    return bench.broken or bool(bench.foreign)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    sys.exit(asyncio.run(main(parser.parse_args().rounds)))
