"""`/healthz` and `/readyz`."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from dure import Dure
from dure.api import create_app, health
from dure.testing import ScriptedServer, fail, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]


async def test_alive_and_ready(serve: Serve) -> None:
    async with ScriptedServer() as scripted:
        client = await serve(scripted)
        assert (await client.get("/healthz")).json()["status"] == "ok"
        assert (await client.head("/healthz")).status_code == 200
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True)
        assert ready.json()["store"] == {"status": "ok"}
        # Nobody gave it a name, and no question was asked yet.
        assert ready.json()["model"]["name"]


async def test_not_ready_without_its_model(serve: Serve) -> None:
    client = await serve(api_keys=["key"])
    replies = await asyncio.gather(*(client.get("/readyz") for _ in range(10)))
    for reply in replies:
        assert reply.status_code == 503
        # No address of the model server: nobody was asked for a key.
        assert reply.json()["model"] == {
            "name": "",
            "status": "failed",
            "error": {"code": "model_unavailable"},
        }
        assert reply.json()["store"]["status"] == "ok"
    assert (await client.get("/healthz")).status_code == 200


async def test_ready_where_another_model_is_asked_in_its_place(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        away = {"base_url": "http://127.0.0.1:9/v1", "name": "x", "fallbacks": ["gone", "other"]}
        gone = {"base_url": "http://127.0.0.1:9/v1", "name": "y"}
        models = {"away": away, "gone": gone, "other": {"base_url": scripted.url, "name": "z"}}
        client = await serve(scripted, models=models, model_base_url=None)
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True)
        told = ready.json()["model"]
        assert (told["status"], told["error"]["code"], told["asked"]) == ("failed", "model_unavailable", "other")
        found = (await client.get("/v1/status")).json()["findings"]
        told = next(each for each in found if each["id"] == "model")
        assert told["state"] == "warning"
        assert told["detail"].startswith("away: ")
        assert told["detail"].endswith(" 대신 other 모델에 묻습니다.")


async def test_what_lists_its_models_and_answers_nobody_is_not_told_as_ready(serve: Serve, monkeypatch: Any) -> None:
    monkeypatch.setattr(health, "_FRESH", 0.0)
    async with ScriptedServer(fail(401, "no"), say("네."), say("네.")) as scripted:
        first = {"base_url": scripted.url, "name": "x", "fallbacks": ["other"]}
        models = {"first": first, "other": {"base_url": scripted.url, "name": "z"}}
        client = await serve(scripted, models=models, model_base_url=None)
        told = []
        for _ in range(2):
            asked = await client.post("/v1/chat", json={"message": "안녕", "team": "assistant"})
            assert asked.status_code == 200
            ready = (await client.get("/readyz")).json()
            told.append((ready["ready"], ready["model"]["status"], ready["model"].get("asked")))
    assert told == [(True, "failed", "other"), (True, "ok", None)]


async def test_weights_that_are_not_there_are_told_of_and_not_fetched(serve: Serve, tmp_path: Path) -> None:
    """Whoever looks after the server has not asked for 1.1 GB."""
    client = await serve(model_base_url=None, cache_dir=tmp_path / "cache")
    reply = await client.get("/readyz", headers={"Accept-Language": "en"})
    assert reply.status_code == 503
    error = reply.json()["model"]["error"]
    assert (error["code"], "`dure models pull`" in error["message"]) == ("weights_missing", True)
    assert "`dure models pull`" in (await client.get("/readyz")).json()["model"]["error"]["message"]
    assert not (tmp_path / "cache").exists()


async def test_a_model_is_tried(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        client = await serve(api_keys=["kim:admin:1", "lee:2"])
        admin = {"Authorization": "Bearer 1", "Accept-Language": "en"}
        path, server = "/v1/model/try", {"base_url": scripted.url, "key": "given"}
        assert (await client.post(path, json=server)).status_code == 401
        assert (await client.post(path, json=server, headers={"Authorization": "Bearer 2"})).status_code == 403
        assert (await client.post("/v1/model/fetch", headers={"Authorization": "Bearer 2"})).status_code == 403
        found = (await client.post(path, json=server, headers=admin)).json()
        assert (found["state"], found["mend"]) == ("ok", "")
        assert scripted.requests
        away = (await client.post(path, json={"base_url": "http://127.0.0.1:9/v1"}, headers=admin)).json()
        assert away["state"] == "failed"
        assert away["mend"]
        # No variable of this process goes out as a key, and no address that is none.
        for wrong in ({"base_url": scripted.url, "key": "$HOME"}, {"base_url": "file:///etc/passwd"}, {"base_url": ""}):
            assert (await client.post(path, json=wrong, headers=admin)).status_code == 422
        failed = await client.post("/v1/model/fetch", headers=admin)
        assert (failed.status_code, failed.json()["error"]["code"]) == (503, "model_unavailable")


async def test_a_model_given_in_python_needs_no_weights(tmp_path: Path) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("…")]))
    dure = Dure(model=model, data_dir=tmp_path, cache_dir=tmp_path / "cache", embeddings=False)
    app = create_app(dure)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        assert (await client.get("/readyz")).status_code == 200
        states = {each["id"]: each["state"] for each in (await client.get("/v1/status")).json()["findings"]}
        assert states["model"] == "ok"


async def test_what_nobody_foresaw_does_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Health and status are looked at just when something is broken: they say so, and see when it is mended."""
    app = create_app(dure := Dure(data_dir=tmp_path, embeddings=False, model_base_url="http://127.0.0.1:9/v1"))

    async def broken(*_: Any, **__: Any) -> Any:
        raise sa.exc.OperationalError("SELECT", None, OSError("disk I/O error"))

    async def fine() -> None:
        pass

    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        with monkeypatch.context() as patch:
            patch.setattr(dure.model, "ready", broken)
            patch.setattr(dure.database, "read", broken)
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["model"]["error"]) == (503, {"code": "internal_error"})
            assert ready.json()["store"] == {"status": "failed", "error": {"code": "store"}}
            status = await client.get("/v1/status")
            assert status.status_code == 200
            states = {each["id"]: each["state"] for each in status.json()["findings"]}
            assert (states["model"], states["documents"]) == ("failed", "failed")
            assert "disk" not in ready.text + status.text
        monkeypatch.setattr(dure.model, "ready", fine)
        monkeypatch.setattr(health, "_FRESH", 0.0)
        assert (await client.get("/readyz")).json()["ready"]
