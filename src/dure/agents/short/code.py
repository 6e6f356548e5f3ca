"""Code: the model writes a program, it is run, its error goes back to the model; program and output are the answer."""

import re

from dure.agents.outcome import Outcome
from dure.agents.short.way import Short, stopped

RUNS = 3
"""How often a program is run, mended in between."""

_RULES = {
    "ko": "일을 하는 파이썬 프로그램 하나를 쓰고 결과를 print()로 출력합니다. 표준 라이브러리만 쓰고, 자료는 코드 안에 "
    "리스트나 딕셔너리로 적습니다. 파일, 네트워크, input()은 없습니다. "
    "```python 코드 블록 하나만 쓰고 설명은 쓰지 않습니다.",
    "en": "Write one Python program that does the task and prints the result with print(). Use only the standard "
    "library; write the data into the code as lists or dicts. There are no files, no network and no input(). "
    "Write one ```python block and no explanations.",
}
# In JSON a small model forgets the line ends of its code.
_BLOCK = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_SQL = re.compile(r"[^\n]*\n\n```sql\n.*?```", re.DOTALL)
_TOKENS = 600
_FILE = re.compile(r"파일로|저장|\.py\b|\bsave\b|as a file", re.IGNORECASE)
_TEXT = {
    "ran": {"ko": "실행 결과:\n\n```\n{output}\n```", "en": "It printed:\n\n```\n{output}\n```"},
    "code": {"ko": "실행한 코드:\n\n```python\n{code}\n```", "en": "The code that was run:\n\n```python\n{code}\n```"},
    "failed": {
        "ko": "코드를 {runs}번 고쳐 실행했지만 끝까지 실행되지 않았습니다. 마지막 결과:\n\n{error}",
        "en": "The code did not run through in {runs} tries. Its last result:\n\n{error}",
    },
    "none": {"ko": "코드를 쓰지 못했습니다.", "en": "No code was written."},
    "silent": {
        "ko": "아무것도 출력하지 않았습니다. print()로 결과를 출력하도록 고치세요.",
        "en": "It printed nothing. Mend it so that it prints the result with print().",
    },
    "mend": {
        "ko": "{error}\n\n다른 방법으로 고친 전체 코드를 쓰세요. 외부 패키지는 import하지 않습니다.",
        "en": "{error}\n\nWrite the whole code again, mended in another way. Import no packages.",
    },
}


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
        found = result.data if isinstance(result.data, dict) else {}
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
