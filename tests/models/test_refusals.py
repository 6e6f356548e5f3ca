"""What servers refuse, each found out by requests without it; nothing hangs on their sentences."""

from collections.abc import Callable
from typing import Any

import pytest

from dure.errors import ModelError, ModelRefused
from dure.messages import system, user
from dure.models.client import ChatClient
from dure.models.model import Model
from dure.models.refusals import changed
from dure.storage import Database
from dure.testing import ScriptedServer, call, fail, say

TOOL = {"type": "function", "function": {"name": "search", "description": "", "parameters": {"type": "object"}}}
Body = dict[str, Any]


@pytest.fixture
async def ask():
    """Asks a server with everything that a request may hold; gives the exchange and what was found out."""
    made: list[Model] = []

    async def do(server: ScriptedServer, **options: Any) -> Any:
        made.append(Model(ChatClient(server.url, "m", tries=1), place=server.url, **options))
        asked = await made[-1].ask([system("Be brief."), user("q")], [TOOL], max_tokens=50)
        return asked, await made[-1].facts()

    yield do
    for model in made:
        await model.close()


def roles(body: Body) -> list[str]:
    return [each["role"] for each in body["messages"]]


def of_openai(body: Body) -> str | None:
    effort = "Function tools with reasoning_effort are not supported for m in /v1/chat/completions."
    return f"{effort} Please use /v1/responses instead." if body.get("tools") else None


def of_clova(body: Body) -> str | None:
    return "Invalid parameter: maxTokens" if body.get("tools") and body.get("max_tokens", 0) < 1024 else None


@pytest.mark.parametrize(
    ("refuses", "without", "dialect"),
    [
        (of_openai, {"tools"}, "schema"),
        (of_clova, {"least_tokens"}, "native"),
        (lambda body: "nope" if body["stream"] else None, {"stream"}, "native"),
        (lambda body: "nope" if "system" in roles(body) else None, {"system"}, "native"),
        (lambda body: "nope" if "stream_options" in body else None, {"stream_options"}, "native"),
        (lambda body: "nope" if "temperature" in body else None, {"temperature"}, "native"),
        (lambda body: "nope" if "max_tokens" in body else None, {"max_completion_tokens"}, "native"),
        (
            lambda body: "nope" if body["stream"] or "temperature" in body or "system" in roles(body) else None,
            {"stream", "temperature", "system"},
            "native",
        ),
    ],
    ids=["effort", "least", "stream", "system", "stream options", "temperature", "max tokens", "several"],
)
async def test_found_out(ask, refuses: Callable[[Body], str | None], without: set[str], dialect: str):
    """By the probe, before the first question that has tools."""
    async with ScriptedServer(say("ok"), refuses=refuses) as server:
        asked, facts = await ask(server)
    assert asked.reply.content == "ok"
    assert (facts.dialect, facts.without.keys()) == (dialect, without)
    assert len(server.requests) == 1
    assert refuses(server.requests[0]) is None


async def test_neither_form_of_tools(ask):
    async with ScriptedServer(
        call("search", query="a"),
        refuses=lambda body: "nope" if {"tools", "response_format"} & body.keys() else None,
    ) as server:
        asked, facts = await ask(server)
    assert (asked.dialect, facts.dialect, asked.reply.tool_calls[0].name) == ("text", "text", "search")
    assert facts.without.keys() == {"tools", "response_format"}


async def test_remembered_for_the_server_and_its_model(ask, tmp_path):
    database = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    async with ScriptedServer(say("a"), say("b"), refuses=lambda body: "no" if body["stream"] else None) as server:
        await ask(server, database=database)
        seen = len(server.refused)
        _, facts = await ask(server, database=database)
    await database.close()
    assert facts.without == {"stream": "no"}
    assert len(server.refused) == seen > 0


async def test_found_out_later_and_with_a_dialect_that_was_chosen():
    """A server that was started anew with other flags; and one whose facts were not asked for."""
    async with ScriptedServer(respond=lambda body: say("ok")) as server:
        model = Model(ChatClient(server.url, "m", tries=1), dialect="native")
        await model.ask([system("s"), user("q")], [TOOL])
        server.refuses = lambda body: "no system role" if "system" in roles(body) else None
        assert (await model.ask([system("s"), user("q")], [TOOL])).reply.content == "ok"
        server.refuses = of_openai
        with pytest.raises(ModelRefused, match="reasoning_effort"):
            await model.ask([system("s"), user("q")], [TOOL])
        await model.close()
    assert server.requests[-1]["messages"] == [user("s\n\nq")]


@pytest.mark.parametrize("status", [400, 401, 402, 404, 413])
async def test_a_refusal_of_this_question_alone_changes_nothing(ask, status):
    async with ScriptedServer(fail(status, "max_tokens and tools: context length exceeded"), say("ok")) as server:
        with pytest.raises(ModelRefused) as refused:
            await ask(server)
        assert "context length" in refused.value.details["reason"]
        _, facts = await ask(server)
    assert (facts.without, facts.dialect) == ({}, "native")


async def test_a_server_that_refuses_everything(ask):
    async with ScriptedServer(refuses=lambda body: "model not found") as server:
        with pytest.raises(ModelRefused, match="model not found"):
            await ask(server)


async def test_a_500_for_what_it_cannot_do(ask):
    """llama.cpp without --jinja."""
    async with ScriptedServer(say("ok"), kind="llama.cpp") as server:
        server.refuses = lambda body: "tools param requires --jinja flag" if body.get("tools") else None
        server.refusal_status = 500
        asked, facts = await ask(server)
    assert (asked.dialect, facts.without.keys()) == ("schema", {"tools"})


async def test_a_500_that_stays(ask):
    async with ScriptedServer(refuses=lambda body: "CUDA error") as server:
        server.refusal_status = 500
        with pytest.raises(ModelError, match="CUDA error"):
            await ask(server)


@pytest.mark.parametrize(
    ("messages", "merged"),
    [
        ([system("s"), user("q")], [user("s\n\nq")]),
        ([system("s"), {"role": "assistant", "content": "a"}], [user("s"), {"role": "assistant", "content": "a"}]),
        ([user("q")], [user("q")]),
    ],
)
def test_a_system_message_goes_into_the_first_turn(messages, merged):
    assert changed({"messages": messages}, {"system"}) == {"messages": merged}
