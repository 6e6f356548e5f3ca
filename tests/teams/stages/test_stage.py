"""What a stage does for all methods: what its tools bring in counts as heard by the run."""

from typing import Any

import pytest

from dure import Agent, Team
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
from dure.tooling import Tool, ToolContext, ToolResult

FIND = Agent(name="find", description="-", method="search_paper", tools=["search_papers"], examples=["논문 찾아줘"])
sent: list[str] = []


async def _web(args: dict[str, Any], context: ToolContext) -> ToolResult:
    sent.extend(args["queries"])
    return ToolResult("", [Passage("search:1", "News", None, 0, 4, "News", url="https://example.com")])


WEB = Tool(
    "web_search",
    "Search the web.",
    {"type": "object", "properties": {"queries": {"type": "array", "items": {"type": "string"}}}},
    _web,
    untrusted=True,
    outgoing={"queries": "query"},
)


@pytest.mark.parametrize(("query", "status"), [("secret words of Bahdanau", "waiting"), ("논문 찾아서", "completed")])
async def test_words_of_the_library_do_not_go_out_unasked(opened, make_scholar, query: str, status: str) -> None:
    sent.clear()
    own = Team(
        name="own",
        kind="router",
        description="-",
        agents=[
            FIND,
            Agent(name="look", description="-", tools=["web_search"], examples=["웹에서 확인해줘"]),
        ],
        pipelines=[{"agents": ["find", "look"], "examples": ["논문 찾아서 웹에서 확인해줘"]}],
    )

    scholar = make_scholar()

    def respond(body: dict[str, Any]) -> Any:
        if "response_format" in body:
            return scholar(body)
        return say("끝") if body["messages"][-1]["role"] == "tool" else call("web_search", queries=[query])

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=[own], tools=[WEB])
        answer = await dure.chat("논문 찾아서 웹에서 확인해줘", team="own")
    assert answer.status == status
    assert sent == ([query] if status == "completed" else [])


async def test_what_a_stage_finds_stands_before_the_words_of_the_next(opened, make_scholar) -> None:
    own = Team(
        name="own",
        kind="router",
        description="-",
        agents=[
            FIND,
            Agent(name="save", description="-", tools=["save_file"], method="save_file", examples=["저장해줘"]),
        ],
        pipelines=[{"agents": ["find", "save"], "examples": ["논문 찾아서 저장해줘"]}],
    )
    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server, teams=[own])
        answer = await dure.chat("논문 찾아서 저장해줘", team="own")
    assert answer.response.startswith("논문 5편을 찾았습니다.")
    assert "\n\n저장했습니다:" in answer.response
