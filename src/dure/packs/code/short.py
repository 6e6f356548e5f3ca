"""Code: the model writes a program, it is run, its error goes back to the model; program and output are the answer."""

import re

from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.packs.code import TEXTS

RUNS = 3
"""How often a program is run, mended in between."""

_RULES = TEXTS.one("short.rules")
# In JSON a small model forgets the line ends of its code.
_BLOCK = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_SQL = re.compile(r"[^\n]*\n\n```sql\n.*?```", re.DOTALL)
_TOKENS = 600
_FILE = re.compile(r"파일로|저장|\.py\b|\bsave\b|as a file", re.IGNORECASE)
_TEXT = TEXTS["short.text"]


async def work(short: Short) -> Outcome:
    # How earlier results were got misleads: the model would query the tables again.
    asked, seen, error, code = _SQL.sub("", short.task), set[str](), "", ""
    file = {"save_as": "program.py"} if _FILE.search(short.task) else {}
    for _ in range(RUNS):
        written = program(await short.text(_RULES[short.run.language], asked, _TOKENS))
        if not written or written in seen:
            break
        seen.add(written)
        code = written
        result = await short.call("run_python", code=code, **file)
        found = result.fields
        output = "\n".join(filter(None, [str(found.get("output") or "").strip(), str(found.get("value") or "")]))
        if not result.is_error and output:
            return Outcome("completed", f"{short.say(_TEXT, 'ran', output=output)}\n\n{_shown(short, code)}")
        error = result.text if result.is_error else short.say(_TEXT, "silent")
        asked = short.say(_TEXT, "mend", error=error)
    if not code:
        return stopped(short.say(_TEXT, "none"))
    failed = short.say(_TEXT, "failed", runs=len(seen), error=error)
    return stopped(f"{failed}\n\n{_shown(short, code)}")


def _shown(short: Short, code: str) -> str:
    return short.say(_TEXT, "code", code=code)


def program(text: str) -> str:
    """The code in a reply: its first block, else all of it."""
    block = _BLOCK.search(text)
    return (block[1] if block else text).strip("\n").rstrip()


WAY = ShortWay(work, frozenset({"run_python"}))
