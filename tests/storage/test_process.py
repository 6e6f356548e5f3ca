"""Telling living processes from dead ones."""

import subprocess
import sys
from pathlib import Path

from dure.storage.process import ThisProcess, locked

HOLD = """
import sys
from pathlib import Path
from dure.storage.process import ThisProcess
p = ThisProcess(Path(sys.argv[1])); p.begin(); print(p.id, flush=True); sys.stdin.read()
"""


def test_a_process_lives_until_it_dies_however_it_dies(tmp_path: Path) -> None:
    this = ThisProcess(tmp_path)
    this.begin()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other_id = other.stdout.readline().strip()
        assert this.lives(other_id)
        other.kill()
        other.wait()
    assert not this.lives(other_id)
    assert this.lives(this.id)
    this.end()
    assert list(tmp_path.iterdir()) == []


def test_ids_that_are_none(tmp_path: Path) -> None:
    this = ThisProcess(tmp_path)
    this.begin()
    assert not this.lives("")
    assert not this.lives("../x")
    assert not this.lives("abc")
    this.end()


def test_what_dead_processes_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number:016x}").touch()
    living = ThisProcess(tmp_path)
    living.begin()
    this = ThisProcess(tmp_path)
    this.begin()
    assert {path.name for path in tmp_path.iterdir()} == {living.id, this.id}
    living.end()
    this.end()


def test_who_was_found_dead_at_the_start_is_known_to_be(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other_id = other.stdout.readline().strip()
        other.kill()
        other.wait()
    this = ThisProcess(tmp_path)
    this.begin()
    assert this.knows(other_id)
    assert not this.lives(other_id)
    this.end()


def test_the_lock_is_let_go_when_its_holder_is_killed(tmp_path):
    path = tmp_path / "x.lock"
    code = f"""
from pathlib import Path
from dure.storage.process import locked
with locked(Path({str(path)!r}), lambda: None):
    print("held", flush=True)
    input()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        waited = []

        def waiting():
            waited.append(True)
            holder.kill()
            holder.wait()

        with locked(path, waiting, pause=0.01):
            assert waited == [True]
