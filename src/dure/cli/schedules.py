"""`dure schedules`: questions that are asked at times, and where their answers go."""

from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, note, put, with_dure
from dure.cli.words import language, say

if TYPE_CHECKING:
    from dure.app import Dure

app = typer.Typer(no_args_is_help=False)


@app.callback(invoke_without_command=True)
def schedules(context: typer.Context, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """Show the schedules and how their last runs went."""
    if context.invoked_subcommand is None:
        listed(as_json, owner)


@app.command("list")
def listed(as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """Each with how its last run went."""
    from dure.runs.schedules import said

    found = with_dure(
        lambda dure: dure.schedules.list(owner),
        as_json,
        lambda found: {"schedules": [said(each, language()) for each in found]},
    )
    for each in found:
        _show(each)
    if not found:
        note(
            say(
                '예약이 없습니다. `dure schedules add "0 9 * * 1-5" "질문"`',
                "No schedules: `dure schedules add CRON MESSAGE`",
            )
        )


@app.command()
def add(
    cron: str,
    message: str,
    zone: str | None = None,
    name: str | None = None,
    team: str | None = None,
    level: str | None = None,
    model: str | None = None,
    to: str = "session",
    session: str | None = None,
    url: str | None = None,
    secret: str | None = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Make a schedule. `dure serve` or `dure worker` has to run when its time comes."""
    what: dict[str, Any] = {"cron": cron, "message": message, "zone": zone, "name": name, "team": team}
    what |= {"level": level, "model": model, "to": to, "session_id": session, "url": url, "secret": secret}
    made = with_dure(lambda dure: dure.schedules.add(owner, **what), as_json)
    _show(made)
    if made.get("secret"):
        put(f"{say('서명의 비밀 값 (지금만 보임)', 'Secret of the signatures (shown this once)')}: {made['secret']}")


@app.command()
def pause(id: str, owner: Owner = DEFAULT_OWNER) -> None:
    """Until it is resumed."""
    _show(with_dure(lambda dure: dure.schedules.change(owner, id, paused=True)))


@app.command()
def resume(id: str, owner: Owner = DEFAULT_OWNER) -> None:
    """From its next time on."""
    _show(with_dure(lambda dure: dure.schedules.change(owner, id, paused=False)))


@app.command()
def remove(id: str, owner: Owner = DEFAULT_OWNER) -> None:
    """Its runs stay."""
    with_dure(lambda dure: dure.schedules.remove(owner, id))


@app.command()
def run(id: str, owner: Owner = DEFAULT_OWNER) -> None:
    """Ask now, show the answer, and take it to where it goes."""
    from dure.cli.approvals import follow, how_to_decide

    async def work(dure: "Dure") -> None:
        run_id = await dure.schedules.run(owner, id)
        answer = await follow(dure, owner, run_id)
        put(answer.response)
        if answer.status == "waiting":
            how_to_decide(run_id)
        await dure.schedules.delivery.look()

    with_dure(work)


def _show(schedule: dict[str, Any]) -> None:
    from dure.runs.schedules import said

    told = said(schedule, language())
    when = _local(told["next_at"], told["zone"]) if told["next_at"] else say("멈춤", "paused")
    put(f"{told['id']}  {told['name']}  [{told['cron']} {told['zone']}]  → {told['to']}", "bold")
    put(f"  {say('다음', 'next')}: {when}" + (f"  {told['reason']}" if told["reason"] else ""))
    for each in told["runs"]:
        reasons = (each["reason"], (each["delivery"] or {}).get("error"))
        at = _local(each["at"], told["zone"])
        put("  " + "  ".join(filter(None, (at, each["run_id"], each["status"], *reasons))))


def _local(at: str, zone: str) -> str:
    """A time as the schedule's own clock shows it."""
    return f"{datetime.fromisoformat(at).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"
