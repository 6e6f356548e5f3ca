"""`run_python`: what it gives, what it tells, and what no code gets past."""

import asyncio
import sys

import pytest

from dure import Dure
from dure.language import in_language
from dure.messages import ToolCall
from dure.packs.code.sandbox import MAX_OUTPUT, MODULES, Sandbox
from dure.packs.code.tool import code_tool
from dure.tooling import ToolContext
from dure.toolsets import run_call

pytest.importorskip("pydantic_monty")


async def run(code, language="en", sandbox=None, **args):
    tool = code_tool(sandbox)
    call = ToolCall("run_python", {"code": code, **args})
    result = await run_call({"run_python": tool}, call, ToolContext("me", language=language))
    return result.status, result


async def test_output_and_value():
    status, result = await run("print('안녕', 1 + 1)\n[x * x for x in range(4)]", language="ko")
    assert (status, result.text) == ("ok", "출력:\n안녕 2\n\n마지막 줄의 값: [0, 1, 4, 9]")
    assert result.data == {
        "code": "print('안녕', 1 + 1)\n[x * x for x in range(4)]",
        "output": "안녕 2\n",
        "value": "[0, 1, 4, 9]",
        "error": None,
    }
    assert (await run("x = 3"))[1].text.startswith("It ran without an error but printed nothing")
    fenced = await run("```python\nprint('in a fence')\n```")
    assert fenced[1].text == "Output:\nin a fence"


async def test_an_error_names_its_lines():
    status, result = await run("def half(x):\n    return x / 0\n\nprint('begun')\nhalf(3)\n")
    assert status == "error"
    assert result.text == (
        "It failed: ZeroDivisionError: division by zero\n  line 5: half(3)\n  line 2, in half: return x / 0\n"
        "Mend it and run the whole code again.\nOutput until then:\nbegun"
    )
    assert result.data["error"] == "ZeroDivisionError: division by zero"
    _, result = await run("x = (1,\n y = 2", language="ko")
    assert "SyntaxError" in result.text
    assert "2행: y = 2" in result.text
    _, result = await run("def f(n):\n    return f(n + 1)\nf(0)")
    assert "RecursionError" in result.text
    assert len(result.text) < 1_000


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("d = {'a': 1}\nmax(d, key=d.get)", "dict.get can at most be called at once"),
        ("sorted(['b'], key=str.lower)", "str.lower can at most be called at once"),
        ("{}.push(1)", ""),
    ],
)
async def test_a_method_that_is_passed_on_is_told_to_be_written_out(code, told):
    status, result = await run(code)
    assert status == "error"
    assert told in result.text
    assert bool(told) == ("at most be called" in result.text)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import numpy as np", "Modules that exist here"),
        ("open('/etc/passwd').read()", "no files, network"),
        ("open('new.txt', 'w').write('x')", "no files, network"),
        ("from pathlib import Path\nPath('/').iterdir()", "no files, network"),
        ("import os\nos.environ['PATH']", "no files, network"),
        ("import os\nos.listdir('.')", "no files, network"),
        ("import os\nos.system('id')", "AttributeError"),
        ("import socket", "No module named 'socket'"),
        ("import subprocess", "No module named 'subprocess'"),
        ("import urllib.request", "No module named"),
        ("import ctypes", "No module named"),
        ("__import__('os').system('id')", "NameError"),
        ("().__class__.__bases__[0].__subclasses__()", "AttributeError"),
        ("(lambda: 0).__globals__", "AttributeError"),
        ("input()", "NameError"),
    ],
)
async def test_the_world_outside_is_walled_off(code, said):
    status, result = await run(code)
    assert status == "error"
    assert said in result.text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True: pass", "stopped after 1 s"),
        ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "stopped after 1 s"),
        # One step that never looks at the clock: its process is ended.
        ("pow(3, 10**8)", "stopped after 1 s"),
        ("sum(range(10**12))", "stopped after 1 s"),
        ("'x' * 10**10", "more than 128 MB"),
        ("9**9**9", "more than 128 MB"),
        ("x = [0]\nwhile True: x = x + x", "more than 128 MB"),
        ("x = []\nwhile True: x.append(x[:])", "more than 128 MB"),
        ("raise ValueError('x' * 10**8)", "more than 128 MB"),
        ("print('x' * 10**7)", "printed more than"),
        ("while True: print('flood')", "printed more than"),
        ("import re\nre.match(r'(a|a)*\\1$', 'a' * 400 + 'b')", "PatternError"),
        ("('(' * 100000)", "It ran"),
        ("eval('(' * 100000)", "too deeply nested"),
        ("-" * 40_000 + "1", "too deeply nested"),
        ("import json\njson.loads('[' * 10**6)", "JSONDecodeError"),
    ],
)
async def test_hostile_code_ends_in_time(code, said):
    # Where memory is to end first, a busy machine may need its time.
    sandbox = Sandbox(seconds=8 if "more than" in said else 1)
    status, result = await run(code, sandbox=sandbox)
    if said == "It ran":
        assert status == "ok"
    else:
        assert status == "error"
        assert said in result.text


@pytest.mark.parametrize("text", ["'flood'", "'x' * 10_000", "''"])
async def test_a_flood_of_output_is_not_waited_for(text):
    caught = f"while True:\n    try: print({text})\n    except BaseException: pass"
    for code in (f"while True: print({text})", caught):
        async with asyncio.timeout(60):
            ran = await Sandbox(seconds=30).run(code)
        assert ran.kind == "output"
        assert 50_000 < len(ran.output) <= MAX_OUTPUT


async def test_values_of_any_shape_are_shown_short():
    _, result = await run("x = [0]\nfor i in range(60): x = [x, x]\nx")
    assert len(result.text) < 9_000
    _, result = await run("x = []\nfor i in range(100_000): x = [x]\nx")
    assert result.text == "Value of the last line: " + "[" * 21 + "…" + "]" * 21
    _, result = await run("x = []\nx.append(x)\nx")
    assert "[" in result.text
    assert "digits" in (await run("3 ** 100_000"))[1].text
    _, result = await run(
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n[P(1), {'a': (1,)}, set()]"
    )
    assert result.text == "Value of the last line: [P(x=1), {'a': (1,)}, set()]"


async def test_runs_know_nothing_of_one_another():
    sandbox = Sandbox()
    await run("secret = 'mine'", sandbox=sandbox)
    status, result = await run("secret", sandbox=sandbox)
    assert status == "error"
    assert "NameError" in result.text
    both = await asyncio.gather(*(run(f"n = {i}\nprint(n * n)", sandbox=sandbox) for i in range(8)))
    assert [each[1].text for each in both] == [f"Output:\n{i * i}" for i in range(8)]


async def test_a_cancelled_run_ends_at_once():
    running = asyncio.create_task(Sandbox(seconds=3_600).run("while True: pass"))
    await asyncio.sleep(0.2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("sort.py", "sort.py"), ("../../정렬 코드", "정렬_코드.py"), ("C:\\x\\.py", "py.py"), ("..", "code.py")],
)
async def test_the_final_code_is_a_file(wanted, name):
    code = "print('한글')"
    status, result = await run(code, save_as=wanted)
    assert status == "ok"
    assert [(file.name, file.data, file.media_type) for file in result.files] == [
        (name, code.encode(), "text/x-python")
    ]
    assert f"file {name}" in result.text
    _, result = await run("1 / 0", save_as=wanted)
    assert result.files == []


@pytest.mark.parametrize(("language", "words"), [("ko", "설치되어 있지 않습니다"), ("en", "is not installed")])
async def test_without_the_sandbox(monkeypatch, language, words):
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    status, result = await run("1", language=language)
    assert status == "error"
    assert words in result.text
    assert "install -c constraints.txt '.[office]'" in result.text


async def test_what_the_description_promises():
    modules = "\n".join(f"import {name}" for name in MODULES.split(", "))
    status, result = await run(
        modules + "\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\n"
        "class C:\n    def get(self): return P().x\n"
        "async def f(): return [x for x in range(3)]\nmatch await f():\n    case [a, *_]: print(a, C().get())"
    )
    assert (status, result.text) == ("ok", "Output:\n0 1")
    for code in (
        "class A(Exception): pass",
        "class A:\n    @property\n    def x(self): return 1",
        "def f():\n    yield 1",
        "x = 1\ndel x",
        "from math import *",
        *(f"import {name}" for name in ("statistics", "string", "heapq", "pandas")),
    ):
        assert (await run(code))[0] == "error", code


def test_who_plans_reads_that_code_sees_no_files():
    does = Dure().teams["office"].agent("code").description
    assert in_language(does, "en").endswith("sees no files, only what a step before gives")
    assert "앞 단계가 준 것만" in in_language(does, "ko")
