"""`run_python`: code that a model wrote, really run, in a sandbox."""

import builtins
import re
from functools import partial
from pathlib import PurePath
from typing import Any

from dure.errors import Language
from dure.markdown import unfenced
from dure.pack import Parts
from dure.packs.code import TEXTS
from dure.packs.code.sandbox import MAX_OUTPUT, MEMORY, MODULES, SECONDS, Ran, Sandbox
from dure.tooling import File, Tool, ToolContext, ToolResult, an_object
from dure.toolsets import Tools, Toolset

MAX_CODE = 50_000

_DESCRIPTION = (
    "Run Python code and get what it prints, the value of its last line, or the error with its line. Every call "
    "starts afresh: send the whole program. It is a sandbox with no files, network, input() or installed packages. "
    f"Modules: {MODULES}; no others (no statistics, string, heapq, numpy, pandas). Functions, plain classes and "
    "dataclasses, comprehensions, async and match work; not: class inheritance (nor own exceptions), property, "
    "staticmethod, classmethod, yield, del, import *, nor methods of built-in types that are not called at once: "
    "key=lambda k: d.get(k), not key=d.get. "
    f"Limits: {SECONDS:g} s, {MEMORY >> 20} MB."
)
_PARAMETERS = an_object(
    {
        "code": {"type": "string", "minLength": 1, "maxLength": MAX_CODE, "description": "the whole program"},
        "save_as": {
            "type": "string",
            "description": "file name such as sort.py: gives the user the code as a file, if it ran without an error. "
            "Only where the user wants code, and with its final version",
        },
    },
    "save_as",
)

_LACKS = re.compile(r"^AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute '(\w+)'")
_TEXT = TEXTS["tool.text"]


def open_code(parts: Parts) -> Toolset:
    """The tool that runs code. It holds nothing open."""
    return Tools([code_tool()])


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
        say = partial(_TEXT.say, language=context.language)
        blocks = [say("output", text=ran.output.rstrip("\n"))] if ran.output.strip() else []
        blocks += [say("value", text=ran.value)] if ran.value else []
        files = [File(_file_name(args["save_as"]), code.encode(), "text/x-python")] if args.get("save_as") else []
        blocks += [say("saved", name=file.name) for file in files]
        return ToolResult("\n\n".join(blocks) or say("nothing"), data=data, files=files)

    return Tool("run_python", _DESCRIPTION, _PARAMETERS, run, needs="pydantic_monty")


def _failed(ran: Ran, sandbox: Sandbox, language: Language) -> str:
    say = partial(_TEXT.say, language=language)
    if ran.kind == "output":
        return say("much", size=MAX_OUTPUT)
    blocks = [say(str(ran.kind), seconds=sandbox.seconds, size=sandbox.memory >> 20, error=ran.error)]
    blocks += [
        "  " + say("line" if name == "<module>" else "inside", line=line, function=name, source=source)
        for line, name, source in ran.frames
    ]
    if ran.error.startswith(("ModuleNotFoundError", "ImportError")):
        blocks.append(say("module", modules=MODULES))
    elif ran.error.startswith(("PermissionError", "RuntimeError: 'os.")):
        blocks.append(say("walled"))
    elif (lacks := _LACKS.search(ran.error)) and hasattr(getattr(builtins, lacks[1], None), lacks[2]):
        blocks.append(say("bound", type=lacks[1], method=lacks[2]))
    blocks.append(say("again"))
    if ran.output.strip():
        blocks.append(say("before", text=ran.output[-2_000:].rstrip("\n")))
    return "\n".join(blocks)


def _file_name(wanted: str) -> str:
    stem = re.sub(r"[^\w.-]+", "_", PurePath(wanted.replace("\\", "/")).name).strip("._")[:80]
    stem = stem.removesuffix(".py") or "code"
    return f"{stem}.py"
