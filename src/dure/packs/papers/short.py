"""Files with a small model: what was just found, or the last answer, is saved as it stands; the message says how."""

import re

from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay
from dure.packs.papers.stages import ours
from dure.packs.papers.stages.save import OTHER, format_of
from dure.packs.papers.tools.save import SAVE, TABULAR
from dure.runs.answer import formatted

_FOUND = re.compile(r"(?:^|\n\n)Result of [^\n:]{1,60}:\s")
"""Above what an agent before this one found."""
_NAME = 40


async def work(short: Short) -> Outcome:
    run, kind = short.run, format_of(short.run.message)
    found = "\n\n".join(_FOUND.split(short.task)[1:]).strip()
    said, citations, _ = run.sources.cited(found, run.message) if found else (run.last_answer, [], None)
    if kind == OTHER or not said.strip():
        return Outcome("completed", ours(run, "other_format" if kind == OTHER else "nothing_to_save"))
    content = said if kind in TABULAR else said + formatted("", citations, "markdown", run.language)
    result = await short.call(SAVE, name=said.strip("#*| \n").split("\n")[0][:_NAME], format=kind, content=content)
    if result.is_error:
        return Outcome("completed", ours(run, "not_saved", reason=result.text))
    return Outcome("completed", ours(run, "saved", name=result.fields.get("name", "")))


WAY = ShortWay(work, frozenset({SAVE}))
