"""`/v1/status`: what the server found, in the language of who asks."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from dure import Dure, findings
from dure.models.refusals import PROBE_ARGS, PROBE_TOOL
from dure.testing import ScriptedServer, call

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
KEYS = {"id", "part", "state", "detail", "mend"}


async def status(client: httpx.AsyncClient, language: str = "en") -> dict[str, dict[str, Any]]:
    reply = await client.get("/v1/status", headers={"Accept-Language": language})
    assert reply.status_code == 200, reply.text
    findings = reply.json()["findings"]
    assert all(set(each) == KEYS for each in findings)
    assert all(each["state"] in ("ok", "warning", "failed") for each in findings)
    return {each["id"]: each for each in findings}


async def test_what_works(serve: Serve) -> None:
    async with ScriptedServer() as scripted:
        client = await serve(scripted)
        found = await status(client)
        assert found["model"]["state"] == found["store"]["state"] == found["tools"]["state"] == "ok"
        assert found["teams"]["state"] == "ok", found["teams"]
        assert "workplace" in found["teams"]["detail"]
        assert found["dialect"]["detail"].startswith("native (DURE_TOOL_DIALECT)")
        assert found["store"]["detail"].startswith("SQLite")
        assert "search_knowledge_base" in found["tools"]["detail"]
        assert (found["embeddings"]["state"], found["embeddings"]["mend"]) == ("warning", "DURE_EMBEDDINGS=1")
        assert found["documents"]["detail"] == "none"
        korean = await status(client, "ko")
        assert list(korean) == list(found)
        assert korean["model"]["part"] == "모델"
        assert scripted.requests == []


async def test_what_the_bundled_model_does_not_is_said_in_the_readers_language(serve: Serve, tmp_path: Path) -> None:
    """As it was found out, and as it was kept."""
    (weights := tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    dure = Dure(data_dir=tmp_path / "data", bundled_path=weights, model_context=4096, embeddings=False)
    async with dure:
        dure.model.client.ready = dure.model.client.close  # type: ignore[method-assign]
        for _ in range(2):
            found = {each.id: each.as_dict("ko")["detail"] for each in await findings.model(dure, dure.model.ready)}
            assert found["model"] == "tiny (내장 모델)"
            assert found["dialect"].startswith("schema (작은 모델이라, JSON Schema는 지키지만")
            assert found["without:images"] == "그림: 내장 엔진은 글만 읽습니다"
            dure.model._facts = None


async def test_what_was_found_out_by_a_request_is_said_in_the_readers_language(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda body: call(PROBE_TOOL, **PROBE_ARGS)) as scripted:
        client = await serve(scripted, tool_dialect="auto")
        for language, told in (("ko", "시험 도구를 붙인 작은 요청: 모델이"), ("en", "a tiny request with a dummy")):
            assert (await status(client, language))["dialect"]["detail"].startswith(f"native ({told}")


async def test_what_does_not(serve: Serve, tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"lost": {"command": "no-such-command-here"}}}')
    client = await serve(mcp_config=config, model_base_url="http://user:secret@127.0.0.1:9/v1")
    files = {"file": ("broken.pdf", b"%PDF-1.7 nothing")}
    await client.post("/v1/documents", files=files)
    found = await status(client)
    assert found["model"]["state"] == "failed"
    assert "DURE_MODEL_BASE_URL" in found["model"]["mend"]
    assert "dialect" not in found
    assert found["mcp:lost"]["state"] in ("warning", "failed")
    assert "secret" not in str(found)


async def test_tools_without_their_libraries(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    tools = (await status(await serve()))["tools"]
    assert tools["state"] == "warning"
    assert "lacking a library: run_python (pydantic_monty)" in tools["detail"]
    assert ".[office]" in tools["mend"]


async def test_a_bundled_model_that_is_not_there_is_not_fetched(serve: Serve, tmp_path: Path) -> None:
    client = await serve(model_base_url=None, cache_dir=tmp_path / "cache")
    found = await status(client)
    assert found["model"]["state"] == "failed"
    assert "dure models pull" in found["model"]["mend"]
    assert not (tmp_path / "cache").exists()


async def test_documents_are_the_callers(serve: Serve) -> None:
    client = await serve(api_keys=["kim:1", "lee:2"])
    kim, lee = ({"Authorization": f"Bearer {key}", "Accept-Language": "en"} for key in "12")
    await client.post("/v1/documents", files={"file": ("secret-plan.pdf", b"nothing")}, headers=kim)
    await client.post("/v1/documents", files={"file": ("secret-plan.txt", b"")}, headers=kim)
    reply = await client.get("/v1/status", headers=kim)
    assert "secret-plan.txt" in reply.text
    assert "secret-plan" not in (await client.get("/v1/status", headers=lee)).text


async def test_teams_say_how_they_can_be_asked(serve: Serve) -> None:
    client = await serve()
    found = (await client.get("/v1/teams")).json()
    assert found["models"][0] == "default"
    assert "papers" in found["packs"]
    for team in found["teams"]:
        assert set(team) >= {"name", "kind", "description", "agents", "examples"}
        assert team["levels"] == ["easy", "hard"]
        assert team["output_formats"] == ["chat", "json", "markdown"]
    agents = [agent for team in found["teams"] for agent in team["agents"]]
    also = {name for agent in agents for name in agent["also"]}
    assert also >= {"read_document", "search_full_texts"}, "the page would say that nobody uses them"
    searching = [agent for agent in agents if "search_knowledge_base" in agent["tools"]]
    assert searching == [agent for agent in agents if "read_document" in agent["also"]]
    short = (await client.get("/v1/teams?examples=false")).json()["teams"]
    assert not any("examples" in agent for team in short for agent in team["agents"])
    assert [team["examples"] for team in short] == [team["examples"] for team in found["teams"]]
