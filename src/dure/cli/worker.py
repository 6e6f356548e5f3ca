"""`dure worker`: work on runs and documents that come to any server on the same database, without a door of its own."""

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from dure.cli.terminal import fail, note, run
from dure.cli.words import option, say
from dure.errors import DureError, InvalidInput, phrase

if TYPE_CHECKING:
    from dure.settings import Settings

_QUEUES = option("할 일, 쉼표로 구분: runs, ingest", "What to work on, comma-separated: runs, ingest")
_AT_ONCE = option("한꺼번에 처리할 실행 수 (DURE_MAX_RUNS)", "Runs at once (DURE_MAX_RUNS)", min=1)


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
