"""Reading in a child process."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from dure.knowledge.parse import Unreadable
from dure.knowledge.parse.reader import Reader


async def test_reads_and_names_problems(files, tmp_path):
    good, locked = tmp_path / "a", tmp_path / "b"
    good.write_bytes(files.pdf([["첫째."], ["둘째."]]))
    locked.write_bytes(files.pdf([["비밀"]], encrypted=True))
    reader = Reader()
    try:
        with pytest.raises(Unreadable) as caught:
            await reader.read(locked, "pdf")
        assert caught.value.problem == "encrypted"
        title, _, whole = await reader.read(good, "pdf")
        assert (title, whole.text, whole.pages) == ("", "첫째.\n\n둘째.", [(1, 0), (2, 5)])
        with pytest.raises(Unreadable) as caught:
            await reader.read(tmp_path / "none", "text")
        assert caught.value.problem == "missing"
    finally:
        await reader.close()


async def test_a_killed_child_costs_one_document(tmp_path, ordinary_children):
    path = tmp_path / "a.txt"
    path.write_text("글")
    reader = Reader()
    try:
        await reader.read(path, "text")
        child = reader.child.process
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        await child.wait()
        assert (await reader.read(path, "text"))[2].text == "글"
    finally:
        await reader.close()


async def test_a_hang_ends_in_time(tmp_path):
    """A pipe that nobody writes to hangs any reader."""
    pipe, path = tmp_path / "pipe", tmp_path / "a.txt"
    os.mkfifo(pipe)
    path.write_text("글")
    reader = Reader(seconds=0.3)
    try:
        with pytest.raises(Unreadable) as caught:
            await reader.read(pipe, "text")
        assert caught.value.problem == "timeout"
    finally:
        await reader.close()


async def test_calls_take_turns(tmp_path):
    paths = [tmp_path / f"{i}.txt" for i in range(5)]
    for path in paths:
        path.write_text(f"글 {path.stem}")
    reader = Reader()
    try:
        read = await asyncio.gather(*(reader.read(path, "text") for path in paths))
        assert [whole.text for _, _, whole in read] == [f"글 {i}" for i in range(5)]
    finally:
        await reader.close()


def test_the_children_load_no_database():
    children = "dure.knowledge.parse.child, dure.data.child"
    code = f"import sys, {children}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dure.knowledge.parse.child" in loaded
    assert {"sqlalchemy", "numpy", "pydantic", "langgraph"}.isdisjoint(loaded)
