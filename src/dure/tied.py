"""Runs a command that ends with the process that started it, however that ends, and with it all that it started, also
what left its process group: `python tied.py PARENT COMMAND …`. For Linux; a program of its own, which imports nothing
of Dure."""

import ctypes
import os
import signal
import sys
from contextlib import suppress

PDEATHSIG = 1
"""prctl's option: the signal that a process gets when the one that started it ends, however that ended."""
_SUBREAPER = 36
"""prctl's option: what those below leave behind when they end becomes this process's own."""


def main() -> None:
    prctl = ctypes.CDLL(None).prctl
    # Blocked and waited for: a handler of Python's would run only after a wait that began just then.
    told = {signal.SIGUSR1, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, told)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    prctl(PDEATHSIG, signal.SIGUSR1)
    prctl(_SUBREAPER, 1)
    if os.getppid() != int(sys.argv[1]):
        sys.exit(1)
    command = os.fork()
    if command == 0:
        prctl(PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, told)
        with suppress(OSError):
            os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606
        os._exit(127)
    # What the command is told by its group is the command's to follow; its pipes are its own.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.close(0)
    os.close(1)
    ended: dict[int, int] = {}
    while command not in ended and signal.sigwait(told) == signal.SIGCHLD:
        # One signal may stand for several.
        while command not in ended and (each := os.waitpid(-1, os.WNOHANG))[0]:
            ended[each[0]] = each[1]
    _end_all()
    code = os.waitstatus_to_exitcode(ended[command]) if command in ended else 1
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
