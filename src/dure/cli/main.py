"""The command `dure`: its options, and how it ends."""

import gc
import os
import sys
from typing import Annotated

import typer

from dure import __version__
from dure.cli.commands import Commands
from dure.cli.terminal import end_properly, unexpected
from dure.cli.words import say

app = typer.Typer(
    name="dure",
    cls=Commands,
    help=say(
        "두레: 출처와 함께 답하는 에이전트 팀. 시작은 `dure demo`.",
        "Dure: a team of agents that answers with sources. Begin with `dure demo`.",
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"dure {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    pass


def main() -> None:
    """The entry point of the command `dure`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show Hangul shows question marks instead of failing.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    if os.environ.get("DURE_DEBUG"):
        import logging

        # Where a tool failed, and other things that nobody need know.
        logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
        logging.getLogger("dure").setLevel(logging.INFO)
    end_properly()
    # What is loaded stays: to look through it for garbage again and again took a tenth of a command's CPU.
    gc.set_threshold(50_000)
    try:
        app()
    except BrokenPipeError:
        # Whoever read us has seen enough (`dure runs list | head`).
        sys.stderr.close()
        raise SystemExit(141) from None
    except Exception as error:
        unexpected(error)
