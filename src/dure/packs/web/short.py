"""The web: an answer from a search with the message's own words, or from pages whose addresses stand in the task."""

import re

from dure.agents.grounded import answered
from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.packs.web import TEXTS
from dure.sources import Passage

_QUERY_CHARS = 200
_KOREAN = re.compile(
    r"\s*[을를]?\s*(?:웹에서|인터넷에서|인터넷으로)?\s*(?:검색|찾아|조사|알아봐|알아보|요약|정리|알려)"
)
_ENGLISH = re.compile(r"^(?:please )?(?:search(?: the web)?(?: for)?|find|look up)\s+", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}]+|\bwww\.[\w.-]+\.[a-z]{2,}[^\s<>\"'`)\]}]*", re.IGNORECASE)
_AFTER = re.compile(r"(?<=[\w/])(?:[을를은는이가의에와과로]|에서|으로)$")
_PAGES = 2
_TEXT = TEXTS["short.text"]


async def search(short: Short) -> Outcome:
    result = await short.call("web_search", queries=[query(short.task)])
    if not result.passages:
        return stopped(result.text)
    return await answered(short, short.run.message, result.passages, 1.0)


def query(task: str) -> str:
    """What to type into a search engine: the task without the words that ask for it."""
    asked = task.partition("\n\n")[0].removeprefix("Task: ").strip()
    return (_KOREAN.split(_ENGLISH.sub("", asked), maxsplit=1)[0].strip() or asked)[:_QUERY_CHARS]


async def read(short: Short) -> Outcome:
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
    outcome = await answered(short, short.run.message, passages, 1.0)
    outcome.answer = "\n\n".join(filter(None, [outcome.answer, *failed]))
    return outcome


def addresses(text: str) -> list[str]:
    """The web addresses in a text, each once, without the particles and marks that follow them."""
    found = (match.rstrip(".,;:!?") for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(_AFTER.sub("", each) for each in found))


SEARCH = ShortWay(search, frozenset({"web_search"}))
PAGE = ShortWay(read, frozenset({"fetch_page"}))
