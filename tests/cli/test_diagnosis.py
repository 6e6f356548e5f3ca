"""What `dure doctor` says of a model that does not work: each cause with its own mend."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from dure.errors import DatabaseUnavailable
from dure.models import Model
from dure.models.diagnosis import mend
from dure.testing import ScriptedServer, Step, fail, html, rubbish, say, slow

Command = Callable[..., Awaitable[Any]]


@pytest.fixture
def doctor(dure: Command) -> Callable[..., Any]:
    """Runs it: the code, and the first finding that is not well (`part`: the first of that part)."""

    async def run(server: ScriptedServer | None, *args: str, part: str = "", **settings: str) -> tuple[int, Any]:
        ended = await dure("doctor", "--json", *args, server=server, **settings)
        told = ended.json["findings"]
        found = [f for f in told if (part in f["part"] if part else f["state"] == "failed")]
        return ended.code, found[0]

    return run


async def test_nothing_listens(doctor: Any) -> None:
    code, found = await doctor(None, DURE_MODEL_BASE_URL="http://127.0.0.1:9/v1")
    assert (code, found["mend"]) == (1, "is it running, and is DURE_MODEL_BASE_URL its host and port?")


@pytest.mark.parametrize("name", ["", "scripted"])
async def test_v1_is_missing(doctor: Any, name: str) -> None:
    async with ScriptedServer() as server:
        url = server.url.removesuffix("/v1")
        _, found = await doctor(None, DURE_MODEL_BASE_URL=url, DURE_MODEL_NAME=name, DURE_TOOL_DIALECT="auto")
    assert found["mend"] == f"DURE_MODEL_BASE_URL={url}/v1"


async def test_a_wrong_key(doctor: Any) -> None:
    async with ScriptedServer(api_key="right") as server:
        _, found = await doctor(server, DURE_MODEL_API_KEY="wrong-and-long", DURE_MODEL_NAME="scripted")
    assert (found["mend"], "wrong-and-long" in str(found)) == ("check DURE_MODEL_API_KEY", False)


async def test_a_key_that_may_not_list_the_models(doctor: Any) -> None:
    async with ScriptedServer(respond=lambda body: say("2"), lists=False) as server:
        code, found = await doctor(server, part="answer", DURE_MODEL_NAME="scripted")
        assert (code, found["state"]) == (0, "ok")
        _, found = await doctor(server)
    assert "DURE_MODEL_NAME" in found["detail"]


async def test_a_wrong_name_lists_the_names(doctor: Any) -> None:
    def refuses(body: dict[str, Any]) -> str | None:
        return None if body["model"] == "qwen3" else "no such model"

    async with ScriptedServer(model="qwen3", refuses=refuses) as server:
        _, found = await doctor(server, DURE_MODEL_NAME="qwen2", DURE_TOOL_DIALECT="auto")
    assert found["mend"] == "DURE_MODEL_NAME should be one of: qwen3"


@pytest.mark.parametrize(("status", "message"), [(402, "quota used up"), (429, "come back tomorrow")])
async def test_quota(doctor: Any, status: int, message: str) -> None:
    async with ScriptedServer(respond=lambda body: fail(status, message, retry_after=86400)) as server:
        _, found = await doctor(server)
    assert found["mend"].startswith("the provider's quota")


async def test_too_slow_to_answer(doctor: Any) -> None:
    async with ScriptedServer(respond=lambda body: slow(5, say("2"))) as server:
        _, found = await doctor(server, DURE_MODEL_TIMEOUT="0.3")
    assert found["mend"] == "raise DURE_MODEL_TIMEOUT, or take a smaller or quicker model"


@pytest.mark.parametrize("step", [html(), rubbish()])
async def test_no_json(doctor: Any, step: Step) -> None:
    async with ScriptedServer(respond=lambda body: step) as server:
        _, found = await doctor(server, DURE_MODEL_NAME="scripted")
    assert "log" in found["mend"]


async def test_a_page_where_a_server_should_be(doctor: Any) -> None:
    async with ScriptedServer() as server:
        _, found = await doctor(None, DURE_MODEL_BASE_URL=f"{server.url}/elsewhere", DURE_MODEL_NAME="m")
    assert found["mend"].startswith("DURE_MODEL_BASE_URL should be the address")


async def test_a_server_without_any_model(doctor: Any) -> None:
    """As Ollama before the first `ollama pull`."""
    async with ScriptedServer(model="") as server:
        _, found = await doctor(server)
    assert found["mend"].startswith("the server has no model yet: load one there")


def sensible(body: dict[str, Any]) -> Step:
    """Answers what a model of some sense answers."""
    asked = body["messages"][-1]["content"]
    known = {"1 + 1": "2", "병가": "6일", "invoices": "Accounting.", "김 과장": "부산", "회의실": '{"rooms": 3}'}
    return say(next(answer for word, answer in known.items() if word in asked))


@pytest.mark.parametrize(
    ("respond", "right", "state", "code"),
    [
        (sensible, 5, "ok", 0),
        (lambda body: say("2"), 1, "warning", 0),
        (lambda body: say("음…"), 0, "failed", 1),
        (lambda body: say(""), 0, "failed", 1),
    ],
)
async def test_a_model_without_sense(
    doctor: Any, respond: Callable[[Any], Step], right: int, state: str, code: int
) -> None:
    """It answers, and the server works; what it says is worth nothing."""
    async with ScriptedServer(
        respond=lambda body: respond(body) if "one two" not in str(body) else say("yes")
    ) as server:
        ended, found = await doctor(server, part="sense")
    assert (ended, found["state"]) == (code, state)
    assert found["detail"] == f"{right} of 5 small questions answered rightly"
    assert found["mend"].startswith("take a larger model") or not found["mend"]


def short(window: int, refuses: bool) -> Callable[[dict[str, Any]], str | None]:
    """A server that reads so many tokens: of longer prompts it refuses all, or drops the beginning."""
    size = lambda body: sum(len(str(each["content"]).encode()) // 4 for each in body["messages"])  # noqa: E731

    def do(body: dict[str, Any]) -> str | None:
        if size(body) <= window:
            return None
        if refuses:
            return "too long"
        body["messages"] = [{"role": "user", "content": body["messages"][-1]["content"][-window * 4 :]}]
        return None

    return do


@pytest.mark.parametrize("refuses", [True, False], ids=["refused", "dropped"])
async def test_a_window_that_is_smaller_than_believed(doctor: Any, refuses: bool) -> None:
    async with ScriptedServer(respond=lambda body: say("2"), refuses=short(600, refuses)) as server:
        _, found = await doctor(server, part="window")
    assert found["state"] == "warning"
    name, _, tokens = found["mend"].partition("=")
    assert (name, 300 < int(tokens) <= 700) == ("DURE_MODEL_CONTEXT", True)


async def test_a_window_as_believed_and_one_too_slow_to_fill(doctor: Any) -> None:
    more = {"DURE_TOOL_DIALECT": "auto", "DURE_MODEL_TIMEOUT": "1"}
    async with ScriptedServer(respond=lambda body: say("2"), kind="vllm", latency=0.2) as server:
        _, found = await doctor(server, part="window", **more)
        assert found["state"] == "ok"
        server.context = 80_000
        _, found = await doctor(server, part="window", **more)
    assert (found["state"], found["mend"]) == ("warning", "DURE_MODEL_TIMEOUT")


async def test_each_model_with_a_name(doctor: Any) -> None:
    async with ScriptedServer(respond=lambda body: say("2"), model="m") as server:
        models = f'{{"a": {{"base_url": "{server.url}"}}, "b": {{"base_url": "http://127.0.0.1:9/v1", "name": "x"}}}}'
        _, found = await doctor(None, part="b", DURE_MODELS=models, DURE_MODEL_BASE_URL="")
    assert (found["state"], found["mend"]) == ("warning", "is it running, and is models.b.base_url its host and port?")


async def test_a_database_that_fails_is_not_the_models_fault() -> None:
    found = await mend(cast("Model", None), DatabaseUnavailable(reason="the disk is full"), "")
    assert "DURE_DATABASE_URL" in found
