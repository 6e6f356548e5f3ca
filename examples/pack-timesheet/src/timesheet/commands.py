"""`dure timesheet`."""

from typing import Annotated

import typer

from dure.cli.terminal import DEFAULT_OWNER, Owner, put, with_dure
from dure.cli.words import say
from timesheet import hours

app = typer.Typer(no_args_is_help=True)


@app.command("add", help=say("일한 시간 적기", "Note hours worked"))
def add(project: str, worked: Annotated[float, typer.Argument(min=0.01)], owner: Owner = DEFAULT_OWNER) -> None:
    with_dure(lambda dure: dure.database.write(hours.add, owner, project, worked))


@app.command("list", help=say("프로젝트별 시간 보기", "Show hours by project"))
def list_(owner: Owner = DEFAULT_OWNER) -> None:
    for row in with_dure(lambda dure: dure.database.read(hours.by_project, owner)):
        put(f"{row['project']}: {row['hours']:g}")
