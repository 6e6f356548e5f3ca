"""`dure acp`: the teams as an agent in the editor that started it, over standard input and output."""

from dure.cli.terminal import DEFAULT_OWNER, Owner, run
from dure.cli.words import language
from dure.errors import missing


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
