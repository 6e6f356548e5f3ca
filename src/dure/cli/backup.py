"""`dure backup` and `dure restore`: the data folder copied while it is in use, and put back; `dure erase`: all that is
kept of one owner, deleted."""

from pathlib import Path
from typing import Annotated

import sqlalchemy as sa
import typer

from dure.cli.terminal import AsJson, note, path_of, put, run, with_dure
from dure.cli.words import say
from dure.erasing import erase as erase_all
from dure.errors import Conflict, InvalidInput, phrase

Folder = Annotated[str, typer.Argument(metavar="FOLDER")]


def backup(folder: Folder, as_json: AsJson = False) -> None:
    """Copy the database, checked, and the files beside it into a new folder; servers may go on working."""

    async def work() -> Path:
        from dure.storage.backup import backup

        backup(*_places(), path_of(folder))
        return path_of(folder)

    put(str(run(work, as_json, _shape)))


def restore(folder: Folder, as_json: AsJson = False) -> None:
    """Put a backup in the place of the database, which is kept beside it; no server may be at work."""

    async def work() -> Path | None:
        from dure.storage.backup import restore
        from dure.storage.process import ThisProcess

        file, data = _places()
        if ThisProcess(data / "processes").others():
            raise Conflict(reason=phrase("cli_backup.at_work"))
        return restore(path_of(folder), file, data)

    aside = run(work, as_json, _shape)
    note(say("백업을 제자리에 놓았습니다.", "The backup is in its place."))
    if aside:
        put(str(aside))


def _places() -> tuple[Path, Path]:
    """The SQLite file and the data folder. Raises InvalidInput for PostgreSQL."""
    from dure.settings import load_settings

    settings = load_settings()
    url = sa.make_url(settings.url)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise InvalidInput(reason=phrase("cli_backup.postgres"), key="DURE_DATABASE_URL")
    return path_of(url.database), settings.data_dir


def _shape(path: Path | None) -> dict[str, str | None]:
    return {"path": str(path) if path else None}


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
