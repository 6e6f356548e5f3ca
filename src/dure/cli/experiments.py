"""`dure runs compare|export|rate`: runs as experiments."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, clean, fail, given_path, note, out, put, with_dure
from dure.cli.words import language, say
from dure.errors import InvalidInput, phrase
from dure.texts import TEXTS

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.settings import Settings

Session = Annotated[str | None, typer.Option("--session", "-s")]
Team = Annotated[str | None, typer.Option("--team", "-t")]

_MARKS = {"=": ("  ", ""), "-": ("- ", "red"), "+": ("+ ", "green")}
_NAMES = TEXTS["cli_experiments.names"]


def compare_runs(
    run_ids: Annotated[list[str], typer.Argument(metavar="ID ID…")],
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """The first run is what the others are compared with."""
    if len(run_ids) < 2:
        fail(InvalidInput(reason=phrase("cli.two_runs")), as_json)
    print_comparison(with_dure(lambda dure: dure.records.compare(owner, run_ids), as_json))


def print_comparison(compared: dict[str, Any]) -> None:
    """A table of what differs and what does not, then how each answer differs from the first."""
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False)
    table.add_column("")
    for run_id in compared["runs"]:
        table.add_column(run_id, overflow="fold")
    for row in compared["rows"]:
        if any(value not in (None, [], "") for value in row["values"]):
            style = "dim" if row["same"] else ""
            cells = [Text(clean(_cell(value)), style=style) for value in row["values"]]
            table.add_row(Text(_NAMES[row["name"]][language()], style=style or "bold"), *cells)
    out().print(table, soft_wrap=False)
    for answer in compared["answers"]:
        put()
        out().rule(f"{say('답', 'Answer')}: {compared['runs'][0]} → {answer['run_id']}", align="left", style="dim")
        for mark, text, *_ in answer["changes"]:
            before, style = _MARKS[mark]
            put(f"{before}{text}", style)
        if all(each[0] == "=" for each in answer["changes"]):
            note(say("답이 같습니다.", "The answers are the same."))


def _cell(value: Any) -> str:
    """A value of the comparison as text; what there are several of, a line each."""
    if isinstance(value, list):
        return "\n".join(_cell(each) for each in value) or "–"
    if isinstance(value, dict):
        if "how" in value:
            scores = ", ".join(f"{name} {score:.3f}" for name, score in value["scores"].items())
            agents = ", ".join(value["agents"]) or say("바로 답함", "answers itself")
            return f"{agents} ({value['how']}{f': {scores}' if scores else ''})"
        args = ", ".join(f"{key}={each}" for key, each in value["args"].items())
        return f"{value['name']}({args[:120]})" + ("" if value["status"] == "ok" else f" {value['status']}")
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(value)


def export_runs(
    form: Annotated[str, typer.Option("--format", "-f")] = "jsonl",
    experiment: str | None = None,
    session: Session = None,
    team: Team = None,
    since: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    to: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", parser=given_path)] = None,
    bom: Annotated[bool, typer.Option("--bom")] = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Every run as an experiment: a JSON object a line, or a table that spreadsheets show and do not run."""
    from dure.records.export import export, moment

    if form not in ("jsonl", "csv"):
        fail(InvalidInput(reason=f"--format: '{form[:20]}'; jsonl, csv"))

    async def work(dure: "Dure") -> int:
        from_then = moment(since) if since else None
        found = dure.records.experiments(owner, session_id=session, team=team, experiment=experiment, since=from_then)
        with _output(to, "utf-8-sig" if bom else "utf-8") as file:
            return await export(found, file, "csv" if form == "csv" else "jsonl")

    count = with_dure(work)
    note(say(f"실행 {count}개를 내보냈습니다.", f"Runs exported: {count}."))


@contextmanager
def _output(path: Path | None, encoding: str) -> Iterator[TextIO]:
    """Where an export goes: standard output, or a file that appears when it is whole."""
    if path is None:
        file = TextIOWrapper(sys.stdout.buffer, encoding, "replace", newline="")
        try:
            yield file
        finally:
            file.flush()
            # Standard output is not ours to close.
            file.detach()
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding=encoding, errors="replace", newline="") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InvalidInput(reason=f"{path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def rate_run(
    run_id: Annotated[str, typer.Argument(metavar="ID")],
    rating: int,
    comment: Annotated[str | None, typer.Option("--comment", "-c")] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Say what you think of a run; again: instead."""
    from dure.cli.record import stars

    rated = with_dure(lambda dure: dure.rate(run_id, rating, comment, owner=owner), as_json)
    put(f"{rated['id']}  {stars(rated['rating']['rating'])}  {rated['rating']['comment'] or ''}".rstrip())


def with_model(settings: "Settings", model: str | None) -> "Settings":
    """The settings with another model: one that they name, or one of the same server. Raises InvalidInput where there
    is no server."""
    if model is None:
        return settings
    from dure.settings import load_settings

    if model in settings.by_name:
        return load_settings(settings, model=model)
    if settings.model_base_url is None:
        raise InvalidInput(reason=phrase("cli.server"))
    return load_settings(settings, model_name=model)
