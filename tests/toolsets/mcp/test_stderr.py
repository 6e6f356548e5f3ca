import os
import threading

from dure.toolsets.mcp.stderr import Stderr


def reader() -> threading.Thread:
    return next(each for each in threading.enumerate() if each.name == "dure-mcp-test")


def test_keeps_the_last_line():
    stderr = Stderr("test")
    with stderr.opened() as file:
        thread = reader()
        os.write(file.fileno(), b"first\n\xff second \n\n")
        os.write(file.fileno(), b"x" * 1000)
    thread.join(10)
    assert not thread.is_alive()
    assert list(stderr.lines) == ["first", "� second", "x" * 500]
    assert stderr.last() == "x" * 500


def test_nothing_said():
    stderr = Stderr("test")
    with stderr.opened():
        thread = reader()
    thread.join(10)
    assert stderr.last() == ""
