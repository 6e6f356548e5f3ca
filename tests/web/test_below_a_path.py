"""The page below a path: what it asks for stays there."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from dure import Dure
from dure.api import create_app
from dure.testing import ScriptedServer, say

expect = pytest.importorskip("playwright.async_api", reason="needs the package playwright").expect
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def below(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a Dure below `/dure`."""
    async with ScriptedServer(say("안녕하세요.")) as model:
        settings = {"model_base_url": model.url, "tool_dialect": "native", "embeddings": False}
        inside = create_app(Dure(data_dir=tmp_path / "data", **settings))
        app = Starlette(routes=[Mount("/dure", inside)], lifespan=lambda _: inside.router.lifespan_context(inside))
        with socket.create_server(("127.0.0.1", 0)) as bound:
            server = uvicorn.Server(uvicorn.Config(app, log_config=None))
            serving = asyncio.create_task(server.serve(sockets=[bound]))
            yield f"http://127.0.0.1:{bound.getsockname()[1]}/dure"
            server.should_exit = True
            await serving


async def test_asking_and_adding_a_document(below: str, visit, tmp_path: Path) -> None:
    # `visit` fails for a request to any other path.
    page = await visit(below, team="assistant")
    await page.get_by_label("메시지").fill("안녕")
    await page.get_by_label("메시지").press("Enter")
    await expect(page.locator(".md.finished")).to_have_text("안녕하세요.")
    (tmp_path / "규정.txt").write_text("연차휴가는 1년에 15일이다.", "utf-8")
    await page.goto(f"{below}/#/documents")
    await page.locator("input[type=file]").set_input_files(tmp_path / "규정.txt")
    await expect(page.locator(".row .mark[data-status=ready]")).to_have_count(1)
