"""`dure runs list|show|replay`: what was done for a message, afterwards."""

from typing import Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, note, out, print_json, put, run
from dure.cli.words import say

app = typer.Typer(help=say("지난 실행 보기와 다시 하기", "Look at runs and run them again"), no_args_is_help=True)

RunId = Annotated[str, typer.Argument(metavar="ID", help=say("실행 ID", "The run's id"))]


@app.command("list", help=say("지난 실행 목록", "List runs, newest first"))
def list_runs(
    session: Annotated[str | None, typer.Option("--session", "-s", help=say("이 세션만", "Of this session"))] = None,
    status: Annotated[str | None, typer.Option(help=say("이 상태만", "Of this status"))] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000)] = 20,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work() -> list[dict[str, Any]]:
        from dure.app import Dure

        async with Dure() as dure:
            return await dure.runs.list(owner, session_id=session, status=status, limit=limit)

    found = run(work, as_json)
    if as_json:
        print_json({"runs": found})
        return
    if not found:
        note(say("실행이 없습니다.", "No runs."))
    for row in found:
        message = " ".join(row["message"].split())
        put(f"{row['id']}  {row['created_at'][:19]}  {row['status']:<9}  {row['team']}  {message[:60]}")


@app.command("show", help=say("실행 기록 보기", "Show a run and its record"))
def show(
    run_id: RunId,
    full: Annotated[
        bool, typer.Option("--full", help=say("모델 요청과 응답까지", "With every model request and reply"))
    ] = False,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work() -> dict[str, Any]:
        from dure.app import Dure

        async with Dure() as dure:
            return await dure.runs.get(owner, run_id)

    found = run(work, as_json)
    if as_json:
        print_json(found)
        return
    put(f"{found['id']}  {found['status']}  {found['team']}  {found['session_id']}", "bold")
    put(f"{found['created_at']} → {found['ended_at'] or '…'}")
    put(f"› {found['message']}")
    put()
    for each in found["events"]:
        _event(each, full)
    put()
    _outcome(found)


def _event(each: dict[str, Any], full: bool) -> None:
    from dure.cli.show import line
    from dure.events import ModelCalled, decode

    event = decode(each["kind"], each["data"])
    text = line(event)
    if text:
        put(f"{each['seq']:>4} {text}")
    if full and isinstance(event, ModelCalled):
        import orjson

        for name, value in (("request", event.request), ("reply", event.reply)):
            put(f"       {name}:", "dim")
            put(orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode(), "dim")


def _outcome(row: dict[str, Any]) -> None:
    from dure.cli.show import print_answer

    if row["answer"]:
        print_answer(row["answer"])
    elif row["error"]:
        put(f"✗ {row['error']['code']}: {row['error']['message']}", "red")
    else:
        put(row["status"])


@app.command(
    "replay", help=say("같은 질문을 다시 하고 두 답을 나란히 보기", "Run the same message again and show both answers")
)
def replay(run_id: RunId, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """The new run gets a session of its own, so that the first one's conversation stays as it was."""

    async def work() -> tuple[dict[str, Any], dict[str, Any]]:
        from dure.app import Dure
        from dure.cli.chat import ask, settled
        from dure.messages import language_of
        from dure.runs import Ask

        async with Dure(await settled(quiet=as_json)) as dure:
            first = await dure.runs.get(owner, run_id)
            options, message = first["options"], first["message"]
            again = Ask(message, None, first["team"], options["level"], options["output_format"], language_of(message))
            answer = await ask(dure, owner, again, quiet=as_json)
            return first, await dure.runs.get(owner, answer.metadata["run_id"])

    first, second = run(work, as_json)
    if as_json:
        print_json({"first": first, "second": second})
        return
    for title, row in ((say("처음", "First"), first), (say("다시", "Again"), second)):
        put()
        out().rule(f"{title} · {row['id']}", align="left")
        _outcome(row)
