"""`run_python`: code that a model wrote, really run, in a sandbox."""

import re
from pathlib import PurePath
from typing import Any

from dure.errors import Language
from dure.tooling import File, Tool, ToolContext, ToolResult
from dure.tools.sandbox import MAX_OUTPUT, MEMORY, MODULES, SECONDS, Ran, Sandbox

MAX_CODE = 50_000

_DESCRIPTION = (
    "Run Python code and get what it prints, the value of its last line, or the error with its line. Every call "
    "starts afresh: send the whole program. It is a sandbox with no files, network, input() or installed packages. "
    f"Modules: {MODULES}; no others (no statistics, string, heapq, numpy, pandas). Functions, plain classes and "
    "dataclasses, comprehensions, async and match work; not: class inheritance (nor own exceptions), property, "
    "staticmethod, classmethod, yield, del, import *. "
    f"Limits: {SECONDS:g} s, {MEMORY >> 20} MB."
)
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "minLength": 1, "maxLength": MAX_CODE, "description": "the whole program"},
        "save_as": {
            "type": "string",
            "description": "file name such as sort.py: gives the user the code as a file, if it ran without an error. "
            "Only where the user wants code, and with its final version",
        },
    },
    "required": ["code"],
    "additionalProperties": False,
}

_TEXT: dict[str, dict[Language, str]] = {
    "output": {"ko": "출력:\n{text}", "en": "Output:\n{text}"},
    "value": {"ko": "마지막 줄의 값: {text}", "en": "Value of the last line: {text}"},
    "nothing": {
        "ko": "오류 없이 실행되었지만 출력이 없습니다. 결과를 보려면 print()를 쓰세요.",
        "en": "It ran without an error but printed nothing. Use print() to see results.",
    },
    "saved": {
        "ko": "코드를 {name} 파일로 사용자에게 전달했습니다.",
        "en": "The user gets the code as the file {name}.",
    },
    "error": {"ko": "실행 중 오류: {error}", "en": "It failed: {error}"},
    "line": {"ko": "{line}행: {source}", "en": "line {line}: {source}"},
    "inside": {"ko": "{line}행, {function} 안: {source}", "en": "line {line}, in {function}: {source}"},
    "before": {"ko": "그때까지의 출력:\n{text}", "en": "Output until then:\n{text}"},
    "time": {
        "ko": "{seconds:g}초 안에 끝나지 않아 중단했습니다. 끝나지 않는 반복이 없는지 보고, 더 빠른 방법을 쓰세요.",
        "en": "It was stopped after {seconds:g} seconds. Look for an endless loop, or use a faster way.",
    },
    "memory": {
        "ko": "메모리 {size}MB를 넘어 중단했습니다. 한 번에 담는 양을 줄이세요.",
        "en": "It was stopped: it needs more than {size} MB of memory. Hold less at once.",
    },
    "much": {
        "ko": "{size:,}바이트보다 많이 출력해 중단했습니다. 필요한 것만 출력하세요.",
        "en": "It was stopped: it printed more than {size:,} bytes. Print only what is needed.",
    },
    "module": {"ko": "쓸 수 있는 모듈: {modules}", "en": "Modules that exist here: {modules}"},
    "walled": {
        "ko": "여기서는 파일, 네트워크, 환경 변수를 쓸 수 없습니다. 자료를 코드 안에 적으세요.",
        "en": "There are no files, network or environment here. Write the data into the code.",
    },
    "again": {"ko": "고쳐서 전체 코드를 다시 실행하세요.", "en": "Mend it and run the whole code again."},
}


def code_tool(sandbox: Sandbox | None = None) -> Tool:
    """`run_python` {code, save_as?}. The result's data: `{code, output, value, error}`, error None where it ran."""
    used = sandbox or Sandbox()

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        code = unfenced(args["code"])
        ran = await used.run(code)
        data = {"code": code, "output": ran.output, "value": ran.value, "error": None}
        if ran.kind is not None:
            text = _failed(ran, used, context.language)
            return ToolResult(text, is_error=True, data=data | {"error": ran.error or ran.kind})
        say = {key: texts[context.language] for key, texts in _TEXT.items()}
        blocks = [say["output"].format(text=ran.output.rstrip("\n"))] if ran.output.strip() else []
        blocks += [say["value"].format(text=ran.value)] if ran.value else []
        files = []
        if args.get("save_as"):
            files.append(File(_file_name(args["save_as"]), code.encode(), "text/x-python"))
        blocks += [say["saved"].format(name=file.name) for file in files]
        return ToolResult("\n\n".join(blocks) or say["nothing"], data=data, files=files)

    return Tool("run_python", _DESCRIPTION, _PARAMETERS, run)


def unfenced(code: str) -> str:
    """The code without a Markdown fence around it, and fit for UTF-8."""
    code = code.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    fenced = re.fullmatch(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", code, re.DOTALL)
    return fenced[1] if fenced else code


def _failed(ran: Ran, sandbox: Sandbox, language: Language) -> str:
    say = {key: texts[language] for key, texts in _TEXT.items()}
    match ran.kind:
        case "time":
            blocks = [say["time"].format(seconds=sandbox.seconds)]
        case "memory":
            blocks = [say["memory"].format(size=sandbox.memory >> 20)]
        case "output":
            return say["much"].format(size=MAX_OUTPUT)
        case _:
            blocks = [say["error"].format(error=ran.error)]
    blocks += [
        "  " + say["line" if name == "<module>" else "inside"].format(line=line, function=name, source=source)
        for line, name, source in ran.frames
    ]
    if ran.error.startswith(("ModuleNotFoundError", "ImportError")):
        blocks.append(say["module"].format(modules=MODULES))
    elif ran.error.startswith(("PermissionError", "RuntimeError: 'os.")):
        blocks.append(say["walled"])
    blocks.append(say["again"])
    if ran.output.strip():
        blocks.append(say["before"].format(text=ran.output[-2_000:].rstrip("\n")))
    return "\n".join(blocks)


def _file_name(wanted: str) -> str:
    stem = re.sub(r"[^\w.-]+", "_", PurePath(wanted.replace("\\", "/")).name).strip("._")[:80]
    stem = stem.removesuffix(".py") or "code"
    return f"{stem}.py"
