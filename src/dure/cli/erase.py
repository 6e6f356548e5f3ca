"""`dure erase`: all that is kept of one owner, deleted."""

from typing import Annotated

import typer

from dure.cli.terminal import AsJson, put, with_dure
from dure.cli.words import say
from dure.erasing import erase as erase_all


def erase(
    owner: Annotated[str, typer.Argument(metavar="OWNER")],
    yes: Annotated[bool, typer.Option("--yes")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete all that is an owner's."""
    if not yes:
        typer.confirm(say(f"{owner}의 모든 것을 지울까요?", f"Delete all that is {owner}'s?"), abort=True, err=True)
    gone = with_dure(lambda dure: erase_all(dure, owner), as_json, lambda found: {"erased": found})
    counts = gone["sessions"], gone["schedules"], gone["documents"]
    said = say("대화 {}, 예약 {}, 문서 {}개를 지웠습니다.", "{} conversations, {} schedules, {} documents deleted.")
    put(said.format(*counts))
