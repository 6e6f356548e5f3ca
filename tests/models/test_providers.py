"""Providers by name, through LangChain's packages, each against a server here that speaks its wire format. Neither was
tried against the real one."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fixtures.providers import ASKED, TOOL, Provider, messages, responses, serving

from dure import Agent, Team
from dure.errors import DureError, ModelRefused, ModelTimeout, ModelUnavailable, SettingsError
from dure.messages import Usage, assistant, tool_result, user, wire_call
from dure.models import Model, Models
from dure.settings import Settings


@pytest.fixture(autouse=True, scope="module")
def _packages() -> None:
    for name in ("openai", "anthropic"):
        pytest.importorskip(f"langchain_{name}")


@pytest.fixture(params=["openai", "anthropic"])
async def provider(request: Any) -> AsyncIterator[tuple[Provider, Model]]:
    async with serving(request.param) as made:
        yield made


async def test_streams_text_thoughts_and_usage(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says("연차는 15일입니다.")]
    pieces: list[Any] = []
    asked = await model.ask(ASKED, [TOOL], on_piece=pieces.append)
    assert (asked.reply.content, asked.reply.reasoning) == ("연차는 15일입니다.", "생각")
    assert len([each for each in pieces if each.kind == "text"]) > 3
    assert asked.reply.usage == Usage(1, 40, 9, 30, 5 if server.name == "openai" else 0)
    assert server.headers[0]["X-Team"] == "dure"
    assert "Be brief." in str(server.requests[0]["input" if server.name == "openai" else "system"])


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_one_event_loop_after_another_asks_the_same_address(name: str) -> None:
    """As a script does that opens Dure twice: the packages keep connections for each address."""

    async def ask(url: str) -> str:
        models = Models(Settings(models={"theirs": {"provider": name, "name": "m", "base_url": url, "key": "k"}}))
        asked = await models["theirs"].ask(ASKED)
        await models.close()
        return asked.reply.content

    async def asked_twice() -> list[str]:
        async with serving(name) as (server, _):
            server.steps = [server.says("하나"), server.says("둘")]
            url = server.url + ("/v1" if name == "openai" else "")
            return [await asyncio.to_thread(lambda: asyncio.run(ask(url))) for _ in range(2)]

    assert asyncio.run(asked_twice()) == ["하나", "둘"]


async def test_calls_and_their_results(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says(query="연차"), server.says("15일")]
    first = (await model.ask(ASKED, [TOOL])).reply.tool_calls
    assert [(each.name, each.args) for each in first] == [("search", {"query": "연차"})]
    turns = [*ASKED, assistant(None, [wire_call(first[0])]), tool_result(first[0].id, "search", "연차는 15일")]
    assert (await model.ask(turns, [TOOL])).reply.content == "15일"
    sent = json.dumps(server.requests[1], ensure_ascii=False)
    assert "연차는 15일" in sent
    if server.name == "anthropic":
        # Its thoughts go back as they were signed.
        assert '"signature": "c2ln"' in sent


async def test_a_whole_run(opened: Any, provider: tuple[Provider, Model]) -> None:
    """By the name of the provider; its own replies go back to it through the agent loop."""
    server, _ = provider

    def search(query: str) -> str:
        """Searches."""
        return f"{query}: 15일"

    url = server.url + ("/v1" if server.name == "openai" else "")
    named = {"theirs": {"provider": server.name, "name": "m", "base_url": url, "key": "k"}}
    agent = Agent(name="finder", description="Finds", tools=["search"])
    team = Team(name="desk", kind="solo", description="A desk", agents=[agent])
    dure = await opened(models=named, teams=[team], tools=[search], tool_dialect="auto")
    server.steps = [server.says(query="연차"), server.says("연차는 15일입니다.")]
    answer = await dure.chat("연차는 며칠?", team="desk")
    assert (answer.response, answer.tool_calls[0]["args"]) == ("연차는 15일입니다.", {"query": "연차"})
    assert answer.metadata["usage"]["cached_tokens"] == 60
    assert "연차: 15일" in json.dumps(server.requests[1], ensure_ascii=False)
    assert server.name == "openai" or '"signature": "c2ln"' in json.dumps(server.requests[1])


@pytest.mark.parametrize(
    ("status", "kind"), [(401, ModelRefused), (404, ModelRefused), (429, ModelUnavailable), (529, ModelUnavailable)]
)
async def test_errors_are_typed(provider: tuple[Provider, Model], status: int, kind: type[DureError]) -> None:
    server, model = provider
    server.steps = [(status, "no: sk-secret-key")] * 9
    with pytest.raises(kind, match="no: ") as caught:
        await model.ask(ASKED)
    assert "sk-secret-key" not in str(caught.value.as_dict())


@pytest.mark.parametrize("name", ["openai", "anthropic"])
async def test_silence_is_a_timeout(name: str) -> None:
    async with serving(name, seconds=0.5) as (server, model):
        server.silent = True
        with pytest.raises(ModelTimeout):
            await model.ask(ASKED)


async def test_nobody_listens() -> None:
    for name in ("openai", "anthropic"):
        given = {"provider": name, "name": "m", "base_url": "http://127.0.0.1:9/v1", "key": "k"}
        models = Models(Settings(models={"theirs": {**given, "options": {"max_retries": 0}}}))
        with pytest.raises(ModelUnavailable):
            await models["theirs"].ask(ASKED)


async def test_what_the_provider_does_not_take(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.refuses = lambda body: "`temperature` is not for this model" if "temperature" in body else None
    server.steps = [server.says("ok")] * 3
    assert (await model.ask(ASKED, [TOOL])).reply.content == "ok"
    assert "temperature" in (await model.facts()).without


async def test_anthropic_is_told_what_to_keep_and_others_are_not(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says("ok")] * 2
    await model.ask(ASKED, [TOOL])
    marked = {"type": "ephemeral"} if server.name == "anthropic" else None
    assert server.requests[-1].get("cache_control") == marked
    server.refuses = lambda body: "cache_control: Extra inputs are not permitted" if "cache_control" in body else None
    server.steps = [server.says("ok")] * 3
    assert (await model.ask(ASKED, [TOOL])).reply.content == "ok"
    assert "cache_control" not in server.requests[-1]


async def test_pictures_go_in_the_providers_own_form(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says("고양이")] * 2
    await model.ask([user("무슨 그림?") | {"images": ["data:image/png;base64,iVBORw0KGgo="]}])
    turn = server.requests[-1]["input" if server.name == "openai" else "messages"][-1]["content"]
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    theirs = {"type": "image", "source": source}
    if server.name == "openai":
        theirs = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    assert turn[-1].items() >= theirs.items()


@pytest.mark.parametrize("outcome", ["length", "content_filter"])
async def test_how_a_reply_ended(provider: tuple[Provider, Model], outcome: str) -> None:
    server, model = provider
    theirs = {"length": "max_output_tokens", "content_filter": "content_filter"}
    if server.name == "openai":
        server.steps = [responses("반쯤", ended="incomplete", reason=theirs[outcome])]
    else:
        server.steps = [messages("반쯤", ended={"length": "max_tokens", "content_filter": "refusal"}[outcome])]
    assert (await model.ask(ASKED)).reply.finish_reason == outcome


async def test_json_by_a_schema(provider: tuple[Provider, Model]) -> None:
    server, model = provider
    server.steps = [server.says('{"days": 15}')] * 3
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
    assert json.loads((await model.ask(ASKED, schema=schema)).reply.content) == {"days": 15}


def test_a_provider_whose_package_is_missing_or_unknown() -> None:
    for name, said in (("bedrock_converse", "install"), ("cohere", "langchain.cohere"), ("nobody", "nobody")):
        with pytest.raises(SettingsError, match=said):
            Models(Settings(models={"theirs": {"provider": name, "name": "m"}}))
