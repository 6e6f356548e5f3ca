"""The error output of a stdio server."""

import os
import time

from dure.toolsets.mcp.transport import Stderr


class Slow(Stderr):
    """One whose reader is late."""

    def _read(self, descriptor: int) -> None:
        time.sleep(0.05)
        super()._read(descriptor)


async def test_keeps_the_last_line():
    stderr = Slow("test")
    with stderr.opened() as file:
        os.write(file.fileno(), b"first\n\xff second \n\n")
    assert await stderr.last() == "� second"
    with stderr.opened() as file:
        os.write(file.fileno(), b"third\n")
        os.write(file.fileno(), b"x" * 1000)
    assert await stderr.last() == "x" * 500


async def test_nothing_said():
    stderr = Slow("test")
    with stderr.opened():
        pass
    assert await stderr.last() == ""


async def test_what_somebody_else_holds_open_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("dure.toolsets.mcp.transport._END", 0.05)
    stderr = Stderr("test")
    with stderr.opened() as file:
        other = os.dup(file.fileno())
    assert await stderr.last() == ""
    os.close(other)
