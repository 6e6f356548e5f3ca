"""What an agent wrote, an answer or a file, held against what its run found, and where that lacks something against
what the session's runs before it did."""

import asyncio
import re
from dataclasses import replace
from functools import partial

from dure.agents.context import RunContext
from dure.agents.found import Sources
from dure.knowledge.cite import Cited, foreign
from dure.knowledge.claims import MARKER
from dure.knowledge.sentences import COLUMN

EARLIER = 100
"""What the session's answers before cite is numbered from behind this on in what a model reads of them, so that nothing
that is found now has the same number."""
_LONG = 10_000
"""Characters from which on citing holds up whatever else the process does."""


async def cited(run: RunContext, text: str) -> Cited:
    """The text as it is shown; what is in another language than its passages is compared with them by meaning."""
    read, text = text, _counted_on(text, len(run.sources.passages)) if run.way.decides else text
    now = await _within(run.sources, run, text)
    lacks = any(each["missing"] for each in now.checks or ())
    looked = run.sources.passages or run.tool_calls
    if not run.way.decides or (looked and not lacks and text == read):
        return now
    # Earlier answers may be worded anew, and what these cited goes on being cited.
    before = await _within(await _with_earlier(run), run, text)
    return before if lacks or before.citations else now


def _counted_on(text: str, held: int) -> str:
    """A text whose markers of what answers before cite count on behind the `held` passages of now."""

    def behind(number: re.Match[str]) -> str:
        at = int(number[0]) - EARLIER
        return str(held + at) if 0 < at < EARLIER and held <= EARLIER else number[0]

    return MARKER.sub(lambda mark: re.sub(r"\d+", behind, mark[0]), text)


async def _within(sources: Sources, run: RunContext, text: str) -> Cited:
    second = run.embedder.second if run.embedder and foreign(text, sources.passages) else None
    said = [str(each["content"]) for each in run.history if each["role"] == "user"]
    citing = partial(sources.cited, text, run.written or run.message, second.encode if second else None, said)
    return await asyncio.to_thread(citing) if second or len(text) > _LONG else citing()


async def _with_earlier(run: RunContext) -> Sources:
    """What this run found and, behind it, what the session's last answers cite, by their numbers, and were told."""
    now, earlier = run.sources, await run.earlier() if run.last_answer else ()
    cited = list(enumerate(((p, of) for of in earlier for p in of.cited()), len(now.passages) + 1))
    tables = {number: of.tables for number, (passage, of) in cited if COLUMN in passage.text and of.tables}
    return replace(
        now,
        passages=[*now.passages, *(passage for _, (passage, _) in cited)],
        told=[*now.told, *(text for each in earlier for text in each.told)],
        results=now.results | tables,
    )
