"""Runs a command that ends with the process that started it, however that ends, and with it all that it started, also
what left its process group: `python tied.py PARENT COMMAND …`. For Linux; a program of its own, which imports nothing
of Dure.

With `--late PATH SECONDS KEY HARMLESS` before the command it stands between the two, who speak JSON-RPC line by line:
calls that are under way when the process dies go on for at most so many seconds, and how they ended, and those that had
ended just before, is left in a file, which is locked while this program lives. A process that goes on removes it. KEY:
the name in `params._meta` of what a call is known by. HARMLESS: names of tools, one a line, about whose calls nobody
has to know.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

PDEATHSIG = 1
"""prctl's option: the signal that a process gets when the one that started it ends, however that ended."""
_SUBREAPER = 36
"""prctl's option: what those below leave behind when they end becomes this process's own."""
_LATELY = 5.0
"""Seconds after which the process has recorded the answer that it was handed, or is dead."""
_DIES = 0.3
"""Seconds after the end of its pipes within which a process that dies is dead."""


class Between:
    """Hands on what the process says to its command and back, each in a thread, so that neither waits for the other."""

    def __init__(self, parent: int, path: str, seconds: str, key: str, harmless: str) -> None:
        self._parent, self._seconds, self._key = parent, float(seconds), key
        self._harmless = harmless.split("\n")
        self._path, self._file = path, -1
        self._calls: dict[str, tuple[object, float, bytes]] = {}
        """By what they are known by: the request's id, when it was answered (0.0: not yet), and how."""
        self._changed, self._asked_all, self._silent = threading.Condition(), False, False
        self.stdin, self._asked = os.pipe()
        self._answered, self.stdout = os.pipe()

    def begin(self) -> None:
        """Now that the command has its ends."""
        os.close(self.stdin)
        os.close(self.stdout)
        threading.Thread(target=self._ask, daemon=True).start()
        threading.Thread(target=self._answer, daemon=True).start()

    def wait(self, orphaned: bool) -> None:
        """Until what the command said is handed on, once it is dead with all below it; orphaned: until it has got what
        the process had asked before it died, and has ended what is under way. Leaves how that ended."""

        def over() -> bool:
            return self._silent or (orphaned and self._asked_all and not self._open())

        with self._changed:
            self._changed.wait_for(over, self._seconds if orphaned else _LATELY)
            said = b"".join(b"%s %s\n" % (key.encode(), how) for key, (_, _, how) in self._calls.items() if how)
        if said:
            os.write(self._file, said)

    def _open(self) -> bool:
        return not all(at for _, at, _ in self._calls.values())

    def _ask(self) -> None:
        _hand_on(0, self._asked, self._note)
        with self._changed:
            self._asked_all = True
            self._changed.notify()
        until = time.monotonic() + _DIES
        while self._open() and os.getppid() == self._parent and time.monotonic() < until:
            time.sleep(0.01)
        # Many servers give up what they are at when nobody is there to ask any more.
        if not self._open() or os.getppid() == self._parent:
            os.close(self._asked)

    def _note(self, line: bytes) -> None:
        if self._key.encode() not in line:
            return
        import fcntl
        import json

        try:
            asked = json.loads(line)
            number, name, key = asked["id"], asked["params"]["name"], str(asked["params"]["_meta"][self._key])
        except (ValueError, LookupError, TypeError):
            return
        if name in self._harmless:
            return
        with self._changed:
            if self._file < 0:
                self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY, 0o600)
                fcntl.flock(self._file, fcntl.LOCK_EX)
            latest = time.monotonic() - _LATELY
            self._calls = {each: call for each, call in self._calls.items() if not 0 < call[1] < latest}
            if not self._calls:
                os.ftruncate(self._file, 0)
            os.write(self._file, f"{key}\n".encode())
            self._calls[key] = (number, 0.0, b"")

    def _answer(self) -> None:
        _hand_on(self._answered, 1, self._hear)
        with self._changed:
            self._silent = True
            self._changed.notify()

    def _hear(self, line: bytes) -> None:
        if not self._open():
            return
        import json

        with suppress(ValueError), self._changed:
            said = json.loads(line)
            for key, (number, at, _) in self._calls.items():
                if isinstance(said, dict) and "method" not in said and said.get("id") == number and not at:
                    self._calls[key] = (number, time.monotonic(), line.strip())
            self._changed.notify()


def _hand_on(source: int, target: int, look: Callable[[bytes], None]) -> None:
    """All that `source` says, to its end, also when nobody hears it at `target`. look: gets each line before its end is
    handed on."""
    begun: list[bytes] = []
    with suppress(OSError):
        while chunk := os.read(source, 1 << 16):
            first, *lines = chunk.split(b"\n")
            begun.append(first)
            for line in lines:
                look(b"".join(begun))
                begun = [line]
            with suppress(OSError):
                while chunk:
                    chunk = chunk[os.write(target, chunk) :]


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    prctl = ctypes.CDLL(None).prctl
    # Blocked and waited for: a handler of Python's would run only after a wait that began just then.
    told = {signal.SIGUSR1, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, told)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    prctl(PDEATHSIG, signal.SIGUSR1)
    prctl(_SUBREAPER, 1)
    if os.getppid() != parent:
        sys.exit(1)
    between = None
    if command[0] == "--late":
        between, command = Between(parent, *command[1:5]), command[5:]
    child = os.fork()
    if child == 0:
        prctl(PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, told)
        if between:
            os.dup2(between.stdin, 0)
            os.dup2(between.stdout, 1)
        with suppress(OSError):
            os.execvp(command[0], command)  # noqa: S606
        os._exit(127)
    # What the command is told by its group is the command's to follow.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if between:
        between.begin()
    else:
        # Its pipes are its own.
        os.close(0)
        os.close(1)
    ended: dict[int, int] = {}
    while child not in ended and signal.sigwait(told) == signal.SIGCHLD:
        # One signal may stand for several.
        while child not in ended and (each := os.waitpid(-1, os.WNOHANG))[0]:
            ended[each[0]] = each[1]
    if between and child not in ended:
        between.wait(orphaned=True)
    _end_all()
    if between and child in ended:
        between.wait(orphaned=False)
    code = os.waitstatus_to_exitcode(ended[child]) if child in ended else 1
    os._exit(code if code >= 0 else 128 - code)


def _end_all() -> None:
    """End all below, round by round: whose parent ended becomes a child of this process."""
    with suppress(ChildProcessError):
        while True:
            for name in filter(str.isdigit, os.listdir("/proc")):
                with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:
                    if int(stat.read().rpartition(b")")[2].split()[1]) == os.getpid():
                        os.kill(int(name), signal.SIGKILL)
            os.wait()


if __name__ == "__main__":
    main()
