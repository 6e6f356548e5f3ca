"""What Dure costs beside the model: `python benchmarks/overhead.py` (needs `pip install -e '.[bench]'`).

The question of design document 000 against a scripted server without latency, in its own process. Baselines run
in the same go: `raw` (the same calls by hand), `bare` (these in a LangGraph, nothing else) and `stack`
(create_supervisor, create_react_agent, ChatOpenAI, AsyncSqliteSaver). Each subject runs in a process of its own; ratios
count, seconds depend on the machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@contextmanager
def model_server(latency: float = 0.0) -> Iterator[str]:
    """The scripted model in its own process; gives its URL."""
    command = [sys.executable, "-m", "dure.testing", f"{HERE / 'overhead_model.py'}:respond", "--chunk", "12"]
    with subprocess.Popen(
        [*command, "--latency", str(latency)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.wait(10)


def counted(url: str) -> dict[str, int]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/scripted") as reply:
        return json.load(reply)


def run(subject: str, url: str, **task: Any) -> Any:
    """One measure of one subject, in a new process and an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / "overhead_subjects.py"), subject, url, folder, json.dumps(task)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{subject} failed:\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])


def cpu_of(*command: str) -> float:
    """CPU seconds of a whole process, the smallest of five."""
    times = []
    for _ in range(5):
        before = os.times()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


def serve_cpu() -> float:
    """CPU seconds `dure serve` has used when `/healthz` answers, the smallest of three."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"DURE_DATA_DIR": folder, "DURE_MODEL_BASE_URL": "http://127.0.0.1:9/v1"}
            process = subprocess.Popen(
                [sys.executable, "-m", "dure", "serve", "--port", "0"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            assert process.stdout
            url = next(word for line in process.stdout for word in line.split() if word.startswith("http://127"))
            while True:
                try:
                    urllib.request.urlopen(url.rstrip("/") + "/healthz").read()
                    break
                except OSError:
                    time.sleep(0.01)
            fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            times.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
            process.terminate()
            process.wait(10)
    return min(times)


class Table:
    """Prints a row a figure: what was measured, what is wanted, whether it holds."""

    def __init__(self) -> None:
        self.missed = 0
        print(f"{'figure':<52}{'measured':>22}  {'wanted':<18}")

    def row(self, figure: str, measured: str, wanted: str = "", holds: bool | None = None) -> None:
        mark = "" if holds is None else ("ok" if holds else "MISSED")
        self.missed += holds is False
        print(f"{figure:<52}{measured:>22}  {wanted:<18}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100, help="tens of them")
    parser.add_argument("--rounds", type=int, default=3, help="how often each subject is asked them")
    parser.add_argument("--turns", type=int, default=50)
    given = parser.parse_args()
    table = Table()
    measured: dict[str, dict[str, float]] = {}
    subjects = ("raw", "bare", "stack", "same prompts", "dure")
    # In turn, the smallest of all rounds: what else the machine does lasts for minutes and doubles times.
    for subject in subjects * given.rounds:
        with model_server() as url:
            result = run(subject, url, measure="questions", count=given.questions)
            count = counted(url)
        asked = given.questions + 5
        result |= {"calls": count["requests"] / asked, "tokens": count["prompt_tokens"] / asked}
        measured[subject] = min(measured.get(subject, result), result, key=lambda each: each["cpu"])
    for subject in subjects:
        table.row(f"{subject}: CPU a question", f"{measured[subject]['cpu'] * 1000:.2f} ms")
    raw, stack, dure = measured["raw"], measured["stack"], measured["dure"]
    table.row(f"model calls (stack: {stack['calls']:.1f})", f"{dure['calls']:.2f}", "2", dure["calls"] == 2)
    tokens = dure["tokens"] / stack["tokens"]
    table.row("prompt tokens / stack's", f"{tokens:.3f}", "<= 0.65", tokens <= 0.65)
    same = dure["tokens"] / measured["same prompts"]["tokens"]
    table.row("prompt tokens / the stack's with Dure's prompts", f"{same:.3f}")
    cpu = dure["cpu"] / stack["cpu"]
    table.row("CPU / stack's", f"{cpu:.3f}", "<= 0.10", cpu <= 0.10)
    table.row("CPU / raw's", f"{dure['cpu'] / raw['cpu']:.2f}")

    for subject in ("stack", "dure"):
        with model_server() as url:
            session = run(subject, url, measure="turns", count=given.turns)
        first, last = (statistics.mean(part) for part in (session["bytes"][:5], session["bytes"][-5:]))
        flat = None if subject == "stack" else last <= 1.2 * first
        grown = f"{last / first:.2f} ({last / 1000:.0f} kB)"
        table.row(f"{subject}: bytes of the last turns / the first", grown, "<= 1.2", flat)
        early, late = (statistics.median(part) for part in (session["cpu"][:5], session["cpu"][-5:]))
        holds = None if subject == "stack" else late <= 1.5 * early
        table.row(f"{subject}: CPU of the last turns / the first", f"{late / early:.2f}", "<= 1.5", holds)

    chats, each, latency = 64, 5, 0.2
    for subject in ("raw", "bare", "dure"):
        with model_server(latency) as url:
            wall = run(subject, url, measure="together", chats=chats, each=each)["wall"]
        ceiling = measured[subject]["calls"] * latency * each / wall
        figure = f"{subject}: share of the ceiling, {chats} chats at {latency * 1000:.0f} ms"
        table.row(figure, f"{ceiling:.0%}", ">= 95%", ceiling >= 0.95 if subject == "dure" else None)

    bare = cpu_of(sys.executable, "-c", "pass")
    imported = cpu_of(sys.executable, "-c", "import dure") - bare
    table.row("import dure: CPU", f"{imported:.2f} s", "<= 0.3 s", imported <= 0.3)
    ready = serve_cpu()
    table.row("dure serve ready: CPU", f"{ready:.2f} s", "<= 1.5 s", ready <= 1.5)
    raise SystemExit(1 if table.missed else 0)


if __name__ == "__main__":
    main()
