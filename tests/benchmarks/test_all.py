"""Every benchmark that the README lists starts; what it measures takes minutes."""

import asyncio
import sys
from pathlib import Path

import pytest

BENCHMARKS = sorted(path for path in Path(__file__).parents[2].glob("benchmarks/*.py") if "_" not in path.stem)
STARTING = """
import os, runpy, sys
import dure.api, dure.app, dure.testing

for path in sys.argv[1:]:
    if not os.fork():
        sys.argv, sys.path[0] = [path, "--help"], os.path.dirname(path)
        runpy.run_path(path, run_name="__main__")
        sys.exit("it did not read its options")
    print(os.wait()[1], end="\\0", flush=True)
"""
"""Each in a process of its own, with what most of them load; what it ended with after what it said."""


@pytest.mark.slow
async def test_each_starts(tmp_path: Path) -> None:
    command = (sys.executable, "-c", STARTING, *map(str, BENCHMARKS))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, cwd=tmp_path, stdout=pipe, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    *said, rest = out.decode().split("\0")
    assert (process.returncode, rest) == (0, "")
    found = {path.name: text for path, text in zip(BENCHMARKS, said, strict=True)}
    assert {name: text for name, text in found.items() if not (text.startswith("usage: ") and text[-2:] == "\n0")} == {}
