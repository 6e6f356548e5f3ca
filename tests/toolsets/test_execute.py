import asyncio
import sys
import threading
from dataclasses import replace

import pytest

from dure.errors import DocumentUnreadable, ToolError
from dure.messages import ToolCall
from dure.sources import Passage
from dure.tooling import Tool, ToolContext, ToolResult, hands_over
from dure.toolsets import Tools, Wrapper, run_call, tool

KO = ToolContext("me", language="ko")
EN = ToolContext("me", language="en")


@tool
def add(a: int, b: int = 1) -> str:
    """Add."""
    return str(a + b)


def made(run, schema=None, **extra) -> dict[str, Tool]:
    return {"t": Tool("t", "", schema or {"type": "object"}, run, **extra)}


async def run(tools, name="t", args=None, context=EN):
    return await run_call(tools, ToolCall(name, args or {}), context)


async def test_a_good_call_is_ok():
    result = await run({"add": add}, "add", {"a": 1, "b": 2})
    assert (result.status, result.text, result.is_error) == ("ok", "3", False)
    assert 0 < result.seconds < 5


@pytest.mark.parametrize(("context", "words"), [(KO, "'add'을(를) 뜻했나요?"), (EN, "Did you mean 'add'?")])
async def test_an_unknown_name_gets_the_nearest(context, words):
    result = await run({"add": add}, "Addd", context=context)
    assert result.status == "error"
    assert result.is_error
    assert words in result.text


async def test_an_unknown_name_without_any_tool():
    result = await run({}, "x")
    assert result.status == "error"
    assert "none" in result.text


async def test_what_the_dialect_found_wrong_is_handed_on():
    call = ToolCall("add", {"a": 1}, error="arguments are not JSON")
    result = await run_call({"add": add}, call, EN)
    assert (result.status, result.text) == ("error", "arguments are not JSON")


@pytest.mark.parametrize(("context", "words"), [(KO, "실행하지 않았습니다"), (EN, "was not run")])
async def test_bad_arguments_do_not_reach_the_tool(context, words):
    reached = []

    async def keep(args, context):
        reached.append(args)
        return ToolResult("")

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = await run(made(keep, schema), args={"n": "many"}, context=context)
    assert result.status == "error"
    assert words in result.text
    assert '{"n":{"type":"integer"}},"required":["n"]' in result.text
    assert reached == []


@pytest.mark.parametrize(("context", "words"), [(KO, "실행에 실패했습니다"), (EN, "failed")])
async def test_an_exception_is_told_without_a_trace(context, words):
    @tool(name="t")
    def broken() -> str:
        raise KeyError("price")

    result = await run({"t": broken}, context=context)
    assert result.status == "error"
    assert words in result.text
    assert "KeyError: 'price'" in result.text
    assert "Traceback" not in result.text
    assert __file__ not in result.text


async def test_our_own_errors_speak_the_users_language():
    async def refuse(args, context):
        raise DocumentUnreadable(reason="encrypted")

    assert (await run(made(refuse), context=KO)).text.startswith("문서를 읽을 수 없습니다")
    assert (await run(made(refuse), context=EN)).text.startswith("The document cannot be read")


@pytest.mark.parametrize(
    "error", [SystemExit(3), ExceptionGroup("g", [ValueError("x")]), RecursionError(), ToolError()]
)
async def test_any_exception_is_only_a_result(error):
    async def raising(args, context):
        raise error

    assert (await run(made(raising))).status == "error"


async def test_a_plain_function_may_exit_or_stop_iterating():
    @tool(name="exits")
    def exits() -> str:
        sys.exit(1)

    @tool(name="stops")
    def stops() -> str:
        return next(iter(()))

    for each in (exits, stops):
        result = await run({each.name: each}, each.name)
        assert result.status == "error"
        assert each.name in result.text


@pytest.mark.parametrize(("context", "words"), [(KO, "0.02초"), (EN, "within 0.02 seconds")])
async def test_a_slow_tool_times_out(context, words):
    async def slow(args, context):
        await asyncio.sleep(60)

    result = await run(made(slow, timeout=0.02), context=context)
    assert result.status == "timeout"
    assert result.is_error
    assert words in result.text
    assert result.seconds < 10


async def test_a_timeout_of_the_tools_own_is_a_timeout_too():
    async def impatient(args, context):
        raise TimeoutError

    result = await run(made(impatient))
    assert result.status == "timeout"
    assert "60" not in result.text


async def test_cancelling_the_run_cancels_the_tool():
    started = asyncio.Event()
    ended = []

    async def endless(args, context):
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    task = asyncio.create_task(run(made(endless)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


async def test_something_cancelled_inside_the_tool_is_the_tools_failure():
    async def confused(args, context):
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    assert (await run(made(confused))).status == "error"


async def test_a_result_marked_as_error_is_one():
    async def refuse(args, context):
        return ToolResult("no", is_error=True)

    assert (await run(made(refuse))).status == "error"


async def test_a_long_result_is_cut_with_a_note():
    async def long(args, context):
        return ToolResult("가" * 1000)

    text = (await run_call(made(long), ToolCall("t", {}), KO, max_chars=100)).text
    assert text == "가" * 100 + "\n… [결과가 길어 전체 1000자 중 앞 100자만 보여 줍니다]"


async def test_results_can_always_be_stored():
    async def odd(args, context):
        return ToolResult("a\ud800b\0c", data={"x": "\ud800", "n": 2**70})

    result = await run(made(odd))
    assert result.text == "a?b�c"
    assert result.data == {"x": "\ufffd", "n": str(2**70)}


async def test_an_empty_result_says_so():
    async def silent(args, context):
        return ToolResult("  \n")

    assert (await run(made(silent), context=KO)).text == "(결과 없음)"


async def test_passages_alone_are_a_result():
    async def search(args, context):
        return ToolResult("", passages=[Passage("d", "규정", 1, 0, 2, "연차")])

    assert (await run(made(search))).text == ""


async def test_a_tool_of_ones_own_may_return_anything():
    async def plain(args, context):
        return {"rate": 1390}

    assert (await run(made(plain))).text == '{"rate":1390}'


async def test_calls_run_side_by_side():
    meeting = asyncio.Barrier(2)

    async def meet(args, context):
        await meeting.wait()
        return ToolResult("met")

    tools = made(meet, timeout=10)
    assert [each.status for each in await asyncio.gather(run(tools), run(tools))] == ["ok", "ok"]


@pytest.mark.parametrize(
    ("marked", "args", "expected"), [(False, {}, ["over", "in"]), (True, {}, ["in"]), (False, {"a": 1}, [])]
)
async def test_a_call_is_handed_over_before_its_tool_begins(marked, args, expected):
    order: list[str] = []

    async def work(args, context):
        order.append("in")
        return ToolResult("ok")

    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": False,
        "maxProperties": 0,
    }
    tools = made(hands_over(work) if marked else work, schema, effect="write")
    await run(tools, args=args, context=ToolContext("me", hand_over=lambda: order.append("over")))
    assert order == expected


async def test_a_plain_function_is_handed_over_in_its_thread_and_what_stands_for_it_before() -> None:
    order: list[tuple[str, int]] = []

    def told(what: str) -> None:
        order.append((what, threading.get_ident()))

    @tool(effect="write")
    def book() -> str:
        """Book."""
        told("in")
        return "booked"

    class Slow(Wrapper):
        async def call(self, call, context):
            told("wrapper")
            return await super().call(call, context)

    context = ToolContext("me", hand_over=lambda: told("over"))
    await run({"t": book}, context=context)
    here = threading.get_ident()
    assert [what for what, _ in order] == ["over", "in"]
    assert order[0][1] == order[1][1] != here
    order.clear()
    await run(Slow(Tools([replace(book, name="t")])).bound(), context=context)
    assert order[:2] == [("over", here), ("wrapper", here)]
