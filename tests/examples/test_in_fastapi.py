"""Dure mounted in an app of one's own: everything is there below the path, the page too."""

import asyncio
import re
import runpy
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from dure.testing import ScriptedServer, say

EXAMPLE = Path(__file__).parents[2] / "examples" / "in_fastapi.py"


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """Of the example, on a model that answers twice."""
    async with ScriptedServer(say("안녕하세요."), say("네.")) as model:
        for name, value in {
            "DURE_MODEL_BASE_URL": model.url,
            "DURE_TOOL_DIALECT": "native",
            "DURE_EMBEDDINGS": "false",
            "DURE_DATA_DIR": str(tmp_path),
        }.items():
            monkeypatch.setenv(name, value)
        app = runpy.run_path(str(EXAMPLE))["app"]
        with socket.create_server(("127.0.0.1", 0)) as bound:
            server = uvicorn.Server(uvicorn.Config(app, log_config=None))
            serving = asyncio.create_task(server.serve(sockets=[bound]))
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{bound.getsockname()[1]}", timeout=60) as client:
                yield client
            server.should_exit = True
            await serving


async def test_http_and_page_work_below_the_path(client: httpx.AsyncClient) -> None:
    asked = await client.post("/dure/v1/chat", json={"message": "안녕", "team": "assistant"})
    assert asked.json()["response"] == "안녕하세요."
    assert (await client.get("/answer", params={"question": "응?"})).json() == {"answer": "네.", "sources": []}
    refused = await client.get("/answer", params={"question": " "})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "empty_message")
    assert (await client.get("/dure/readyz")).status_code == 200
    page = await client.get("/dure", follow_redirects=True)
    for place in re.findall(r'(?:href|src)="(?!data:)([^"]+)"', page.text):
        assert (await client.get(str(page.url.join(place)))).status_code == 200, place
    assert (await client.get("/dure/v1/nothing")).json()["error"]["code"] == "not_found"
    described = (await client.get("/dure/openapi.json")).json()
    assert described["servers"] == [{"url": f"{client.base_url}/dure"}]
