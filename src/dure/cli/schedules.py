"""`dure schedules`: questions that are asked at times, and where their answers go."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, note, put, with_dure
from dure.cli.words import argument, language, option, say

if TYPE_CHECKING:
    from dure.app import Dure

app = typer.Typer(no_args_is_help=False)

Id = Annotated[str, argument("예약 ID", "The schedule's id")]
_ZONE = option("시간대, 예: Asia/Seoul. 없으면 이 컴퓨터의 시간대", "Time zone, e.g. Asia/Seoul; else this machine's")
_TO = option("답을 보낼 곳: session, file, webhook", "Where answers go: session, file, webhook")
_SESSION = option("이어 갈 세션", "The session to go on with")
_SECRET = option("웹훅 서명의 비밀 값. 없으면 만듦", "What webhooks are signed with; made where none is given")


@app.callback(invoke_without_command=True)
def schedules(context: typer.Context, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """Show the schedules and how their last runs went."""
    if context.invoked_subcommand is None:
        listed(as_json, owner)


@app.command("list", help=say("예약 목록", "Show the schedules"))
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


@app.command(help=say("예약하기", "Ask at times"))
def add(
    cron: Annotated[str, argument("분 시 일 월 요일", "minute hour day month weekday")],
    message: Annotated[str, argument("물을 것", "What to ask")],
    zone: Annotated[str | None, _ZONE] = None,
    name: Annotated[str | None, option("이름", "A name")] = None,
    team: Annotated[str | None, option("팀", "The team")] = None,
    level: Annotated[str | None, option("easy 또는 hard", "easy or hard")] = None,
    model: Annotated[str | None, option("모델의 이름", "The name of a model")] = None,
    to: Annotated[str, _TO] = "session",
    session: Annotated[str | None, _SESSION] = None,
    url: Annotated[str | None, option("웹훅의 주소", "The webhook's address")] = None,
    secret: Annotated[str | None, _SECRET] = None,
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


@app.command(help=say("멈추기", "Ask nothing for now"))
def pause(id: Id, owner: Owner = DEFAULT_OWNER) -> None:
    """Until it is resumed."""
    _show(with_dure(lambda dure: dure.schedules.change(owner, id, paused=True)))


@app.command(help=say("다시 하기", "Go on asking"))
def resume(id: Id, owner: Owner = DEFAULT_OWNER) -> None:
    """From its next time on."""
    _show(with_dure(lambda dure: dure.schedules.change(owner, id, paused=False)))


@app.command(help=say("지우기", "Delete a schedule"))
def remove(id: Id, owner: Owner = DEFAULT_OWNER) -> None:
    """Its runs stay."""
    with_dure(lambda dure: dure.schedules.remove(owner, id))


@app.command(help=say("지금 묻기", "Ask now"))
def run(id: Id, owner: Owner = DEFAULT_OWNER) -> None:
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
