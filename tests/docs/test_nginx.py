"""The settings for nginx are right: with them, as they stand in the documents, a real one serves a Dure."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fixtures.ports import free_port
from fixtures.reader.blocks import ROOT, blocks

from dure import Dure
from dure.testing import ScriptedServer, call, say, served

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
WITH_TLS, BELOW = [block.text for block in blocks("docs/how-to.md") if block.language == "nginx"]
KEY = {"Authorization": "Bearer key"}


@pytest.fixture
async def model() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as model:
        yield model


@pytest.fixture
async def nginx(tmp_path: Path, model: ScriptedServer) -> AsyncIterator[tuple[str, str]]:
    """The addresses of a Dure behind nginx: with TLS, and below a path."""
    if NGINX is None:
        pytest.skip("the settings for nginx are tested with nginx: apt-get install nginx-light")
    tls, plain = free_port(), free_port()
    pem = ROOT / "tests" / "packs" / "web" / "site.pem"
    settings = {"model_base_url": model.url, "tool_dialect": "native", "embeddings": False}
    async with served(Dure(data_dir=tmp_path / "data", port=0, api_keys="kim:key", **settings)) as url:
        site = re.sub(r"/etc/ssl/dure/\w+\.pem", str(pem), WITH_TLS).replace("listen 443", f"listen 127.0.0.1:{tls}")
        sites = f"{site}\nserver {{ listen 127.0.0.1:{plain}; {BELOW} }}".replace("http://127.0.0.1:8321", url)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        places = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
        user = "user root;" if os.geteuid() == 0 else ""
        head = f"{user} daemon off; pid {tmp_path}/pid; error_log stderr; events {{}}"
        (tmp_path / "nginx.conf").write_text(f"{head} http {{ access_log off; {places} {sites} }}")
        process = await asyncio.create_subprocess_exec(
            *(NGINX, "-p", str(tmp_path), "-e", "stderr", "-c", str(tmp_path / "nginx.conf")),
            stderr=asyncio.subprocess.PIPE,
        )
        await answers(tls, process)
        yield f"https://localhost:{tls}", f"http://localhost:{plain}/dure"
        process.terminate()
        await process.communicate()


async def answers(port: int, process: asyncio.subprocess.Process) -> None:
    """Wait until something listens; what keeps nginx from it is the failure."""
    async with asyncio.timeout(60):
        while True:
            if process.returncode is not None and process.stderr is not None:
                pytest.fail((await process.stderr.read()).decode())
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


async def test_what_is_documented_serves(nginx: tuple[str, str]) -> None:
    for url in nginx:
        async with httpx.AsyncClient(verify=False, timeout=60) as client:
            page = await client.get(f"{url}/")
            for place in re.findall(r'(?:href|src)="(?!data:)([^"]+)"', page.text):
                assert (await client.get(str(page.url.join(place)))).status_code == 200, place
            # The browser's Origin is the outer name; a file is larger than nginx would take.
            origin = {"Origin": "/".join(url.split("/")[:3])}
            file = {"file": ("long.txt", "연차휴가는 1년에 15일이다.\n".encode() * 60_000)}
            added = await client.post(f"{url}/v1/documents", files=file, headers=KEY | origin)
            assert added.status_code == 202, added.text


async def test_links_lead_back_through_it(nginx: tuple[str, str], model: ScriptedServer) -> None:
    """By TLS where the reader came by TLS."""
    async with httpx.AsyncClient(verify=False, timeout=60, headers=KEY) as client:
        file = {"file": ("규정.txt", "연차휴가는 15일이다.".encode())}
        added = (await client.post(f"{nginx[0]}/v1/documents", files=file)).json()["documents"][0]["id"]
        while (await client.get(f"{nginx[0]}/v1/documents/{added}")).json()["status"] != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        model.then(call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 15일입니다. [1]"))
        asked = {"model": "assistant", "input": "연차휴가는 며칠이야?"}
        answer = (await client.post(f"{nginx[0]}/v1/responses", json=asked)).json()
        cited = answer["output"][-1]["content"][0]["annotations"][0]["url"]
        assert cited.startswith(f"{nginx[0]}/#/documents?open=")
        assert '<div id="app">' in (await client.get(cited)).text


async def test_answers_come_as_they_are_written(nginx: tuple[str, str], model: ScriptedServer) -> None:
    later = asyncio.Event()
    model.then(say("안녕하세요.").after(later))
    asked = {"message": "안녕", "team": "assistant", "stream": True}
    async with (
        httpx.AsyncClient(verify=False, timeout=60, headers=KEY) as client,
        client.stream("POST", f"{nginx[0]}/v1/chat", json=asked) as reply,
    ):
        assert reply.headers["content-type"].startswith("text/event-stream")
        lines = reply.aiter_lines()
        assert await anext(lines) == "id: 1"
        later.set()
        assert "RUN_FINISHED" in [line async for line in lines if line.startswith("data:")][-1]
