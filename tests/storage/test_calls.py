"""What stands of calls outside of the record: only what is sure."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dure.storage import calls
from dure.storage.calls import Calls
from dure.storage.process import boot

pytestmark = pytest.mark.skipif(not boot() or calls.fcntl is None, reason="needs locks and to know the boot")
HAND = """
import sys
from pathlib import Path
from dure.storage.calls import Calls
calls = Calls(Path(sys.argv[1]))
print(calls.by(), flush=True)
calls.hand_over("handed")
print(calls.by(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def died(tmp_path: Path) -> str:
    """The name of a process that handed one call over, lives for a while, and is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HAND, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        by = child.stdout.readline().strip()
        assert child.stdout.readline().strip() == by != ""
        # It lives: it may make the call yet.
        assert not Calls(tmp_path).unsent(by, "begun")
        child.kill()
    return by


def test_of_a_dead_process_what_was_not_handed_over_was_not_made(tmp_path: Path, died: str) -> None:
    here = Calls(tmp_path)
    assert here.unsent(died, "begun")
    assert not here.unsent(died, "handed")
    assert not Calls(tmp_path / "elsewhere").unsent(died, "begun")
    assert not Calls().unsent(died, "begun")
    for name in ("", "../x", "0" * 16):
        assert not here.unsent(name, "begun")


def test_a_copy_and_another_boot_tell_nothing(tmp_path: Path, died: str, monkeypatch) -> None:
    shutil.copy(tmp_path / died, tmp_path / "copy")
    assert not Calls(tmp_path).unsent("copy", "begun")
    monkeypatch.setattr(calls, "boot", lambda: "another")
    assert not Calls(tmp_path).unsent(died, "begun")


def test_what_is_empty_or_old_tells_nothing(tmp_path: Path, died: str) -> None:
    (tmp_path / "empty").touch()
    assert not Calls(tmp_path).unsent("empty", "begun")
    os.utime(tmp_path / died, (0, 0))
    this = Calls(tmp_path)
    this.by()
    assert not this.unsent(died, "begun")
    this.close()
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_of_this_process_nothing_is_told(tmp_path: Path) -> None:
    this = Calls(tmp_path)
    by = this.by()
    assert not this.unsent(by, "begun")
    assert this.by() == by
    this.close()
    assert not this.unsent(by, "begun")


def test_what_cannot_be_written_is_not_told_of(tmp_path: Path, monkeypatch) -> None:
    this = Calls(tmp_path)
    by = this.by()

    def full(file: int, data: bytes) -> int:
        raise OSError("no space left")

    monkeypatch.setattr("dure.storage.calls.os.write", full)
    this.hand_over("handed")
    assert not (tmp_path / by).exists()
    assert this.by() == ""


def test_a_long_file_is_followed_by_another(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(calls, "_MOST", 100)
    this = Calls(tmp_path)
    by = this.by()
    this.hand_over("x" * 100)
    assert this.by() != by
    assert len(list(tmp_path.iterdir())) == 1
    this.close()
