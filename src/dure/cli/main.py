"""The command `dure`: its commands by place, and how it ends. `dure --help` tells of all and loads none, a call loads
its own."""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dure import __version__
from dure.cli.terminal import end_properly, unexpected
from dure.cli.words import language, say
from dure.configured import may_be_set
from dure.errors import DureError
from dure.pack import Command, chosen
from dure.registry import load
from dure.texts import TEXTS, Said

_HELP = TEXTS["cli_help"]
"""What commands are for by their words, and their options and arguments: of one command alone behind its words, as
`runs list limit`, else by the parameter's name."""
COMMANDS = {
    "demo": "demo:demo",
    "chat": "chat:chat",
    "serve": "serve:serve",
    "worker": "serve:worker",
    "mcp": "mcp:app",
    "acp": "serve:acp",
    "ingest": "documents:ingest",
    "documents": "documents:app",
    "watch": "documents:watch",
    "reindex": "documents:reindex",
    "shelves": "shelves:app",
    "search": "documents:search",
    "schedules": "schedules:app",
    "doctor": "doctor:doctor",
    "models": "models:app",
    "tools": "mcp:tools",
    "load": "load:load",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "erase": "backup:erase",
    "runs": "runs:app",
}
"""Places in this folder."""


class Commands(TyperGroup):
    """Our commands, then those of the packs that are on."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        _tell(self, "", _HELP)
        self.commands = {
            name: _Placed(name, f"dure.cli.{place}", _HELP[name][language()]) for name, place in COMMANDS.items()
        }

    def list_commands(self, ctx: Any) -> list[str]:
        for name, command in _of_packs().items():
            told = command.help.said(language())
            self.commands.setdefault(name, _Placed(name, command.place, told, command.texts))
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return self.commands.get(cmd_name)


class _Placed(TyperCommand):
    """Name and help of a command, which is loaded when it is called. texts: its pack's, as `_HELP`."""

    def __init__(self, name: str, place: str, told: str, texts: Mapping[str, Said] | None = None) -> None:
        super().__init__(name, help=told)
        self._place = place
        self._texts = {} if texts is None else texts

    def make_context(self, *args: Any, **given: Any) -> Any:
        return self.loaded().make_context(*args, **given)

    def loaded(self) -> Any:
        """The command itself."""
        found, holder = load(self._place), typer.Typer()
        if isinstance(found, typer.Typer):
            holder.add_typer(found, name=self.name, help=self.help)
        else:
            holder.command(self.name, help=self.help)(found)
        command = typer.main.get_group(holder).commands[str(self.name)]
        _tell(command, str(self.name), {**_HELP, **self._texts})
        return command


def _tell(command: Any, words: str, texts: Mapping[str, Said]) -> None:
    """Give a command, and those within it, the help of its own words and of its parameters that have none."""
    if words in texts:
        command.help = texts[words][language()]
    for each in command.params:
        key = next((key for key in (f"{words} {each.name}", each.name) if key in texts), None)
        if key and not getattr(each, "help", None):
            each.help = texts[key][language()]
    for name, inner in getattr(command, "commands", {}).items():
        _tell(inner, f"{words} {name}", texts)


def _of_packs() -> Mapping[str, Command]:
    names: Sequence[str] = ()
    try:
        if may_be_set("packs"):
            from dure.settings import load_settings

            names = load_settings().packs
        return {name: command for pack in chosen(names) for name, command in pack.commands.items()}
    except DureError:
        # The command that is called says so.
        return {}


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
