"""`dure load`: many sessions at once on servers of one's own, and how long they and `/healthz` wait meanwhile."""

import asyncio
import random
import time
from statistics import fmean, median, quantiles
from typing import Annotated, Any

import typer

from dure.cli.terminal import AsJson, put, run
from dure.errors import InvalidInput, phrase

_EVERY = 0.05
_ALONE = 3
"""Questions that are asked one after the other, to know what an answer takes without load."""


def load(
    url: list[str] | None = None,
    sessions: Annotated[int, typer.Option(min=1, max=5000)] = 20,
    seconds: Annotated[float, typer.Option(min=1, max=600)] = 15,
    think: Annotated[float, typer.Option(min=0)] = 0,
    ideal: float | None = None,
    message: str = "안녕",
    team: str = "assistant",
    key: Annotated[str | None, typer.Option(envvar="DURE_LOAD_KEY")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask for real: what is asked stays there as conversations, and costs what its model costs."""
    urls, asked = url or ["http://127.0.0.1:8321"], {"message": message, "team": team}
    told = run(lambda: measured(urls, asked, sessions, seconds, think, ideal, key), as_json, lambda found: found)
    for name, value in told.items():
        put(f"{name:<22}{value}")


async def measured(
    urls: list[str],
    asked: dict[str, Any],
    sessions: int,
    seconds: float,
    think: float,
    ideal: float | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """The figures, once all sessions have begun. `of_ceiling`: how many answers came, of those that would have come had
    each taken `ideal` seconds. Raises InvalidInput where nothing is answered."""
    import aiohttp

    took: list[float] = []
    waited: list[float] = []
    failed: dict[str, int] = {}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30)
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=4.0), headers=headers, timeout=timeout
    ) as client:

        async def ask(url: str, session: str) -> float:
            began = time.perf_counter()
            async with client.post(f"{url}/v1/chat", json={**asked, "session_id": session}) as reply:
                await reply.read()
            if reply.status != 200:
                raise aiohttp.ClientError(f"HTTP {reply.status}")
            return time.perf_counter() - began

        async def session(number: int) -> None:
            await asyncio.sleep(random.uniform(0, think + alone))  # noqa: S311
            while True:
                try:
                    took.append(await ask(urls[number % len(urls)], f"load-{mark}-{number}"))
                except (aiohttp.ClientError, OSError) as error:
                    failed[str(error)] = failed.get(str(error), 0) + 1
                    await asyncio.sleep(1)
                await asyncio.sleep(think)

        async def look(url: str) -> None:
            while True:
                began = time.perf_counter()
                async with client.get(f"{url}/healthz") as reply:
                    await reply.read()
                waited.append(time.perf_counter() - began)
                await asyncio.sleep(_EVERY)

        mark = f"{time.time_ns():x}"
        try:
            alone = median([await ask(urls[0], f"load-{mark}") for _ in range(_ALONE)])
        except (aiohttp.ClientError, OSError) as error:
            told = str(error) or type(error).__name__
            raise InvalidInput(reason=phrase("cli.no_answer", url=urls[0], told=told), key="url") from None
        tasks = [asyncio.create_task(work) for work in [*map(session, range(sessions)), *map(look, urls)]]
        await asyncio.sleep(think + alone)
        for each in (took, waited, failed):
            each.clear()
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    best = alone if ideal is None else ideal
    # The lesser of what was counted and of what the answers' times allow: those that were begun before count too.
    allowed = (think + best) / (think + (fmean(took) if took else seconds))
    return {
        "answers": len(took),
        "failed": failed,
        "answers_a_second": round(len(took) / seconds, 1),
        "of_ceiling": round(min(len(took) * (think + best) / seconds / sessions, allowed), 3),
        "alone_ms": round(alone * 1000),
        "answer_ms": spread(took),
        "healthz_ms": spread(waited),
    }


def spread(values: list[float]) -> dict[str, int]:
    """p50, p95 and p99 of seconds, in milliseconds."""
    cut = quantiles(values, n=100, method="inclusive") if len(values) > 1 else (values or [0.0]) * 99
    return {f"p{part}": round(cut[part - 1] * 1000) for part in (50, 95, 99)}
