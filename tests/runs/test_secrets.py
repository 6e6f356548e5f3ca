"""Canaries: keys, tokens and passwords in the settings reach neither records nor exports, spans, logs or answers."""

import io
import logging
import sys
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from aiohttp import web

from dure import Agent, Dure, Team
from dure.api.app import create_app
from dure.records.export import export
from dure.testing import ScriptedServer, call, fail, fail_in_stream, say

CANARY = "canary7f3a"
PLAIN = Path(__file__).parents[1] / "toolsets" / "mcp" / "servers" / "plain.py"
MCP = {
    "mcpServers": {
        "odd": {
            "command": sys.executable,
            "args": [str(PLAIN)],
            "env": {"ODD_API_KEY": f"{CANARY}-mcp-env", "ODD_TOKEN": f"{CANARY}-mcp-token"},
        },
        "away": {
            "url": f"http://u:{CANARY}-mcp-url@127.0.0.1:9/mcp",
            "headers": {"Authorization": f"Bearer {CANARY}-head"},
        },
    }
}
TEAM = Team(
    name="spy",
    kind="solo",
    description="d",
    agents=[Agent(name="spy", description="d", prompt="p", tools=["environment", "crash"], allow=["environment"])],
)


@pytest.fixture
def everything(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    """Settings with a canary in each place that can hold a secret; all logs are kept."""
    caplog.set_level(logging.DEBUG)
    for name in ("dure", "aiohttp", "asyncio", "mcp"):
        caplog.set_level(logging.DEBUG, logger=name)
    config = tmp_path / "mcp.json"
    config.write_bytes(orjson.dumps(MCP))
    return {
        "data_dir": tmp_path / "data",
        "embeddings_base_url": f"http://u:{CANARY}-embed-url@127.0.0.1:9/v1",
        "embeddings_name": "e",
        "embeddings_api_key": f"{CANARY}-embed",
        "tavily_api_key": f"{CANARY}-tavily",
        "api_keys": [f"default:{CANARY}-api"],
        "mcp_config": config,
        "tool_dialect": "native",
        "teams": [TEAM],
    }


async def exported(dure: Dure) -> str:
    """All that can be got of the runs: records, views, both exports."""
    texts = []
    for form in ("jsonl", "csv"):
        out = io.StringIO()
        await export(dure.records.experiments("default"), out, "csv" if form == "csv" else "jsonl")
        texts.append(out.getvalue())
    for row in await dure.runs.list("default"):
        texts.append(orjson.dumps(await dure.runs.get("default", row["id"]), default=str).decode())
    return "\n".join(texts)


def stored(folder: Path) -> bytes:
    """Every byte that was written to the data folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


async def over_http(dure: Dure, *messages: dict[str, Any]) -> str:
    """Answers to questions and to wrong requests, over the HTTP interface of an opened Dure."""
    transport = httpx.ASGITransport(app=create_app(dure), raise_app_exceptions=False)
    texts = []
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for body in messages:
            for key in (f"{CANARY}-api", f"{CANARY}-wrong"):
                reply = await client.post("/v1/chat", json=body, headers={"Authorization": f"Bearer {key}"})
                texts.append(reply.text)
        for path in ("/v1/runs", "/v1/tools", "/v1/teams", "/v1/nothing"):
            texts.append((await client.get(path, headers={"Authorization": f"Bearer {CANARY}-api"})).text)
    return "\n".join(texts)


@pytest.mark.parametrize("where", ["key", "url", "both"])
async def test_the_keys_of_the_model_server(
    where: str, everything: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key, password = f"{CANARY}-model-key", f"{CANARY}-url-password"
    said = f"Incorrect API key provided: {key} / user:{password}."
    steps = [fail(401, said), fail_in_stream("Begin", said), *[fail(500, said)] * 3]
    async with ScriptedServer(*steps) as server:
        settings = everything | {"mcp_config": None, "teams": []}
        if where != "url":
            settings["model_api_key"] = key
        if where != "key":
            settings["model_base_url"] = server.url.replace("://", f"://user:{password}@")
        else:
            settings["model_base_url"] = server.url
        async with Dure(**settings) as dure:
            shown = [repr(dure.settings), str(dure.settings), repr(dure.model.client)]
            replies = await over_http(dure, *[{"message": f"안녕 {n}", "team": "assistant"} for n in range(3)])
            seen = await exported(dure)
    # The password is not even sent where there is a key, so that the server can know nothing of it.
    hidden = [password] if where == "url" else [key]
    for text in (*shown, replies, seen, caplog.text, stored(tmp_path / "data").decode("utf-8", "replace")):
        assert not [each for each in hidden if each in text]
    assert "***" in seen


async def test_a_server_that_is_away(
    everything: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"http://user:{CANARY}-url-password@127.0.0.1:9/v1"
    settings = everything | {"model_base_url": url, "model_name": "m", "mcp_config": None, "teams": []}
    async with Dure(**settings) as dure:
        replies = await over_http(dure, {"message": "안녕", "team": "assistant"})
        seen = await exported(dure)
    for text in (replies, seen, caplog.text, stored(tmp_path / "data").decode("utf-8", "replace")):
        assert CANARY not in text


async def test_what_mcp_servers_are_given(
    everything: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that hands its environment out, one that dies with it on its lips, one that is away."""
    spans: list[bytes] = []

    async def take(request: web.BaseRequest) -> web.Response:
        spans.append(await request.read())
        return web.Response(body=b"")

    runner = web.ServerRunner(web.Server(take), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{runner.addresses[0][1]}")
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    try:
        async with ScriptedServer(call("environment"), call("crash"), say("fertig")) as server:
            async with Dure(**everything, model_base_url=server.url, model_api_key=f"{CANARY}-model") as dure:
                await dure.mcp.ready(20)
                asked = await dure.chat("뭐가 있어?", team="spy")
                run_id = asked.metadata["run_id"]
                approved = [{"approval_id": each["id"], "action": "approve"} for each in asked.approvals]
                await dure.runs.decide("default", run_id, approved)
                answer = await dure.runs.answer("default", run_id)
                shown = repr(dure.mcp.__dict__)
                replies = await over_http(dure, {"message": "", "team": "spy"})
                seen = await exported(dure)
            sent = orjson.dumps(server.requests).decode()
    finally:
        await runner.cleanup()
    assert [each["name"] for each in answer.tool_calls] == ["environment", "crash"]
    assert "ODD_API_KEY" in seen
    assert b"ODD_API_KEY" in b"".join(spans)
    texts = (shown, replies, seen, sent, caplog.text, b"".join(spans).decode("utf-8", "replace"))
    for text in (*texts, stored(tmp_path / "data").decode("utf-8", "replace")):
        assert CANARY not in text


async def test_the_password_of_the_database(
    everything: dict[str, Any], postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    import sqlalchemy as sa

    url = sa.make_url(postgres_url).set(password=f"{CANARY}-database").render_as_string(hide_password=False)
    async with ScriptedServer(say("답")) as server:
        settings = everything | {"database_url": url, "model_base_url": server.url, "mcp_config": None, "teams": []}
        async with Dure(**settings) as dure:
            await dure.chat("안녕", team="assistant")
            with pytest.raises(Exception, match="nothing") as caught:
                await dure.database.read(lambda connection: connection.execute(sa.text("SELECT nothing")))
            shown = [repr(dure.settings), repr(dure.database.engine), str(caught.value), await dure.database.state()]
            seen = await exported(dure)
    for text in (*shown, seen, caplog.text):
        assert CANARY not in text
