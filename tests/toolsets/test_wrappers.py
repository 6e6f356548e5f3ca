"""Toolsets and what wraps them: names, choice, length, and a wrapper of one's own."""

from dataclasses import replace

import pytest

from dure.messages import ToolCall
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import Filtered, Fitted, Named, Tools, Toolset, Wrapper, as_tool, run_call

EN = ToolContext("me", language="en")


def find(name: str) -> str:
    """Find somebody."""
    return f"found {name}"


def remove(name: str) -> str:
    """Remove somebody."""
    return f"removed {name}"


@pytest.fixture
def crm() -> Toolset:
    return Tools([find, as_tool(remove, effect="write")])


async def called(toolset: Toolset, tool: str, **args: object) -> ToolResult:
    """A call as a run makes it: by the tools alone."""
    return await run_call(toolset.bound(), ToolCall(tool, args), EN)


async def test_names(crm):
    named = Named(crm, {"remove": "delete"}, prefix="crm_")
    assert {name: each.name for name, each in named.tools().items()} == {"crm_find": "crm_find", "delete": "delete"}
    assert named.tools()["delete"].effect == "write"
    assert (await called(named, "crm_find", name="kim")).text == "found kim"
    assert (await called(named, "delete", name="kim")).text == "removed kim"
    twice = Named(named, prefix="our_")
    assert (await called(twice, "our_crm_find", name="kim")).text == "found kim"


async def test_choice(crm):
    looks = Filtered(crm, lambda tool: tool.effect == "read")
    assert list(looks.tools()) == ["find"]
    assert (await called(looks, "find", name="kim")).text == "found kim"
    assert (await called(looks, "remove", name="kim")).status == "error"
    with pytest.raises(KeyError):
        await looks.call(ToolCall("remove", {"name": "kim"}), EN)


async def test_length():
    short = Fitted(Tools([find]), 8)
    assert (await called(short, "find", name="lee")).text.startswith(
        "found le\n… [the result was cut: the first 8 of 9"
    )
    assert (await called(short, "find", name="ki")).text == "found ki"


async def test_a_wrapper_of_ones_own_is_asked_for_every_call(crm):
    class Polite(Wrapper):
        async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
            result = await super().call(call, context)
            return replace(result, text=f"{result.text}, {context.owner}")

    around = Named(Polite(Filtered(crm, lambda tool: tool.name == "find")), prefix="x_")
    assert (await called(Tools([around]), "x_find", name="kim")).text == "found kim, me"


async def test_what_a_toolset_lists_may_change():
    class Growing(Toolset):
        def __init__(self) -> None:
            self.known = Tools([find])

        def tools(self):
            return self.known.tools()

    growing = Growing()
    given = Tools([growing])
    assert list(given.tools()) == ["find"]
    growing.known = Tools([find, remove])
    assert list(given.tools()) == ["find", "remove"]
    assert (await called(given, "remove", name="kim")).text == "removed kim"


async def test_a_toolset_of_its_own_way_of_calling():
    class Remote(Tools):
        async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
            if call.args["name"] == "nobody":
                raise LookupError("who?")
            return ToolResult(f"{call.name} by wire")

    remote = Remote([find])
    assert (await called(remote, "find", name="kim")).text == "find by wire"
    failed = await called(remote, "find", name="nobody")
    assert (failed.status, "LookupError: who?" in failed.text) == ("error", True)
    assert (await called(remote, "find", name=3)).status == "error", "arguments are checked before"
