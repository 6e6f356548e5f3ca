"""Models with names: who is asked with which, and what is asked where one fails."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from dure import Agent, Dure, Team
from dure.errors import ModelRefused, SettingsError, UnknownModel
from dure.models import Models
from dure.settings import Settings, load_settings
from dure.testing import ScriptedServer, Step, call, cut, fail, say

Servers = Callable[..., Any]


@pytest.fixture
async def team_of(opened: Any) -> AsyncIterator[Servers]:
    """A Dure with a model on a server of its own for each name, and what each server does."""
    async with AsyncExitStack() as stack:

        async def make(scripts: dict[str, list[Step]], teams: Any = (), **more: Any) -> tuple[Dure, dict[str, Any]]:
            servers = {n: await stack.enter_async_context(ScriptedServer(*s, model=n)) for n, s in scripts.items()}
            models = {n: {"base_url": s.url, "name": f"{n}-1", **more.get(n, {})} for n, s in servers.items()}
            return await opened(None, models=models, teams=teams, model_base_url=None), servers

        yield make


async def test_the_first_is_asked_and_another_by_name(team_of: Servers) -> None:
    dure, servers = await team_of({"fast": [say("빠른 답")], "large": [say("깊은 답")]})
    assert (await dure.chat("질문", team="assistant")).response == "빠른 답"
    assert (await dure.chat("질문", team="assistant", model="large")).response == "깊은 답"
    assert servers["large"].requests[0]["model"] == "large-1"
    with pytest.raises(UnknownModel, match="fast, large"):
        await dure.chat("질문", team="assistant", model="huge")


async def test_a_team_and_an_agent_have_theirs(team_of: Servers) -> None:
    agents = [Agent(name="writer", description="Writes", model="large"), Agent(name="other", description="Else")]
    desk = Team(name="desk", kind="supervisor", description="A desk", agents=agents, model="fast")
    script = {"plain": [], "fast": [call("writer", task="써 줘")], "large": [say("쓴 글")]}
    dure, servers = await team_of(script, teams=[desk])
    offered = (await dure.route("글을 써 줘", team="assistant"))["agents"]
    assert offered == ["assistant"]
    answer = await dure.chat("글을 써 줘", team="desk")
    assert (answer.response, [len(s.requests) for s in servers.values()]) == ("쓴 글", [0, 1, 1])


@pytest.mark.parametrize("failure", [fail(400, "no"), fail(429, "busy", retry_after=20), cut("")])
async def test_where_one_fails_the_next_is_asked_and_the_answer_tells(team_of: Servers, failure: Step) -> None:
    script = {"fast": [failure] * (3 if failure.truncated else 1), "next": [say("그래도 답")]}
    dure, _ = await team_of(script, fast={"fallbacks": ["next"]})
    answer = await dure.chat("질문", team="assistant")
    assert answer.response == "그래도 답"
    (told,) = answer.metadata["fallbacks"]
    assert (told["model"], told["asked"], told["code"][:6]) == ("fast", "next", "model_")
    status = "" if failure.truncated else f" ({failure.status})"
    events = (await dure.runs.get("default", answer.run_id))["events"]
    notices = [each["data"]["text"] for each in events if each["kind"] == "notice"]
    assert notices == [f"fast-1 모델이 답하지 못해{status} next-1 모델에 물었습니다."]
    prompts = (await dure.view(answer.run_id)).prompts
    assert [(each.model, bool(each.error)) for each in prompts] == [("fast-1", True), ("next-1", False)]


async def test_a_team_whose_model_nobody_knows_ends_its_run(team_of: Servers) -> None:
    agents = [Agent(name="writer", description="Writes")]
    lost = Team(name="lost", kind="solo", description="A desk", agents=agents, model="gone")
    keyless = Team(name="keyless", kind="solo", description="A desk", agents=agents, model="locked")
    dure, _ = await team_of({"fast": [], "locked": []}, teams=[lost, keyless], locked={"key": "$NOT_THERE"})
    with pytest.raises(UnknownModel, match="gone"):
        await dure.chat("질문", team="lost")
    with pytest.raises(SettingsError, match="NOT_THERE"):
        await dure.chat("질문", team="keyless")
    assert {run["status"] for run in await dure.runs.list("default")} == {"failed"}


async def test_a_default_that_cannot_be_opened_is_told_at_the_start(opened: Any) -> None:
    with pytest.raises(SettingsError, match="NOT_THERE"):
        await opened(
            None, models={"fast": {"base_url": "http://127.0.0.1:9/v1", "key": "$NOT_THERE"}}, model_base_url=None
        )


async def test_what_was_shown_is_not_said_again_by_another(team_of: Servers) -> None:
    dure, _ = await team_of({"fast": [cut("반쯤 쓴 답이 여기까지")], "next": []}, fast={"fallbacks": ["next"]})
    with pytest.raises(Exception, match="broke off"):
        await dure.chat("질문", team="assistant")


async def test_all_fail(team_of: Servers) -> None:
    dure, _ = await team_of({"fast": [fail(400, "one")], "next": [fail(400, "two")]}, fast={"fallbacks": ["next"]})
    with pytest.raises(ModelRefused, match="two"):
        await dure.chat("질문", team="assistant")


async def test_what_the_settings_ask_of_a_model_is_sent(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-of-the-environment")
    more = {"key": "$OUR_KEY", "headers": {"X-Team": "두레".encode().hex()}, "query": {"api-version": "1"}}
    async with ScriptedServer(say("ok"), api_key="sk-of-the-environment") as server:
        wanted = {"effort": "low", "temperature": 0.7, "max_tokens": 90, "context": 1000, "timeout": 3}
        settings = Settings(models={"fast": {"base_url": server.url, "name": "m", **more, **wanted}})
        models = Models(settings)
        await models["fast"].ask([{"role": "user", "content": "q"}], max_tokens=400)
        await models.close()
    sent = server.requests[0]
    assert (sent["reasoning_effort"], sent["temperature"], sent["max_tokens"]) == ("low", 0.7, 90)
    assert (server.headers[0]["x-team"], models["fast"].context) == ("두레".encode().hex(), 1000)
    assert "sk-of-the-environment" not in repr(settings) + caplog.text


def test_which_is_asked_where_nobody_chooses() -> None:
    fast = {"base_url": "http://127.0.0.1:9/v1"}
    assert Models(Settings()).default == "default"
    assert Settings().default_model.provider == "bundled"
    assert Models(Settings(models={"fast": fast})).default == "fast"
    assert [*Models(Settings(models={"fast": fast}, model_base_url="http://127.0.0.1:8/v1"))] == ["default", "fast"]
    both = Settings(models={"fast": fast, "slow": fast}, model="slow")
    assert [*Models(both)] == ["slow", "fast"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"models": {"fast": {}}}, "base_url is missing"),
        ({"models": {"fast": {"provider": "anthropic"}}}, "name is missing"),
        ({"models": {"fast": {"base_url": "ftp://x"}}}, "must start with http"),
        ({"models": {"fast": {"base_url": "http://x/v1", "fallbacks": ["gone"]}}}, "no model is named 'gone'"),
        ({"model": "gone"}, "no model is named 'gone'"),
    ],
)
def test_wrong_settings(given: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        load_settings(**given)


async def test_over_the_command_line_and_http(dure: Any, serve: Any) -> None:
    async with ScriptedServer(say("42입니다."), say("43입니다.")) as server, ScriptedServer() as unasked:
        models = {name: {"base_url": each.url, "name": "m"} for name, each in (("a", unasked), ("b", server))}
        named = {"DURE_MODELS": json.dumps(models), "DURE_MODEL_BASE_URL": ""}
        ended = await dure("chat", "--team", "assistant", "--model", "b", "--json", "21의 두 배는?", **named)
        listed = await dure("models", "list", "--json", **named)
        client = await serve(models=models, model_base_url=None)
        asked = await client.post("/v1/chat", json={"message": "그리고 1?", "team": "assistant", "model": "b"})
        unknown = await client.post("/v1/chat", json={"message": "?", "model": "c"})
    assert ended.json["response"] == "42입니다."
    assert [(each["name"], each["in_use"]) for each in listed.json["named"]] == [("a", True), ("b", False)]
    assert asked.json()["response"] == "43입니다."
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (422, "unknown_model")
