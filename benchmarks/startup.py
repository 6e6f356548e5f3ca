"""What Dure costs to start: `python benchmarks/startup.py` (Linux).

CPU seconds, user and system, all threads, of whole processes until they end, or until a server has answered what is
asked of it; medians of several. Unlike seconds on the clock they hardly depend on who else is at work. Then seconds on
the clock for the first question, for which a server makes itself ready once it is up.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from overhead import model_server

WANTED = 0.8
DURE = (sys.executable, "-m", "dure")
PYTHON = (sys.executable, "-c")
ENDING = {
    "python -c pass": (*PYTHON, "pass"),
    "dure --help": (*DURE, "--help"),
    "import dure": (*PYTHON, "import dure"),
    "from dure import Dure, Agent, Team, tool": (*PYTHON, "from dure import Dure, Agent, Team, tool"),
}
SERVING = ("/healthz", "/v1/teams")
QUESTION = "회사 휴가 정책 알려줘"


def environment(folder: str, model: str = "http://127.0.0.1:9/v1") -> dict[str, str]:
    """Of a fresh user. model: address of a model server; by default nobody is there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DURE_")}
    return kept | {"DURE_DATA_DIR": folder, "DURE_MODEL_BASE_URL": model, "LC_ALL": "C.UTF-8"}


def whole(command: tuple[str, ...]) -> float:
    """CPU seconds of a process from its start to its end."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command, check=True, capture_output=True, env=environment(folder))
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


@contextmanager
def served(**env: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server that has just been started, and its address."""
    port = free_port()
    command = (*DURE, "serve", "--port", str(port))
    with subprocess.Popen(command, env=environment(**env), stderr=subprocess.DEVNULL) as process:
        yield process, f"http://127.0.0.1:{port}"
        process.terminate()


def ask(process: subprocess.Popen[bytes], address: str, value: Any = None) -> None:
    """Ask, from the beginning, until there is an answer. value: what is sent as JSON."""
    request = urllib.request.Request(
        address, None if value is None else json.dumps(value).encode(), {"Content-Type": "application/json"}
    )
    while True:
        try:
            with urllib.request.urlopen(request) as reply:
                reply.read()
            return
        except HTTPError:
            raise
        except URLError:
            # It does not listen yet.
            assert process.poll() is None
            time.sleep(0.01)


def until(path: str, folder: str) -> float:
    """CPU seconds of a server from its start until it has answered a request for `path`."""
    with served(folder=folder) as (process, address):
        ask(process, address + path)
        ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def questions(model: str, idle: float) -> list[float]:
    """Seconds for the first and the second question to a server that was up for `idle` seconds."""
    took = []
    with tempfile.TemporaryDirectory() as folder, served(folder=folder, model=model) as (process, address):
        ask(process, address + "/v1/teams")
        time.sleep(idle)
        for _ in range(2):
            started = time.perf_counter()
            ask(process, address + "/v1/chat", {"message": QUESTION, "team": "workplace"})
            took.append(time.perf_counter() - started)
    return took


def told(what: str, measure: Callable[[], float], times: int) -> None:
    seconds = [measure() for _ in range(times)]
    print(f"{what:<44} {statistics.median(seconds):5.2f}   {min(seconds):.2f} to {max(seconds):.2f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--times", type=int, default=7)
    times = arguments.parse_args().times
    print(f"{'CPU seconds':<44} median   of {times}; wanted: {WANTED} at most")
    for name, command in ENDING.items():
        told(name, lambda command=command: whole(command), times)  # type: ignore[misc]
    for path in SERVING:

        def fresh(path: str = path) -> float:
            with tempfile.TemporaryDirectory() as folder:
                return until(path, folder)

        told(f"dure serve to {path}, fresh folder", fresh, times)
        with tempfile.TemporaryDirectory() as folder:
            until(path, folder)
            told(f"dure serve to {path}", lambda path=path, folder=folder: until(path, folder), times)  # type: ignore[misc]

    print("seconds for the first question and the second, of a model that takes none")
    with model_server() as model:
        for idle in (0.0, 5.0):
            first, second = zip(*(questions(model, idle) for _ in range(times)), strict=True)
            print(f"up for {idle:.0f} s{'':<35} {statistics.median(first):5.2f}   {statistics.median(second):.2f}")


if __name__ == "__main__":
    main()
