"""`dure serve`: the HTTP server in the foreground; `dure worker`: work on runs and documents that come to any server on
the same database, without a door of its own; `dure acp`: the teams as an agent in the editor that started it, over
standard input and output."""

import asyncio
import signal
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from dure.cli.terminal import DEFAULT_OWNER, Owner, ending, note, run
from dure.cli.words import language, say
from dure.errors import InvalidInput, missing, phrase
from dure.registry import load

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.settings import Settings


def serve(
    program: Annotated[str | None, typer.Argument(metavar="[MODULE:NAME]")] = None,
    host: str | None = None,
    port: int | None = None,
    no_work: Annotated[bool, typer.Option("--no-work")] = False,
    open_page: Annotated[bool, typer.Option("--open")] = False,
    access_log: Annotated[bool, typer.Option("--access-log")] = False,
) -> None:
    """Listen until interrupted."""
    from dure.settings import load_settings

    wanted = {"host": host, "port": port, "work": "none" if no_work else None}
    given = {k: v for k, v in wanted.items() if v is not None}
    with ending():
        served = built(program) if program else None
        settings = load_settings(served.settings if served else None, **given)
        from dure.api.server import serve as listen

        def announce(url: str, dure: "Dure") -> None:
            from dure.findings import model_of

            page, model = page_of(url), model_of(dure, f"dialect {settings.tool_dialect}")
            note(say(f"두레가 {url} 에서 듣고 있습니다.", f"Dure listens on {url}"), "bold")
            note(say(f"브라우저로 여세요: {page}", f"Open in a browser: {page}"))
            note(say(f"모델: {model.ko}", f"Model: {model}"))
            if dure.lacks_weights:
                later = say("내장 모델은 첫 질문 때 받습니다", "The bundled model is fetched at the first question")
                note(f"{later} (dure models pull).", "yellow")
            if not settings.api_keys:
                note(
                    say("API 키 없이 이 컴퓨터에서만 쓸 수 있습니다.", "No API keys: reachable from this machine only.")
                )
            note(say("Ctrl-C로 끝냅니다.", "Ctrl-C ends it."))
            if open_page:
                # Some browsers come back only when they are closed.
                threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()

        listen(settings, announce, served, access_log=access_log)


def built(place: str) -> "Dure":
    """The `Dure` at `module:name`, or what the function there makes; modules of the working directory are found. Raises
    InvalidInput."""
    from dure.app import Dure

    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = load(place)
        made = found if isinstance(found, Dure) else found()
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InvalidInput(reason=phrase("cli.unusable", place=place, told=told)) from None
    if not isinstance(made, Dure):
        raise InvalidInput(reason=phrase("cli.no_dure", place=place))
    return made


def page_of(url: str) -> str:
    """Where the page of a server at `url` is found on this machine, also of one that listens on all addresses."""
    for everywhere in ("//0.0.0.0:", "//[::]:"):
        url = url.replace(everywhere, "//localhost:")
    return f"{url}/"


def worker(queues: str = "runs,ingest", concurrency: Annotated[int | None, typer.Option(min=1)] = None) -> None:
    """Work until interrupted."""
    from dure.agents import loop
    from dure.api.heartbeat import heartbeat, log_to_stderr, settled
    from dure.app import Dure

    log_to_stderr()
    with ending():
        opened = Dure(settings_of(queues, concurrency))

    async def work() -> None:
        ended = asyncio.Event()
        # Where there are no such handlers Ctrl-C ends it all the same.
        with suppress(NotImplementedError):
            for each in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(each, ended.set)
        async with opened:
            await asyncio.to_thread(loop.graph)
            settled()
            with heartbeat():
                note(say(f"일합니다: {queues}. Ctrl-C로 끝냅니다.", f"Works on {queues}. Ctrl-C ends it."))
                await ended.wait()

    run(work)


def settings_of(queues: str, concurrency: int | None) -> "Settings":
    """The settings of a worker. Raises InvalidInput for queues that there are not."""
    from dure.settings import load_settings

    wanted = {each.strip() for each in queues.split(",") if each.strip()}
    if not wanted or wanted - {"runs", "ingest"}:
        raise InvalidInput(reason=phrase("cli.queues", queues=queues), key="queues")
    work = "all" if len(wanted) == 2 else wanted.pop()
    return load_settings(None, work=work, **({} if concurrency is None else {"max_runs": concurrency}))


def acp(owner: Owner = DEFAULT_OWNER) -> None:
    """Serve the editor that started this until it closes."""

    async def work() -> None:
        try:
            from dure.api.doors.acp import serve
        except ModuleNotFoundError:
            raise missing("dure acp", "acp") from None
        from dure.api.auth import Caller
        from dure.app import Dure

        async with Dure() as dure:
            await serve(Caller(owner, dure, language(), "owner"))

    run(work)
