import asyncio
import contextvars
import datetime
import enum
import threading
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from dure.tooling import Tool, ToolContext, ToolResult, as_result, from_langchain, in_thread, tool

ME = ToolContext("me", agent="a", language="en")


class Size(enum.Enum):
    SMALL = "s"


class Point(BaseModel):
    x: int


def test_a_function_becomes_a_tool():
    @tool
    def exchange_rate(currency: str, unit: Literal["won", "dollar"] = "won") -> str:
        """Today's rate of a currency."""
        return currency

    assert isinstance(exchange_rate, Tool)
    assert exchange_rate.name == "exchange_rate"
    assert exchange_rate.description == "Today's rate of a currency."
    assert (exchange_rate.effect, exchange_rate.timeout, exchange_rate.untrusted) == ("read", 60.0, False)
    assert exchange_rate.parameters == {
        "type": "object",
        "properties": {
            "currency": {"type": "string"},
            "unit": {"type": "string", "enum": ["won", "dollar"], "default": "won"},
        },
        "required": ["currency"],
        "additionalProperties": False,
    }
    assert exchange_rate.as_openai() == {
        "type": "function",
        "function": {
            "name": "exchange_rate",
            "description": "Today's rate of a currency.",
            "parameters": exchange_rate.parameters,
        },
    }


async def test_options_and_context():
    @tool(name="send", description="Send it.", effect="external", timeout=5, untrusted=True)
    async def send_mail(to: str, context: ToolContext) -> str:
        return f"{context.owner} {context.agent} {to}"

    assert (send_mail.name, send_mail.description) == ("send", "Send it.")
    assert (send_mail.effect, send_mail.timeout, send_mail.untrusted) == ("external", 5, True)
    assert list(send_mail.parameters["properties"]) == ["to"]
    assert (await send_mail.run({"to": "you"}, ME)).text == "me a you"


def test_without_parameters_and_docstring():
    @tool
    def ping():
        return "pong"

    assert ping.description == "ping"
    assert ping.parameters == {"type": "object", "properties": {}, "additionalProperties": False}


async def test_arguments_arrive_as_annotated():
    seen = []

    @tool
    def take(
        day: datetime.date, size: Size, point: Point, points: list[Point], note: Annotated[str, Field(max_length=3)]
    ):
        seen.extend([day, size, point, points, note])

    given = {"day": "2024-01-02", "size": "s", "point": {"x": 1}, "points": [{"x": 2}], "note": "abc"}
    await take.run(given, ME)
    assert seen == [datetime.date(2024, 1, 2), Size.SMALL, Point(x=1), [Point(x=2)], "abc"]
    assert take.parameters["properties"]["note"] == {"type": "string", "maxLength": 3}
    with pytest.raises(ValueError, match="note"):
        await take.run({**given, "note": "abcd"}, ME)


async def test_parameter_names_clash_with_nothing():
    @tool
    def odd(schema: str, json: str, model_config: int, copy: int = 2) -> str:
        return f"{schema} {json} {model_config} {copy}"

    assert list(odd.parameters["properties"]) == ["schema", "json", "model_config", "copy"]
    assert (await odd.run({"schema": "a", "json": "b", "model_config": 1}, ME)).text == "a b 1 2"


def test_parameters_without_a_schema_are_refused():
    for make in (lambda *args: None, lambda **more: None, lambda a, /: None):
        with pytest.raises(TypeError, match="tool t"):
            tool(name="t")(make)


@pytest.mark.parametrize("name", ["환율", "a b", "a.b", "x" * 65, ""])
def test_names_that_servers_refuse_are_refused(name):
    def fn() -> None: ...

    fn.__name__ = name
    with pytest.raises(ValueError, match="tool name"):
        tool(fn)


async def test_defaults_are_the_functions_own():
    marker = object()

    @tool
    def search(limit: int = 3, other: object = marker) -> str:
        return f"{limit} {other is marker}"

    assert (await search.run({}, ME)).text == "3 True"


async def test_plain_functions_run_in_a_thread_with_the_callers_context():
    variable = contextvars.ContextVar("variable", default="none")
    variable.set("given")

    @tool
    def where() -> str:
        return f"{threading.current_thread() is threading.main_thread()} {variable.get()}"

    assert (await where.run({}, ME)).text == "False given"


async def test_a_hanging_thread_holds_nothing_up():
    release, started = threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        release.wait()

    tasks = [asyncio.create_task(in_thread(hang)) for _ in range(40)]
    await asyncio.to_thread(started.wait)
    assert await asyncio.wait_for(in_thread(lambda: "free"), 20) == "free"
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
    value = {"금액": 3, "날": datetime.date(2024, 1, 2)}
    assert as_result(value) == ToolResult('{"금액":3,"날":"2024-01-02"}', data=value)


async def test_langchain_tools_plug_in():
    from langchain_core.tools import tool as langchain_tool

    @langchain_tool
    def weather(city: str, days: int = 1) -> str:
        """The weather of a city."""
        return f"{city} {days}"

    ours = from_langchain(weather, effect="external")
    assert (ours.name, ours.description, ours.effect) == ("weather", "The weather of a city.", "external")
    assert ours.parameters["properties"]["days"] == {"default": 1, "type": "integer"}
    assert (await ours.run({"city": "서울"}, ME)).text == "서울 1"
