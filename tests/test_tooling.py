import asyncio
import datetime
import threading

import pytest
from pydantic import BaseModel

from dure.messages import json_bytes
from dure.tooling import File, ToolResult, as_result, in_thread


class Point(BaseModel):
    x: int


async def test_a_hanging_thread_holds_nothing_up():
    release, started = threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    tasks = [asyncio.create_task(in_thread(hang)) for _ in range(40)]
    await asyncio.to_thread(started.wait)
    assert await asyncio.wait_for(in_thread(lambda: "free"), 60) == "free"
    for task in tasks:
        task.cancel()
    release.set()
    assert all(
        isinstance(each, asyncio.CancelledError) for each in await asyncio.gather(*tasks, return_exceptions=True)
    )
    assert all(each.daemon for each in threading.enumerate() if each.name == "dure-tool")


@pytest.mark.parametrize(("raised", "seen"), [(KeyError("x"), KeyError), (StopIteration(1), RuntimeError)])
async def test_exceptions_come_out_of_the_thread(raised, seen):
    def fail() -> None:
        raise raised

    with pytest.raises(seen):
        await in_thread(fail)


def test_as_result():
    result = ToolResult("x")
    assert as_result(result) is result
    assert as_result("text") == ToolResult("text")
    value = {"금액": 3, "날": datetime.date(2024, 1, 2), 7: [Point(x=1)], "그림": b"\xff"}
    data = {"금액": 3, "날": "2024-01-02", "7": [{"x": 1}], "그림": "_w=="}
    assert as_result(value) == ToolResult('{"금액":3,"날":"2024-01-02","7":[{"x":1}],"그림":"_w=="}', data=data)


def test_files_within_a_result_are_taken_out():
    files = [File("보고서.pdf", b"%PDF", "application/pdf"), File("a.txt", b"hello")]
    told = [f"The user got the file {each.name} ({len(each.data)} bytes)." for each in files]
    one, two = told
    for value, data in (
        ([*files, "text"], [*told, "text"]),
        ({"made": tuple(files), "월": [1, {"rows": None}]}, {"made": told, "월": [1, {"rows": None}]}),
        ({"a": files[0], "b": [[files[1]]]}, {"a": one, "b": [[two]]}),
    ):
        result = as_result(value)
        assert (result.files, result.data) == (files, data)
        assert result.text == json_bytes(data).decode()
    assert as_result(b"x").files == [File("result.bin", b"x")]
