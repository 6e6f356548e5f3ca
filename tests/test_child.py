"""A child process: asked, hung, dead, idle, and what it gets to see."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.children import warmed

from dure.child import Child, ChildLost

MODULE = """
import os, sys, time
from dure.serving import alive, serve

def answered(request):
    match request["do"]:
        case "echo": return {"pid": os.getpid(), "said": request["text"]}
        case "print": print("noise"); sys.stdout.flush(); return {"said": "quiet"}
        case "environ": return dict(os.environ)
        case "hang": time.sleep(60)
        case "long":
            for _ in range(13):
                time.sleep(0.2)
                alive()
            return {"said": "done"}
        case "die": os._exit(3)
        case "much": return {"said": "가" * 2_000_000}
        case "surrogate": return {"said": "a\\ud800b"}
        case "greedy":
            try: return {"said": str(len(bytearray(2 << 30)))}
            except MemoryError: return {"said": "no memory"}

serve(answered, memory=1 << 30)
"""


@pytest.fixture
async def child(tmp_path: Path, monkeypatch):
    (tmp_path / "odd_child.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    child = Child("odd_child")
    yield child
    await child.close()


async def ask(child, do, seconds=30.0, **more):
    (answer,) = await child.ask({"do": do, "seconds": seconds, **more})
    return answer


async def test_one_process_answers_in_turn(child):
    answers = await asyncio.gather(*(ask(child, "echo", text=f"글 {i}") for i in range(5)))
    assert [each["said"] for each in answers] == [f"글 {i}" for i in range(5)]
    assert {each["pid"] for each in answers} == {child.process.pid}
    both = await child.ask(*({"do": "echo", "text": text, "seconds": 30} for text in "ab"))
    assert [each["said"] for each in both] == ["a", "b"]


async def test_answers_come_whole(child):
    assert (await ask(child, "print"))["said"] == "quiet"
    assert len((await ask(child, "much"))["said"]) == 2_000_000
    assert (await ask(child, "surrogate"))["said"] == "a�b"


async def test_it_sees_no_keys(child, monkeypatch):
    for name in ("DURE_MODEL_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "secret")
    assert "secret" not in (await ask(child, "environ")).values()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
async def test_its_memory_is_limited(child):
    assert (await ask(child, "greedy"))["said"] == "no memory"


async def test_a_hang_ends_in_time_and_the_next_is_answered(child):
    await ask(child, "echo", text="")
    process = child.process
    with pytest.raises(TimeoutError):
        await ask(child, "hang", seconds=0.2)
    assert process.returncode is not None
    assert (await ask(child, "echo", text="again"))["said"] == "again"


async def test_to_start_takes_none_of_a_request_s_time(child, tmp_path):
    (tmp_path / "odd_child.py").write_text(f"import time\ntime.sleep(1.5)\n{MODULE}")
    assert (await ask(child, "echo", text="there", seconds=1))["said"] == "there"


async def test_work_that_says_it_goes_on_has_its_time_anew(child):
    assert await ask(child, "long", seconds=2) == {"said": "done"}


async def test_a_cancelled_request_ends_it(child):
    await ask(child, "echo", text="")
    process = child.process
    asking = asyncio.create_task(ask(child, "hang"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert process.returncode is not None


async def test_a_sudden_end_is_told(child):
    with pytest.raises(ChildLost):
        await ask(child, "die")
    assert child.process is None
    first = (await ask(child, "echo", text=""))["pid"]
    os.kill(first, signal.SIGKILL)
    await child.process.wait()
    assert (await ask(child, "echo", text=""))["pid"] != first


async def test_it_ends_when_idle(child):
    child._idle_seconds = 0.01
    await ask(child, "echo", text="")
    process = child.process
    async with asyncio.timeout(60):
        await process.wait()
        await child._resting
    assert child.process is None
    assert (await ask(child, "echo", text=""))["pid"] != process.pid


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
@pytest.mark.parametrize("kind", ["child", "server", "grandchild"])
async def test_children_die_with_their_parent(tmp_path: Path, kind: str) -> None:
    """At work, and deaf to the end of their input."""
    told = tmp_path / "pid"
    hang = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    (tmp_path / "deaf.py").write_text(
        f"from dure.serving import serve\ndef answered(_):\n    {hang}\nserve(answered, memory=1 << 30)\n"
    )
    # Below a server that left its process group, as a daemon does.
    daemon = (
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {hang!r}], start_new_session=True).wait()"
    )
    serve = (
        "from dure.toolsets.mcp import McpServers; servers = McpServers({'mcpServers': {'deaf': "
        "{'command': sys.executable, 'args': ['-c', SCRIPT]}}}); await servers.start(); await asyncio.sleep(60)"
    )
    begin = {
        "child": "from dure.child import Child; await Child('deaf').ask({'seconds': 60})",
        "server": serve.replace("SCRIPT", repr(hang)),
        "grandchild": serve.replace("SCRIPT", repr(daemon)),
    }[kind]
    script = f"import asyncio, sys\nasync def main():\n    {begin}\nasyncio.run(main())\n"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", script, env=environment)
    while not (told.exists() and told.read_text()):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    pid = int(told.read_text())
    parent.kill()
    await parent.wait()
    for _ in range(100):
        if not _runs(pid):
            break
        await asyncio.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether a process is there and no mere remainder, which nobody may have asked for yet."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="programs are forked there alone")
def test_who_is_gone_before_it_is_answered_leaves_the_tests_next_children_alone() -> None:
    with warmed("json") as start:
        for told in ([b"/\0002\0-c\0pass"], []):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as gone:
                gone.connect(start[4])
                if told:
                    socket.send_fds(gone, told, [0, 1, 2])
        assert subprocess.run([*start, "-c", "print(5)"], capture_output=True, check=True).stdout == b"5\n"
