"""A server that hangs ends itself, also where the interpreter's lock is held all the while."""

import subprocess
import sys

import pytest

SCRIPT = """
import asyncio, re, sys, time
from dure.api.heartbeat import heartbeat

async def main(what):
    seconds = float(sys.argv[2])
    with heartbeat(seconds):
        await asyncio.sleep(seconds + 1)
        if what == "sleep":
            time.sleep(60)
        elif what == "match":
            re.match("(a+)+$", "a" * 40 + "b")
    time.sleep(seconds + 0.5)
    print("well")

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("what", ["sleep", "match", "nothing"])
def test_a_loop_that_stands_still_ends_the_process(what: str) -> None:
    # A busy machine, too, may make the loop stand still for a second.
    command = [sys.executable, "-c", SCRIPT, what, "4" if what == "nothing" else "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    if what == "nothing":
        assert (ended.returncode, ended.stdout) == (0, "well\n")
    else:
        assert (ended.returncode, ended.stdout) == (1, "")
        assert "in main" in ended.stderr, "where it hung"


def test_what_is_loaded_is_not_looked_through_for_garbage() -> None:
    program = (
        "import gc, dure.api.heartbeat as h; h.settled(); print(gc.get_freeze_count() > 9000, len(gc.get_objects()))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert told[0] == "True"
    assert int(told[1]) < 1000


def test_while_all_is_loaded_nothing_is_looked_through_for_garbage() -> None:
    program = (
        "import gc, dure.api.heartbeat as h\n"
        "with h.loading(): print(gc.isenabled()); h.loaded(); print(gc.isenabled(), gc.get_freeze_count() > 9000)\n"
        "with h.loading(): pass\n"
        "print(gc.isenabled())"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["False", "True", "True", "True"]
