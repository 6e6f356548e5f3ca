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
for each in ("handed", "ended", "again", "recorded"):
    calls.hand_over(each)
calls.ended("ended", '{"text": "7 o\\u2028clock"}')
calls.ended("again", "first")
calls.hand_over("again")
calls.recorded("recorded")
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
        assert Calls(tmp_path).became(by, "begun") is None
        child.kill()
    return by


def test_of_a_dead_process_it_is_known_what_was_not_handed_over_and_what_ended(tmp_path: Path, died: str) -> None:
    here = Calls(tmp_path)
    assert here.became(died, "begun") == ""
    assert here.became(died, "handed") is None
    assert here.became(died, "ended") == '{"text": "7 o\u2028clock"}'
    assert here.became(died, "again") is None
    for other in (Calls(tmp_path / "elsewhere"), Calls()):
        assert other.became(died, "begun") is None
    for name in ("", "../x", "0" * 16):
        assert here.became(name, "begun") is None


def test_an_end_that_was_cut_off_is_none(tmp_path: Path, died: str) -> None:
    with (tmp_path / died).open("a") as file:
        file.write("handed half of wh")
    assert Calls(tmp_path).became(died, "handed") is None


def test_a_copy_and_another_boot_tell_nothing(tmp_path: Path, died: str, monkeypatch) -> None:
    shutil.copy(tmp_path / died, tmp_path / "copy")
    assert Calls(tmp_path).became("copy", "begun") is None
    monkeypatch.setattr(calls, "boot", lambda: "another")
    assert Calls(tmp_path).became(died, "begun") is None


def test_what_is_empty_or_old_tells_nothing(tmp_path: Path, died: str) -> None:
    (tmp_path / "empty").touch()
    assert Calls(tmp_path).became("empty", "begun") is None
    os.utime(tmp_path / died, (0, 0))
    this = Calls(tmp_path)
    this.by()
    assert this.became(died, "begun") is None
    this.close()
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_of_this_process_nothing_is_told(tmp_path: Path) -> None:
    this = Calls(tmp_path)
    by = this.by()
    assert this.became(by, "begun") is None
    assert this.by() == by
    this.close()
    assert this.became(by, "begun") is None


def test_nothing_stays_once_all_is_recorded(tmp_path: Path) -> None:
    this = Calls(tmp_path)
    file = tmp_path / this.by()
    empty = file.read_bytes()
    this.hand_over("one")
    this.hand_over("two")
    this.ended("one", "private")
    this.recorded("one")
    assert b"private" in file.read_bytes()
    this.recorded("two")
    assert file.read_bytes() == empty
    this.hand_over("three")
    assert file.read_bytes() == empty + b"three\n"
    this.close()


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
