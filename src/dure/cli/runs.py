"""`dure runs …`: what was done for a message, what waits for people, and the files that were made."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from dure.cli import experiments
from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, fail, given_path, note, out, put, run, with_dure
from dure.cli.words import clock, say
from dure.errors import AlreadyDecided, Conflict, InvalidInput, phrase

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.records import Experiment

app = typer.Typer(no_args_is_help=True)

RunId = Annotated[str, typer.Argument(metavar="ID")]


@app.command("list")
def list_runs(
    session: experiments.Session = None,
    status: str | None = None,
    team: experiments.Team = None,
    experiment: str | None = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000)] = 20,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Id, time, status, team, tokens, cost, rating, question."""
    from dure.events import RunStatus

    known = get_args(RunStatus)
    if status is not None and status not in known:
        fail(InvalidInput(reason=phrase("cli.status", status=status, known=", ".join(known))), as_json)
    found = with_dure(
        lambda dure: dure.records.list(
            owner, session_id=session, status=status, limit=limit, team=team, experiment=experiment
        ),
        as_json,
        lambda runs: {"runs": runs},
    )
    from dure.cli.record import cost, stars

    if not found:
        note(say("실행이 없습니다.", "No runs."))
    for row in found:
        message = " ".join(row["message"].split())
        tokens = row["usage"]["prompt_tokens"] + row["usage"]["completion_tokens"]
        rating = stars(row["rating"]["rating"]) if row["rating"] else "–    "
        figures = f"{tokens:>7,}  {cost(row['cost'], row['currency']):>10}  {rating}"
        put(f"{row['id']}  {clock(row['created_at'])}  {row['status']:<9}  {row['team']}  {figures}  {message[:60]}")


@app.command("show")
def show(
    run_id: RunId,
    full: Annotated[bool, typer.Option("--full")] = False,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """What happened in order, tokens, cost, answer."""

    async def work(dure: "Dure") -> tuple[dict[str, Any], "Experiment"]:
        return await dure.records.get(owner, run_id), await dure.records.view(owner, run_id)

    found, seen = with_dure(work, as_json, lambda made: made[0])
    from dure.cli.record import print_record

    print_record(seen, found, full=full)


@app.command("replay")
def replay(
    run_id: RunId,
    model: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    step: Annotated[int | None, typer.Option("--from", min=1)] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """The new run gets a session of its own, after the same turns, so that the first one's conversation stays as it
    was. With --from what was done before that step is taken over, and the new run takes the first one's place in its
    conversation, where both can be gone to."""

    async def work() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        from dure.app import Dure
        from dure.cli.chat import ask, heard
        from dure.cli.models import fetch_missing
        from dure.settings import load_settings

        async with Dure(experiments.with_model(load_settings(), model), take_over=False) as dure:
            await dure.runs.get(owner, run_id)
            await fetch_missing(dure.settings, quiet=as_json)
            if step is None:
                answer = await ask(dure, owner, await dure.runs.sessions.again(owner, run_id), quiet=as_json)
            else:
                begun = await dure.runs.again(owner, run_id, step, dure.models.default if model else None)
                taken = (await dure.runs.brief(owner, begun.id))["options"]["from"]["events"]
                answer = await heard(dure, owner, begun.id, quiet=as_json, after=taken)
            ids = [run_id, answer.metadata["run_id"]]
            first, second = [await dure.records.get(owner, id) for id in ids]
            return first, second, await dure.records.compare(owner, ids)

    names = ("first", "second", "comparison")
    first, second, compared = run(work, as_json, lambda made: dict(zip(names, made, strict=True)))
    from dure.cli.record import print_outcome

    for title, row in ((say("처음", "First"), first), (say("다시", "Again"), second)):
        put()
        out().rule(f"{title} · {row['id']}", align="left")
        print_outcome(row)
    put()
    out().rule(say("차이", "Difference"), align="left")
    experiments.print_comparison(compared)


app.command("compare")(experiments.compare_runs)
app.command("export")(experiments.export_runs)
app.command("rate")(experiments.rate_run)


@app.command("waiting")
def waiting(as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    from dure.cli.approvals import lines

    found = with_dure(lambda dure: dure.runs.approvals(owner), as_json, lambda waiting: {"approvals": waiting})
    if not found:
        note(say("기다리는 것이 없습니다.", "Nothing waits."))
    for each in found:
        until = clock(each["expires_at"])
        put(f"{each['run_id']}  {each['id']}  {say(f'{until}까지', f'until {until}')}", "bold")
        for line in lines(each):
            put(line)


@app.command("decide")
def decide(
    run_id: RunId,
    approve: Annotated[bool, typer.Option("--approve")] = False,
    reject: Annotated[str | None, typer.Option(metavar="REASON")] = None,
    edit: Annotated[str | None, typer.Option(metavar="JSON")] = None,
    answer: Annotated[str | None, typer.Option(metavar="TEXT")] = None,
    approval: Annotated[list[str] | None, typer.Option(metavar="ID")] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Without a decision, each approval is asked for at the terminal."""

    async def work() -> Any:
        from dure.app import Dure
        from dure.cli.approvals import ask_all, can_ask, follow
        from dure.cli.models import fetch_missing

        given = _given(approve, reject, edit, answer)
        async with Dure(take_over=False) as dure:
            row = await dure.runs.get(owner, run_id)
            ids = approval or [each["id"] for each in row["approvals"]]
            if given is not None:
                decisions: list[dict[str, Any]] | None = [{"approval_id": id, **given} for id in ids]
            elif row["approvals"] and can_ask() and not as_json:
                decisions = await ask_all([each for each in row["approvals"] if each["id"] in ids])
            elif row["approvals"]:
                raise InvalidInput(reason=phrase("cli.undecided"))
            else:
                decisions = []
            if decisions is None:
                return await dure.runs.answer(owner, run_id)
            if not decisions and row["status"] != "waiting":
                before = [each for event in row["events"] for each in event["data"].get("decisions") or ()]
                if before:
                    raise AlreadyDecided(approval_id=before[-1]["approval_id"], decided=before[-1]["action"])
                raise Conflict(reason=phrase("cli.nothing"), status=row["status"])
            # Where all that was asked is overdue, there is nothing to decide: the run goes on without it.
            if (await dure.runs.decide(owner, run_id, decisions))["status"] != "waiting":
                await fetch_missing(dure.settings, quiet=as_json)
            return await follow(dure, owner, run_id, quiet=as_json, after=len(row["events"]))

    ended = run(work, as_json)
    from dure.cli.chat import show_end

    show_end(ended, as_json)


def _given(approve: bool, reject: str | None, edit: str | None, answer: str | None) -> dict[str, Any] | None:
    """The decision of the options; None when there is none. Raises InvalidInput for two, or JSON that is none."""
    import orjson

    told = {"approve": "" if approve else None, "reject": reject, "edit": edit, "answer": answer}
    given = [(action, said) for action, said in told.items() if said is not None]
    if len(given) > 1:
        raise InvalidInput(reason=phrase("cli.one_decision"))
    for action, said in given:
        try:
            return {"action": action} | ({"args": orjson.loads(said)} if action == "edit" else {"message": said})
        except orjson.JSONDecodeError as error:
            raise InvalidInput(reason=f"--edit: {error}") from None
    return None


@app.command("cancel")
def cancel(run_id: RunId, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    found = with_dure(lambda dure: dure.runs.cancel(owner, run_id), as_json)
    put(f"{found['id']}  {found['status']}")


@app.command("files")
def files(
    run_id: RunId,
    to: Annotated[Path | None, typer.Option(metavar="FOLDER", parser=given_path)] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    from dure.cli.show import file_line

    async def work(dure: "Dure") -> tuple[list[dict[str, Any]], list[str]]:
        found = await dure.runs.artifacts(owner, run_id)
        if to is None:
            return found, []
        kept = [await dure.runs.artifact(owner, run_id, each["id"]) for each in found]
        return found, [str(_copy(path, file["name"], to)) for file, path in kept]

    def shape(made: tuple[list[dict[str, Any]], list[str]]) -> dict[str, Any]:
        return {"artifacts": made[0]} | ({"copies": made[1]} if to is not None else {})

    found, copies = with_dure(work, as_json, shape)
    for each in found:
        put(file_line(each))
    if not found:
        note(say("파일이 없습니다.", "No files."))
    for copy in copies:
        note(f"→ {copy}")


def _copy(path: Path, name: str, folder: Path) -> Path:
    """Copy a file into a folder under a name that is still free. Raises InvalidInput where that cannot be done."""
    import shutil

    stem, ending = Path(name).stem, Path(name).suffix
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target in (folder / name, *(folder / f"{stem} ({number}){ending}" for number in range(2, 10_000))):
            # "x": never over another file, also not over one that appears this moment.
            with suppress(FileExistsError), path.open("rb") as source, target.open("xb") as copy:
                shutil.copyfileobj(source, copy)
                return target
    except OSError as error:
        raise InvalidInput(reason=f"{folder}: {error.strerror}") from None
    raise InvalidInput(reason=f"{folder}: {name}")
