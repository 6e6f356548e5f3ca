"""Against a server written for the purpose, over stdio and streamable HTTP."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest
from aiohttp import web

from dure import findings
from dure.messages import ToolCall
from dure.tooling import ToolContext
from dure.toolsets import run_call
from dure.toolsets.mcp import McpServers

ODD = str(Path(__file__).parent / "servers" / "odd.py")


async def test_a_server_is_told_the_key_of_a_call(opened, plain) -> None:
    servers = await opened(plain=plain())
    context = ToolContext("me", run_id="r-1", call_id="w1.c2")
    result = await run_call(servers.tools(), ToolCall("key", {}), context)
    assert result.text == "r-1.w1.c2"


async def test_offers_tools_and_runs_them(opened, odd, call):
    servers = await opened(odd=odd(env={"GIVEN": "yes"}, effects={"wait": "read"}))
    tools = servers.tools()
    (status,) = servers.status()
    assert (status["name"], status["state"], status["error"], status["version"]) == ("odd", "ready", None, "odd 7")
    assert "search.everything" in status["tools"]

    # Names, effects, marks.
    # What a server says of its tools grants nothing: the configuration does.
    assert tools["search_everything"].effect == "external"
    assert tools["register"].effect == "external"
    assert tools["fail"].effect == "external"
    assert tools["wait"].effect == "read"
    assert {each.server for each in tools.values()} == {"odd"}
    assert all(each.untrusted for each in tools.values())

    # Schemas stay whole, and are checked before the server is asked.
    schema = tools["register"].parameters
    assert schema["$defs"]["Address"]["properties"]["zip"]["minimum"] == 10000
    assert schema["$defs"]["Person"]["properties"]["friends"]["items"] == {"$ref": "#/$defs/Person"}
    person = {"name": "김두레", "home": {"zip": 12345, "lines": []}, "friends": [{"name": "x", "home": None}]}
    status, result = await call(servers, "register", person=person)
    assert status == "error"
    assert "person.friends.0.home" in result.text
    person["friends"] = []
    assert (await call(servers, "register", person=person))[1].text == "김두레 12345 0"

    # The environment is what the file names, and little else.
    environment = json.loads((await call(servers, "environment"))[1].text)
    assert environment["GIVEN"] == "yes"
    assert set(environment) <= {"GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}

    # Every kind of result.
    _, result = await call(servers, "everything")
    assert result.text.splitlines() == [
        "안녕",
        "[image: image/png, 5 bytes]",
        "[audio: audio/wav, 5 bytes]",
        "[resource a.txt <file:///a.txt>: a file]",
        "[resource <file:///b.txt>]",
        "inside",
        "[resource <file:///c>: binary, 5 bytes]",
    ]
    _, result = await call(servers, "structured")
    assert (result.text, result.data) == ('{"온도":21}', {"온도": 21})

    # A tool's failure is a result.
    status, result = await call(servers, "fail")
    assert status == "error"
    assert "it does not work" in result.text
    assert (await call(servers, "noise", lines=2000))[1].text == "loud"
    assert (await call(servers, "search_everything"))[1].text == "found"


async def test_calls_share_a_session_and_run_side_by_side(opened, plain, call):
    servers = await opened(plain=plain())
    answers = await asyncio.gather(call(servers, "wait", seconds=0.2), *(call(servers, "pid") for _ in range(5)))
    assert answers[0][1].text == "waited"
    assert len({result.text for _, result in answers[1:]}) == 1


async def test_follows_a_changed_list_of_tools(opened, odd, call, until):
    servers = await opened(odd=odd())
    assert "grown" not in servers.tools()
    await call(servers, "grow")
    await until(lambda: servers.status()[0]["changed"] == {"grown": "new"})
    assert "grown" not in servers.tools(), "nobody has accepted it yet"
    servers.accept("odd")
    assert (await call(servers, "grown"))[1].text == "I am new"


async def test_clashing_names_are_prefixed(opened, plain, call):
    servers = await opened(one=plain(), two=plain(env={"WHO": "two"}))
    names = servers.tools()
    assert {"one_pid", "two_pid", "one_environment"} <= names.keys()
    assert "pid" not in names
    assert json.loads((await call(servers, "two_environment"))[1].text)["WHO"] == "two"
    assert "WHO" not in json.loads((await call(servers, "one_environment"))[1].text)


async def test_comes_back_after_a_crash_during_a_call(opened, plain, call, until):
    servers = await opened(plain=plain(env={"KEY": "sk-very-secret"}))
    before = (await call(servers, "pid"))[1].text
    tools = servers.tools()
    status, result = await call(servers, "crash")
    assert status == "error"
    assert "lost during the call" in result.text
    # Its tools stay on offer, and the next call waits until it is back.
    assert servers.tools().keys() == tools.keys()
    status, result = await call(servers, "pid")
    assert status == "ok"
    assert result.text != before


async def test_a_call_is_handed_over_once_the_server_is_there(opened, plain, call, until):
    servers = await opened(plain=plain(timeout=5))
    pid, handed = int((await call(servers, "pid"))[1].text), []
    server = servers.servers[0]
    server._up.clear()
    context = ToolContext("me", language="en", hand_over=lambda: handed.append(server._up.is_set()))
    waiting = asyncio.create_task(run_call(servers.tools(), ToolCall("pid", {}), context))
    await until(server._hurry.is_set)
    assert handed == []
    server._up.set()
    assert int((await waiting).text) == pid
    assert handed == [True]


@pytest.mark.parametrize(
    ("one_by_one", "effect", "at_once"),
    [(False, "external", True), (True, "external", False), (True, "idempotent", True)],
)
async def test_a_server_that_is_busy_with_another_call_is_handed_none_that_it_cannot_begin(
    one_by_one, effect, at_once, opened, plain, until
):
    env = {"ONE_BY_ONE": "yes"} if one_by_one else {}
    servers = await opened(plain=plain(env=env, effects={"pid": effect}))
    handed = []

    async def make(name: str, **args: object) -> str:
        context = ToolContext("me", language="en", hand_over=lambda: handed.append(name))
        return (await run_call(servers.tools(), ToolCall(name, args), context)).text

    first = asyncio.create_task(make("wait", seconds=2))
    await until(lambda: handed)
    second = asyncio.create_task(make("pid"))
    await until(lambda: handed[1:] or first.done())
    assert first.done() is not at_once
    assert await first == "waited"
    assert (await second).isdigit()
    assert handed == ["wait", "pid"]


async def test_a_server_that_answers_no_pings_is_not_waited_for_again(opened, plain, until, monkeypatch):
    from dure.toolsets.mcp import calls

    monkeypatch.setattr(calls, "_LISTENS_SECONDS", 0.05)
    servers = await opened(plain=plain(env={"ONE_BY_ONE": "yes"}))
    handed = []
    context = ToolContext("me", language="en", hand_over=lambda: handed.append(1))
    made = [
        asyncio.create_task(run_call(servers.tools(), ToolCall("wait", {"seconds": seconds}), context))
        for seconds in (2, 0, 0)
    ]
    await until(lambda: len(handed) == 3)
    assert not any(each.done() for each in made)
    assert [(await each).text for each in made] == ["waited"] * 3


async def test_comes_back_after_it_was_killed_at_rest(opened, plain, call, until, alive):
    import os

    servers = await opened(plain=plain(env={"KEY": "sk-very-secret"}))
    pid = int((await call(servers, "pid"))[1].text)
    waiting = asyncio.create_task(call(servers, "wait", seconds=60))
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    assert (await waiting)[0] == "error"
    await until(lambda: servers.status()[0]["state"] == "ready" and servers.status()[0]["error"] is None)
    assert int((await call(servers, "pid"))[1].text) != pid
    assert not alive(pid)


async def test_a_slow_call_times_out_and_a_stuck_server_is_replaced(opened, plain, call):
    servers = await opened(plain=plain(timeout=1))
    first = (await call(servers, "pid"))[1].text
    for _ in range(3):
        status, result = await call(servers, "wait", seconds=60)
        assert status == "timeout"
        assert "did not answer within 1 seconds" in result.text
    answers = [await call(servers, "pid") for _ in range(1)]
    while answers[-1][0] != "ok":
        answers.append(await call(servers, "pid"))
    assert answers[-1][1].text != first


async def test_bad_servers_cost_only_their_own_tools(opened, odd, call, tmp_path):
    dying = "import sys; print('cannot open sk-very-secret', file=sys.stderr); sys.exit(1)"
    servers = await opened(
        {"RETRY": 30.0, "BACK": 0.1},
        missing={"command": str(tmp_path / "no-such-program")},
        dying={"command": sys.executable, "args": ["-c", dying], "env": {"KEY": "sk-very-secret"}},
        rubbish={"command": sys.executable, "args": ["-c", "print('hello'); print('{}'); input()"]},
        nowhere={"url": "http://127.0.0.1:9/mcp"},
        wrong={"command": 3},
        off={"command": "x", "disabled": True},
    )
    states = {each["name"]: (each["state"], each["error"]) for each in servers.status()}
    assert states["missing"] == ("failed", f"No such file or directory: {tmp_path}/no-such-program")
    assert states["dying"] == ("failed", "the process ended (cannot open ***)")
    assert states["rubbish"][0] == "failed"
    assert states["nowhere"] == ("failed", "All connection attempts failed")
    assert states["wrong"] == ("failed", "mcpServers.wrong: command: must be text")
    assert states["off"] == ("disabled", None)
    assert servers.tools() == {}


@pytest.mark.parametrize("status", [401, 403])
async def test_a_key_that_is_refused_is_told_as_that(opened, status):
    """Not as an answer that nobody understands; and a server that is away not as a wrong file."""

    async def refuse(request: web.Request) -> web.Response:
        return web.json_response({"error": "no"}, status=status)

    app = web.Application()
    app.router.add_route("*", "/mcp", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        entry = {"url": url, "headers": {"Authorization": "Bearer wrong-key"}}
        servers = await opened({"RETRY": 30.0}, wiki=entry, gone={"url": "http://127.0.0.1:9/mcp"})
    finally:
        await runner.cleanup()
    wiki, gone = servers.status()
    assert (wiki["error"], wiki["cause"]) == (f"its key or header is refused (HTTP {status})", "key")
    assert (gone["error"], gone["cause"]) == ("All connection attempts failed", "away")
    told = [findings._mcp(each) for each in servers.status()]
    assert [str(each[-1]) for each in told] == [
        "correct the key of wiki in its `headers`",
        "start the server, or correct its `url`",
    ]
    assert findings._mcp(wiki | {"state": "connecting", "error": None})[0] == "ok"


async def test_a_server_that_says_nothing(opened):
    silent = {"command": sys.executable, "args": ["-c", "import sys; sys.stdin.read()"]}
    servers = await opened({"CONNECT": 0.5, "RETRY": 30.0}, silent=silent)
    (status,) = servers.status()
    assert (status["state"], status["error"]) == ("failed", "did not answer within 0.5 seconds")


async def test_a_key_among_the_arguments_is_not_told(opened, call, monkeypatch, caplog):
    monkeypatch.setenv("MY_TOKEN", "tok-canary-1")
    dying = "import sys; print('bad option', sys.argv[1:], file=sys.stderr); sys.exit(2)"
    entry = {"command": sys.executable, "args": ["-c", dying, "--use", "${MY_TOKEN}"]}
    servers = await opened({"RETRY": 30.0}, dying=entry)
    assert servers.status()[0]["error"] == "the process ended (bad option ['--use', '***'])"
    assert "canary" not in caplog.text


async def test_starting_does_not_wait(until, tmp_path):
    there = tmp_path / "there"
    silent = {"command": sys.executable, "args": ["-c", f"open({str(there)!r}, 'w'); input()"]}
    servers = McpServers({"mcpServers": {"silent": silent}})
    await servers.start()
    assert servers.status()[0]["state"] == "connecting"
    assert not await servers.ready(0.01)
    await until(there.exists)
    await servers.close()
    assert servers.status()[0]["state"] == "closed"


async def test_closing_ends_a_process_that_is_just_starting(until, alive, tmp_path, monkeypatch):
    """Its pipes take their time, as on a machine that has much to do."""
    connect = asyncio.base_events.BaseEventLoop.connect_write_pipe

    async def slowly(*args):
        await asyncio.sleep(0.5)
        return await connect(*args)

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "connect_write_pipe", slowly)
    there = tmp_path / "there"
    starting = f"import os, sys; open({str(there)!r}, 'w').write(str(os.getpid())); sys.stdin.read()"
    servers = McpServers({"mcpServers": {"starting": {"command": sys.executable, "args": ["-c", starting]}}})
    await servers.start()
    await until(lambda: there.exists() and there.read_text())
    await servers.close()
    assert not alive(int(there.read_text()))


async def test_closing_ends_the_processes(opened, plain, call, alive):
    servers = await opened(plain=plain())
    pid = int((await call(servers, "pid"))[1].text)
    tools = servers.tools()
    await servers.close()
    assert not alive(pid)
    assert servers.tools() == {}
    from dure.tooling import ToolContext
    from dure.toolsets.mcp.failures import McpUnavailable

    with pytest.raises(McpUnavailable):
        await tools["pid"].run({}, ToolContext("me"))


async def test_cwd_is_relative_to_the_file(call, plain, tmp_path):
    (tmp_path / "work").mkdir()
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"odd": plain(cwd="work")}}))
    async with McpServers(path) as servers:
        await servers.ready(60)
        assert (await call(servers, "folder"))[1].text == str(tmp_path / "work")


async def test_streamable_http(opened, call, http_server, free_port, until, sdk):
    process = await http_server(free_port, *sdk, ODD, str(free_port))
    servers = await opened({"BACK": 20.0}, odd={"url": f"http://127.0.0.1:{free_port}/mcp"})
    status = servers.status()[0]
    assert (status["state"], status["transport"]) == ("ready", "http")
    before = (await call(servers, "pid"))[1].text
    while "grown" not in servers.status()[0]["tools"]:
        # What a server tells of before its client listens beside the calls is lost.
        await call(servers, "grow")

    # The server dies during a call; another one takes its place later.
    waiting = asyncio.create_task(call(servers, "wait", seconds=60))
    await asyncio.sleep(0)
    process.kill()
    await process.wait()
    assert (await waiting)[0] == "error"
    await until(lambda: servers.status()[0]["state"] == "failed")
    assert servers.tools() == {}
    await http_server(free_port, *sdk, ODD, str(free_port))
    await until(lambda: servers.status()[0]["state"] == "ready")
    status, result = await call(servers, "pid")
    assert status == "ok"
    assert result.text != before


async def test_sse(opened, call, http_server, free_port, until, sdk):
    """The transport of before 2025-03-26."""
    process = await http_server(free_port, *sdk, ODD, str(free_port), "sse")
    entry = {"type": "sse", "url": f"http://127.0.0.1:{free_port}/sse"}
    servers = await opened({"BACK": 20.0}, odd=entry)
    before = (await call(servers, "pid"))[1].text
    await call(servers, "grow")
    await until(lambda: "grown" in servers.status()[0]["tools"])
    process.kill()
    await process.wait()
    await http_server(free_port, *sdk, ODD, str(free_port), "sse")
    await until(lambda: servers.status()[0]["state"] == "ready" and servers.status()[0]["error"] is None)
    assert (await call(servers, "pid"))[1].text != before
