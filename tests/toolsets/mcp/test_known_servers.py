"""Against servers that others wrote: two from PyPI, two from npm."""

import asyncio
import base64
import os
import shutil
import subprocess
from pathlib import Path

import pytest


def node_server(name: str) -> list[str]:
    """The command of an npm server; skips where it is not installed."""
    folder = os.environ.get("DURE_TEST_NODE_MODULES")
    node = shutil.which("node")
    path = Path(folder or "") / "@modelcontextprotocol" / name / "dist" / "index.js"
    if not folder or not node or not path.is_file():
        pytest.skip(f"needs node, and @modelcontextprotocol/{name} in the folder DURE_TEST_NODE_MODULES names")
    return [node, str(path)]


def git(folder: Path, *args: str) -> str:
    names = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)} | names
    return subprocess.run(
        ["git", *args], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


async def test_time_and_git(opened, call, tmp_path, sdk):
    python, *begun = sdk
    git(tmp_path, "init", "-b", "main")
    (tmp_path / "휴가.txt").write_text("연차 15일\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    servers = await opened(
        time={"command": python, "args": [*begun, "-m", "mcp_server_time", "--local-timezone", "Asia/Seoul"]},
        git={"command": python, "args": [*begun, "-m", "mcp_server_git", "--repository", str(tmp_path)]},
    )
    assert [each["state"] for each in servers.status()] == ["ready", "ready"]
    assert {each.effect for each in servers.tools().values()} == {"external"}

    status, result = await call(servers, "get_current_time", timezone="Asia/Seoul")
    assert status == "ok"
    assert "+09:00" in result.text
    arguments = {"source_timezone": "Asia/Seoul", "time": "09:00", "target_timezone": "UTC"}
    assert "00:00:00+00:00" in (await call(servers, "convert_time", **arguments))[1].text
    assert (await call(servers, "get_current_time", timezone="Mars/Base"))[0] == "error"
    assert (await call(servers, "get_current_time"))[0] == "error"

    assert "first" in (await call(servers, "git_log", repo_path=str(tmp_path)))[1].text
    (tmp_path / "b.txt").write_text("b\n")
    await call(servers, "git_add", repo_path=str(tmp_path), files=["b.txt"])
    assert "b.txt" in (await call(servers, "git_status", repo_path=str(tmp_path)))[1].text
    assert (await call(servers, "git_log", repo_path="/nowhere"))[0] == "error"


@pytest.mark.node
async def test_everything_over_stdio(opened, call):
    node, path = node_server("server-everything")
    servers = await opened(everything={"command": node, "args": [path, "stdio"], "env": {"GIVEN": "yes"}})
    assert servers.status()[0]["state"] == "ready"
    assert (await call(servers, "echo", message="안녕"))[1].text == "Echo: 안녕"
    assert "5" in (await call(servers, "get-sum", a="2", b=3))[1].text
    assert (await call(servers, "get-sum", a="two", b=3))[0] == "error"
    assert "[image: image/png" in (await call(servers, "get-tiny-image"))[1].text
    structured = (await call(servers, "get-structured-content", location="New York"))[1]
    assert set(structured.data) == {"temperature", "conditions", "humidity"}
    assert "yes" in (await call(servers, "get-env"))[1].text
    assert "DURE_TEST_NODE_MODULES" not in (await call(servers, "get-env"))[1].text


@pytest.mark.node
@pytest.mark.parametrize("over", ["stdio", "streamableHttp"])
async def test_everything_asks_and_tells(opened, call, http_server, free_port, person, over, tmp_path):
    """What it does in the middle of calls: over HTTP several are under way at once, and each is asked in its own."""
    node, path = node_server("server-everything")
    entry = {"command": node, "args": [path, "stdio"]}
    if over == "streamableHttp":
        await http_server(free_port, node, path, over, PORT=str(free_port))
        entry = {"url": f"http://127.0.0.1:{free_port}/mcp"}
    servers = await opened(everything={**entry, "roots": [str(tmp_path)]})
    waits = call(servers, "trigger-long-running-operation", person, duration=1, steps=2)
    asks = call(servers, "trigger-elicitation-request", person)
    if over == "stdio":
        answers = [await asks, await waits]
    else:
        answers = await asyncio.gather(asks, waits)
    assert '"titledSingleSelectEnum": "hero-1"' in answers[0][1].text
    assert {"1/2", "2/2"} <= {each.strip() for each in person.told}
    sampled = await call(servers, "trigger-sampling-request", person, prompt="hello", maxTokens=20)
    assert '"text": "hi"' in sampled[1].text
    assert tmp_path.as_uri() in (await call(servers, "get-roots-list"))[1].text
    led = await call(servers, "trigger-url-elicitation", person, url="https://bank.example/allow", elicitationId="e1")
    assert led[0] == "ok"
    assert len(person.asked) == 3
    # Where nobody is there to ask, the server is told so.
    assert "cancel" in (await call(servers, "trigger-elicitation-request"))[1].text
    listed = (await call(servers, "read_resource"))[1]
    found = (await call(servers, "read_resource", uri=listed.data[0]["uri"]))[1]
    assert found.text.startswith(f"[resource <{listed.data[0]['uri']}>]\n")
    assert "Toronto" in (await call(servers, "get_prompt", name="args-prompt", arguments={"city": "Toronto"}))[1].text


@pytest.mark.node
async def test_roots_let_the_filesystem_server_in(opened, call, tmp_path):
    (tmp_path / "a.txt").write_text("안녕하세요")
    node, path = node_server("server-filesystem")
    servers = await opened(files={"command": node, "args": [path], "roots": [str(tmp_path)]})
    async with asyncio.timeout(60):
        # It asks for them once the session stands.
        while str(tmp_path) not in (await call(servers, "list_allowed_directories"))[1].text:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert (await call(servers, "read_text_file", path=str(tmp_path / "a.txt")))[1].text == "안녕하세요"


@pytest.mark.node
async def test_everything_over_streamable_http(opened, call, http_server, free_port, until):
    command = [*node_server("server-everything"), "streamableHttp"]
    process = await http_server(free_port, *command, PORT=str(free_port))
    entry = {"type": "streamable-http", "url": f"http://127.0.0.1:{free_port}/mcp"}
    servers = await opened({"BACK": 30.0}, everything=entry)
    assert servers.status()[0]["state"] == "ready"
    assert (await call(servers, "echo", message="hi"))[1].text == "Echo: hi"

    # A new server on the same port knows nothing of our session.
    process.kill()
    await process.wait()
    await http_server(free_port, *command, PORT=str(free_port))
    answers = [await call(servers, "echo", message="again") for _ in range(2)]
    assert answers[-1][1].text == "Echo: again"


@pytest.mark.node
async def test_filesystem(opened, call, tmp_path):
    inside = tmp_path / "안"
    inside.mkdir()
    (inside / "a.txt").write_text("안녕하세요")
    (inside / "dot.png").write_bytes(base64.b64decode("iVBORw0KGgo="))
    (tmp_path / "outside.txt").write_text("secret")
    node, path = node_server("server-filesystem")
    servers = await opened(files={"command": node, "args": [path, str(inside)]})
    assert (await call(servers, "read_text_file", path=str(inside / "a.txt")))[1].text == "안녕하세요"
    assert (
        "[image: image/png, 8 bytes]" in (await call(servers, "read_media_file", path=str(inside / "dot.png")))[1].text
    )
    status, result = await call(servers, "read_text_file", path=str(tmp_path / "outside.txt"))
    assert status == "error"
    assert "secret" not in result.text
    assert (await call(servers, "write_file", path=str(inside / "b.txt"), content="새 글"))[0] == "ok"
    assert (inside / "b.txt").read_text() == "새 글"
