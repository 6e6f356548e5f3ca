"""What can be a tool becomes one; anything else is refused in a sentence."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from dure import Agent, Dure, Team, tool
from dure.errors import DureError
from dure.messages import ToolCall
from dure.tooling import InvalidTool, Tool, ToolContext, ToolResult
from dure.toolsets import ADAPTERS, Tools, as_tool, run_call

ME = ToolContext("me", language="en")


def rate(currency: str) -> str:
    """Today's rate."""
    return f"1 {currency}"


async def called(made: Tool, **args: Any) -> ToolResult:
    return await run_call({made.name: made}, ToolCall(made.name, args), ME)


async def test_a_function_and_a_tool_as_they_are():
    made = as_tool(rate)
    assert (made.name, made.description, made.effect) == ("rate", "Today's rate.", "read")
    assert (await called(made, currency="USD")).text == "1 USD"
    assert as_tool(made) is made
    assert as_tool(rate, effect="external").effect == "external"


async def test_langchain_tools_of_any_kind():
    from langchain_core.tools import BaseTool, StructuredTool
    from langchain_core.tools import tool as langchain_tool

    @langchain_tool
    def weather(city: str, days: int = 1) -> str:
        """The weather of a city."""
        return f"{city} {days}"

    class Arguments(BaseModel):
        text: Annotated[str, Field(description="what to shout")]

    async def shout(text: str) -> dict[str, str]:
        return {"said": text.upper()}

    class Own(BaseTool):
        name: str = "own"
        description: str = "Of a class of one's own."

        def _run(self, number: int) -> int:
            return number + 1

    first = as_tool(weather, effect="external")
    assert (first.name, first.description, first.effect) == ("weather", "The weather of a city.", "external")
    assert first.parameters["properties"]["days"] == {"default": 1, "type": "integer"}
    assert (await called(first, city="서울")).text == "서울 1"
    second = as_tool(
        StructuredTool.from_function(coroutine=shout, name="shout", description="x", args_schema=Arguments)
    )
    assert second.parameters["properties"]["text"]["description"] == "what to shout"
    assert (await called(second, text="hi")).data == {"said": "HI"}
    assert (await called(as_tool(Own()), number=1)).text == "2"


async def test_pydantic_ai_tools():
    import pydantic_ai

    class Point(BaseModel):
        x: int

    async def move(point: Point, by: int = 1) -> Point:
        """Move a point.

        Args:
            point: which one
            by: how far
        """
        return Point(x=point.x + by)

    made = as_tool(pydantic_ai.Tool(move, timeout=3))
    assert (made.name, made.effect, made.timeout) == ("move", "read", 3)
    assert made.parameters["properties"]["by"] == {"type": "integer", "default": 1, "description": "how far"}
    assert (await called(made, point={"x": 2})).text == '{"x":3}'
    assert (await called(made, point={"x": "far"})).status == "error"
    assert (await called(as_tool(pydantic_ai.Tool(rate)), currency="EUR")).text == "1 EUR"
    assert as_tool(pydantic_ai.Tool(rate, requires_approval=True)).effect == "external"

    def mine(ctx: pydantic_ai.RunContext[None], day: str) -> str:
        return day

    with pytest.raises(InvalidTool, match=r"'mine' .* its own framework's runs"):
        as_tool(pydantic_ai.Tool(mine))


async def test_tools_of_an_mcp_server_in_this_process():
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.tools import Tool as McpTool
    from mcp_types import ToolAnnotations

    async def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    def mine(context: Context, day: str) -> str:
        return day

    made = as_tool(McpTool.from_function(add))
    assert (made.name, made.description, made.effect) == ("add", "Add.", "external")
    assert (await called(made, a=1)).text == "2"
    assert (await called(as_tool(McpTool.from_function(rate)), currency="EUR")).text == "1 EUR"
    assert as_tool(McpTool.from_function(add, annotations=ToolAnnotations(read_only_hint=True))).effect == "read"
    with pytest.raises(InvalidTool, match=r"'mine' .* its own framework's runs"):
        as_tool(McpTool.from_function(mine))


@dataclass
class Recipe:
    title: str


def test_an_adapter_of_ones_own(monkeypatch):
    monkeypatch.setattr(ADAPTERS, "_known", dict(ADAPTERS._known))
    with pytest.raises(InvalidTool, match="Recipe"):
        as_tool(Recipe("bread"))
    ADAPTERS.add(f"{__name__}:Recipe", lambda recipe: tool(name=recipe.title)(lambda: "bake"))
    assert as_tool(Recipe("bread")).name == "bread"


NO_TOOLS = [3, None, "calculate", {"name": "x"}, object(), Recipe, Recipe("bread"), Dure, [rate], lambda: "unnamed"]


@pytest.mark.parametrize("value", NO_TOOLS, ids=lambda value: type(value).__name__)
def test_what_cannot_be_a_tool_is_refused_where_it_is_given(value: Any, tmp_path):
    places = [lambda: Dure(tools=[rate, value], data_dir=tmp_path), lambda: Tools([value])]
    if not isinstance(value, str):
        places.append(lambda: Agent(name="a", description="x", tools=["calculate", value]))
    for place in places:
        with pytest.raises(DureError) as refused:
            place()
        named = "<lambda>" if callable(value) and not isinstance(value, type) else repr(value)
        assert named[:80] in refused.value.message("en")
        assert named[:80] in refused.value.message("ko")
        assert "tool" in refused.value.message("en")
        assert "도구로 쓸 수 없습니다" in refused.value.message("ko")


@pytest.mark.parametrize("effect", ["extrnal", ""])
def test_an_effect_that_is_none_is_refused(effect: Any):
    with pytest.raises(InvalidTool, match=f"'rate'.*effect: one of .* not '{effect}'"):
        as_tool(rate, effect=effect)


def test_a_single_tool_is_no_list():
    with pytest.raises(InvalidTool, match="a list of tools is wanted"):
        Dure(tools=rate)  # type: ignore[arg-type]


def test_two_of_one_name_are_refused():
    twin = tool(name="rate")(lambda: "2")
    for place in (lambda: Dure(tools=[rate, twin]), lambda: Agent(name="a", description="x", tools=[rate, twin])):
        with pytest.raises(InvalidTool, match=r"'rate' .* two of those given have this name"):
            place()
    with pytest.raises(InvalidTool, match="'rate'"):
        Dure(tools=[Tools([rate]), Tools([twin])])


def test_a_tool_whose_name_servers_refuse_is_refused():
    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("")

    with pytest.raises(InvalidTool, match=r"'오늘' .* 1 to 64 of a-z"):
        Tools([Tool("오늘", "", {"type": "object"}, run)])


def test_a_team_takes_what_its_agents_take():
    agent = {"name": "a", "description": "x", "tools": [rate, "calculate"]}
    team = Team.model_validate({"name": "t", "kind": "solo", "description": "x", "agents": [agent]})
    assert list(team.agents[0].own) == ["rate"]
    assert team.agents[0].tools[1] == "calculate"
