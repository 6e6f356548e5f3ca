"""`dure serve`: the HTTP server in the foreground; `dure worker`: work on runs and documents that come to any server on
the same database, without a door of its own."""

import asyncio
import signal
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from dure.cli.terminal import fail, note, run
from dure.cli.words import argument, option, say
from dure.errors import DureError, InvalidInput, phrase
from dure.registry import load

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.settings import Settings

_QUEUES = option("할 일, 쉼표로 구분: runs, ingest", "What to work on, comma-separated: runs, ingest")
_AT_ONCE = option("한꺼번에 처리할 실행 수 (DURE_MAX_RUNS)", "Runs at once (DURE_MAX_RUNS)", min=1)


def serve(
    program: Annotated[
        str | None,
        argument(
            "파이썬으로 만든 Dure, 예: my_app:dure",
            "A Dure built in Python, e.g. my_app:dure",
            metavar="[MODULE:NAME]",
        ),
    ] = None,
    host: Annotated[str | None, option("여는 주소 (DURE_HOST)", "Address to listen on (DURE_HOST)")] = None,
    port: Annotated[int | None, option("포트, 0은 빈 포트 (DURE_PORT)", "Port, 0 for a free one (DURE_PORT)")] = None,
    no_work: Annotated[
        bool,
        option(
            "받은 일은 `dure worker`에 맡기기 (DURE_WORK=none)",
            "Leave the work to `dure worker` (DURE_WORK=none)",
            "--no-work",
        ),
    ] = False,
    open_page: Annotated[bool, option("브라우저에서 페이지 열기", "Open the page in the browser", "--open")] = False,
    access_log: Annotated[
        bool,
        option("요청마다 표준 오류에 한 줄 쓰기", "Write a line for each request to standard error", "--access-log"),
    ] = False,
) -> None:
    """Listen until interrupted."""
    from dure.settings import load_settings

    wanted = {"host": host, "port": port, "work": "none" if no_work else None}
    given = {k: v for k, v in wanted.items() if v is not None}
    try:
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
    except DureError as error:
        fail(error)


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


def worker(
    queues: Annotated[str, _QUEUES] = "runs,ingest", concurrency: Annotated[int | None, _AT_ONCE] = None
) -> None:
    """Work until interrupted."""
    from dure.agents import loop
    from dure.api.heartbeat import heartbeat, settled
    from dure.app import Dure

    try:
        opened = Dure(settings_of(queues, concurrency))
    except DureError as error:
        fail(error)

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
