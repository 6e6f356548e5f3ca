"""Web search: with the message's own words; the answer is from what the results say."""

import re

from dure.agents.grounded import answered
from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped

_QUERY_CHARS = 200
_KOREAN = re.compile(
    r"\s*[을를]?\s*(?:웹에서|인터넷에서|인터넷으로)?\s*(?:검색|찾아|조사|알아봐|알아보|요약|정리|알려)"
)
_ENGLISH = re.compile(r"^(?:please )?(?:search(?: the web)?(?: for)?|find|look up)\s+", re.IGNORECASE)


async def work(short: Short) -> Outcome:
    result = await short.call("web_search", queries=[query(short.task)])
    if not result.passages:
        return stopped(result.text)
    return await answered(short.run, short.agent, short.run.message, result.passages, 1.0, short.speech, short.work_id)


def query(task: str) -> str:
    """What to type into a search engine: the task without the words that ask for it."""
    asked = task.partition("\n\n")[0].removeprefix("Task: ").strip()
    return (_KOREAN.split(_ENGLISH.sub("", asked), maxsplit=1)[0].strip() or asked)[:_QUERY_CHARS]


WAY = ShortWay(work, frozenset({"web_search"}))
