"""Web pages: those whose addresses stand in the task are fetched, and answered from."""

import re

from dure.agents.grounded import answered
from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.packs.web import TEXTS
from dure.sources import Passage

_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}]+|\bwww\.[\w.-]+\.[a-z]{2,}[^\s<>\"'`)\]}]*", re.IGNORECASE)
_AFTER = re.compile(r"(?<=[\w/])(?:[을를은는이가의에와과로]|에서|으로)$")
_PAGES = 2
_TEXT = TEXTS["short_page.text"]


async def work(short: Short) -> Outcome:
    urls = addresses(short.task)[:_PAGES]
    if not urls:
        return stopped(short.say(_TEXT, "which"))
    passages: list[Passage] = []
    failed = []
    for url in urls:
        result = await short.call("fetch_page", url=url)
        passages += result.passages
        if result.is_error:
            failed.append(short.say(_TEXT, "failed", url=url, reason=result.text))
    if not passages:
        return stopped("\n".join(failed))
    outcome = await answered(short.run, short.agent, short.run.message, passages, 1.0, short.speech, short.work_id)
    outcome.answer = "\n\n".join(filter(None, [outcome.answer, *failed]))
    return outcome


def addresses(text: str) -> list[str]:
    """The web addresses in a text, each once, without the particles and marks that follow them."""
    found = (match.rstrip(".,;:!?") for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(_AFTER.sub("", each) for each in found))


WAY = ShortWay(work, frozenset({"fetch_page"}))
