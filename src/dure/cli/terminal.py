"""What the commands share: where they print, how they end, how they run."""

import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from dure.cli.words import language, say
from dure.errors import DureError, InvalidInput, phrase

if TYPE_CHECKING:
    from rich.console import Console

    from dure.app import Dure

T = TypeVar("T")

AsJson = Annotated[bool, typer.Option("--json")]
Owner = Annotated[
    str,
    typer.Option(envvar="DURE_OWNER"),
]
DEFAULT_OWNER = "default"
_AS_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""With these rich takes anything for a terminal."""


@cache
def out(*, stderr: bool = False) -> "Console":
    """Standard output: answers, tables, JSON."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)


def err() -> "Console":
    """Standard error: what is going on, and what went wrong."""
    return out(stderr=True)


def clean(text: str) -> str:
    """Text that is not ours, without what would steer the terminal: control characters but newline and tab."""
    return "".join(c if c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160) else "�" for c in text)


def note(text: str, style: str = "dim") -> None:
    """A line about what is going on."""
    _print(text, style, stderr=True)


def put(text: str = "", style: str | None = None) -> None:
    """A line of the result."""
    _print(text, style)


def _print(text: str, style: str | None, *, stderr: bool = False) -> None:
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty() or "\t" in text or any(os.environ.get(name) for name in _AS_TERMINAL):
        out(stderr=stderr).print(clean(text), style=style, markup=False)
    else:
        # The same, without loading all of rich for it: 50 ms.
        print(clean(text), file=stream, flush=True)


def print_json(value: Any) -> None:
    """`value` as the HTTP interface would send it, with a newline."""
    import orjson

    from dure.messages import json_bytes

    sys.stdout.buffer.write(json_bytes(value, orjson.OPT_INDENT_2) + b"\n")
    sys.stdout.flush()


def path_of(given: str) -> Path:
    """A path as it was typed, `~` for a home folder. Raises InvalidInput for nobody's."""
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise InvalidInput(reason=phrase("cli.home", given=given)) from None


def given_path(given: str) -> Path:
    """`path_of` an option: of `--to=~/files` a shell leaves the `~` as it is. Raises BadParameter for nobody's."""
    try:
        return path_of(given)
    except InvalidInput as error:
        raise typer.BadParameter(error.message(language())) from None


def fail(error: DureError, as_json: bool = False) -> NoReturn:
    """Say what went wrong and end: code 2 for input that cannot be used, else 1."""
    if as_json:
        print_json(error.as_dict(language()))
    else:
        note(f"{say('오류', 'Error')}: {error.message(language())}", "red")
    raise typer.Exit(2 if isinstance(error, InvalidInput) else 1)


@contextmanager
def ending(as_json: bool = False) -> Iterator[None]:
    """Within it a DureError or Ctrl-C ends the command without a traceback."""
    try:
        yield
    except DureError as error:
        fail(error, as_json)
    except KeyboardInterrupt:
        note(say("취소했습니다.", "Cancelled."))
        raise typer.Exit(130) from None


def run(
    work: Callable[[], Coroutine[Any, Any, T]], as_json: bool = False, shape: Callable[[T], Any] | None = None
) -> T:
    """Run a coroutine to its end, as `ending`.

    shape: as_json prints what was made so, in the shape of the HTTP interface, and ends the command."""
    import asyncio

    with ending(as_json):
        made = asyncio.run(work())
    if as_json and shape is not None:
        print_json(shape(made))
        raise typer.Exit
    return made


def with_dure(
    work: Callable[["Dure"], Coroutine[Any, Any, T]], as_json: bool = False, shape: Callable[[T], Any] | None = None
) -> T:
    """What `work` makes of an opened Dure, which goes on with no run that another process left behind; as `run`."""

    async def opened() -> T:
        from dure.app import Dure

        async with Dure(take_over=False) as dure:
            return await work(dure)

    return run(opened, as_json, shape or (lambda made: made))


def end_properly() -> None:
    """Let SIGTERM and SIGHUP (the terminal was closed) do what Ctrl-C does, so that a command ends its run instead of
    leaving it to nobody. What is ignored, as under nohup, stays ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _as_ctrl_c)


def _as_ctrl_c(_: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        # Ctrl-C is ignored, as in a job of a script.
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def unexpected(error: Exception) -> NoReturn:
    """The end of a command for a reason nobody thought of."""
    if os.environ.get("DURE_DEBUG"):
        raise error
    line = f"{type(error).__name__}: {error}"
    note(f"{say('예상하지 못한 오류', 'Unexpected error')}: {line}", "red")
    note(say("DURE_DEBUG=1을 설정하면 자세히 보입니다.", "Set DURE_DEBUG=1 to see where it happened."))
    raise SystemExit(1)
