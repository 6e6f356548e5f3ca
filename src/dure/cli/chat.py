"""`dure chat`: ask a team from the terminal, once or in a conversation."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, ending, fail, given_path, note, print_json, put, run
from dure.cli.words import language, say
from dure.errors import DureError, InvalidText

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.runs import AnswerRecord, Ask
    from dure.tooling import File


def chat(
    message: Annotated[str | None, typer.Argument()] = None,
    team: Annotated[str | None, typer.Option("--team", "-t")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s")] = None,
    level: Annotated[str | None, typer.Option("--level", "-l")] = None,
    output_format: Annotated[str | None, typer.Option("--format", "-f")] = None,
    model: str | None = None,
    experiment: str | None = None,
    attach: Annotated[list[Path] | None, typer.Option("--attach", "-a", parser=given_path)] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Ask a team; needs no server."""
    from dure.knowledge.files import read_file
    from dure.pictures import MOST_BYTES, picture_of
    from dure.runs import Ask

    def ask_of(text: str, session_id: str | None, images: "Sequence[File]" = ()) -> Ask:
        return Ask(text, session_id, team, level, output_format, model, experiment, images=images)

    if message is None and sys.stdin.isatty() and not as_json and not attach:
        _talk(ask_of, session, owner)
        return
    try:
        text = sys.stdin.buffer.read().decode() if message in (None, "-") else message
    except UnicodeDecodeError:
        fail(InvalidText(field="stdin"), as_json)

    async def work() -> "AnswerRecord":
        images = [picture_of(read_file(path, MOST_BYTES), path.name) for path in attach or ()]
        asked = ask_of(text or "", session, images)
        async with opened_for(asked) as dure:
            return await ask(dure, owner, asked, quiet=as_json)

    show_end(run(work, as_json), as_json)


@asynccontextmanager
async def opened_for(asked: "Ask") -> AsyncIterator["Dure"]:
    """A Dure to ask that. Raises InvalidInput for what no Dure of these settings can be asked, before it is opened."""
    from dure.app import Dure

    dure = Dure(take_over=False)
    asked.checked(dure.teams, dure.settings.max_message_chars)
    async with dure:
        yield dure


async def ready(dure: "Dure", owner: str, asked: "Ask", *, quiet: bool = False) -> None:
    """Have the bundled model's weights there, where that is used. Raises what asking would, before that."""
    from dure.cli.models import fetch_missing

    await dure.runs.check(owner, asked)
    await fetch_missing(dure.settings, quiet=quiet)


async def ask(dure: "Dure", owner: str, asked: "Ask", *, quiet: bool = False) -> "AnswerRecord":
    """Ask, showing the work; as `heard`."""
    await ready(dure, owner, asked, quiet=quiet)
    return await heard(dure, owner, (await dure.runs.start(owner, asked)).id, quiet=quiet)


async def heard(dure: "Dure", owner: str, run_id: str, *, quiet: bool = False, after: int = 0) -> "AnswerRecord":
    """Show a run from its event `after` on. When this is cancelled, so is the run; one that waits is left to wait."""
    from dure.cli.approvals import follow

    try:
        return await follow(dure, owner, run_id, quiet=quiet, after=after)
    except asyncio.CancelledError:
        await dure.runs.cancel(owner, run_id)
        raise


def show_end(answer: "AnswerRecord", as_json: bool) -> None:
    """Print the answer, and end the command: with code 3 when the run waits for people."""
    from dure.cli.approvals import WAITS

    _print(answer, as_json)
    if answer.status == "waiting":
        raise typer.Exit(WAITS)


def _print(answer: "AnswerRecord", as_json: bool) -> None:
    """The answer, or what the run waits for and how that is decided later."""
    from dure.cli.approvals import how_to_decide, lines
    from dure.cli.show import print_answer

    if as_json:
        print_json(answer.as_dict())
    elif answer.status != "waiting":
        print_answer(answer.as_dict())
    else:
        for line in (line for each in answer.approvals for line in lines(each)):
            put(line)
    if answer.status == "waiting":
        how_to_decide(answer.metadata["run_id"])


def _talk(ask_of: Any, session: str | None, owner: str) -> None:
    """Question and answer until the end of input. Ctrl-C cancels an answer; at the prompt it ends the talk."""
    note(say("빈 줄이나 Ctrl-D로 끝냅니다.", "An empty line or Ctrl-D ends the talk."))
    with ending(), asyncio.Runner() as runner:
        opened = AsyncExitStack()
        try:
            # It stands for all that will be asked.
            asked = ask_of("?", session)
            dure = runner.run(opened.enter_async_context(opened_for(asked)))
            runner.run(ready(dure, owner, asked))
            while text := _prompt():
                try:
                    answer = runner.run(ask(dure, owner, ask_of(text, session)))
                except DureError as error:
                    note(f"{say('오류', 'Error')}: {error.message(language())}", "red")
                    continue
                except KeyboardInterrupt:
                    note(say("취소했습니다.", "Cancelled."))
                    continue
                session = answer.metadata.get("thread_id", session)
                _print(answer, as_json=False)
                put()
        finally:
            runner.run(opened.aclose())


def _prompt() -> str:
    try:
        return input("› ").strip()
    except (EOFError, KeyboardInterrupt):
        return ""
