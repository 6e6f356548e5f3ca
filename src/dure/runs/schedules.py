"""Questions that are asked at times, whether or not anybody is there, and where their answers go.

A schedule's runs are its owner's as any other: they count in shares and budgets, and what has effects waits for people.
A run and the schedule's step to its next time are stored in one transaction, so that of all processes one asks.
"""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict, Unpack
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from dure.egress import WebError
from dure.errors import (
    Conflict,
    DureError,
    Forbidden,
    InvalidInput,
    Language,
    NotFound,
    OverBudget,
    TooManyRequests,
    existing,
    phrase,
)
from dure.keys import Keys
from dure.messages import named
from dure.runs.ask import MADE_TITLE, Ask, check_length, check_session, checked_title, one_of
from dure.runs.cron import after, here
from dure.runs.delivery import Delivery
from dure.runs.runs import Runs
from dure.runs.watch import EVERY, keep
from dure.storage import Database, stamp
from dure.storage import schedules as rows
from dure.storage import sessions as session_rows
from dure.texts import TEXTS

log = logging.getLogger(__name__)

Row = dict[str, Any]
Rows = list[Row]
"""Named before the class: inside it `list` is the method."""
MOST = 100
"""Schedules of one owner."""
SHOWN = 20
"""Runs that are shown of a schedule."""
_LATE = timedelta(minutes=1)
_ONLY = {"session_id": "session", "url": "webhook", "secret": "webhook"}
"""What is only of use to one of `to`."""


class What(TypedDict, total=False):
    """What is asked when, and where the answer goes."""

    cron: str
    zone: str | None
    """By whose clocks; None: this machine's."""
    message: str
    name: str | None
    team: str | None
    level: str | None
    model: str | None
    to: str | None
    """`session`: as all runs' answers; `file`: also a file of the run, named by the date; `webhook`: also to `url`."""
    session_id: str | None
    """Of `session`, the one that is gone on with; None: one of its own. Elsewhere it is a new one each time."""
    url: str | None


class _Taken(DureError):
    """Another process was quicker."""


@dataclass
class Schedules:
    """`keep` asks and delivers what is due, until cancelled."""

    runs: Runs
    database: Database
    keys: Keys
    delivery: Delivery

    async def list(self, owner: str) -> Rows:
        """The owner's schedules, oldest first: the fields of `What`, `id`, `next_at` (null: paused), `reason` where
        Dure paused it, `created_at`, and `runs`, the last one (see `get`)."""
        found = await self.database.read(rows.listed, owner)
        return await self._shown(owner, found, 1)

    async def get(self, owner: str, id: str) -> Row:
        """One of them with its last 20 `runs`, newest first: `run_id` (null: left out), `status` (the run's, else
        `skipped` or `deleted`), `due_at` (null: by hand), `at`, `reason`, and where the answer goes elsewhere
        `delivery`: `{status: waiting|done|failed, attempts, artifact_id, error}`. Raises NotFound."""
        (shown,) = await self._shown(owner, [await self._row(owner, id)], SHOWN)
        return shown

    async def add(self, owner: str, *, secret: str | None = None, **what: Unpack[What]) -> Row:
        """Make a schedule. secret: what webhooks are signed with; one is made, and told this once, where none is given.
        Raises InvalidInput and its kin for what cannot be used."""
        if len(await self.database.read(rows.listed, owner)) >= MOST:
            raise InvalidInput(reason=phrase("runs_schedules.many", most=MOST))
        id = f"t-{secrets.token_hex(10)}"
        row = {"created_at": stamp(self.delivery.clock()), "what": {}}
        return await self._put(owner, id, row, {**what, "secret": secret}, paused=False)

    async def change(
        self, owner: str, id: str, *, secret: str | None = None, paused: bool | None = None, **what: Unpack[What]
    ) -> Row:
        """Change what is given; paused: it asks nothing until it is resumed. Raises as `add`, NotFound."""
        row = await self._row(owner, id)
        if paused and not what and secret is None:
            # Also what could not be made any more, as its team is gone.
            await self.database.write(rows.put, owner, id, {"next_at": None})
            return await self.get(owner, id)
        still = row["next_at"] is None if paused is None else paused
        return await self._put(owner, id, {"what": row["what"]}, {**what, "secret": secret}, paused=still)

    async def remove(self, owner: str, id: str) -> None:
        """Delete a schedule; its runs stay. Raises NotFound."""
        if not await self.database.write(rows.remove, owner, id):
            raise NotFound(what="schedule", id=id[:64])
        await self.delivery.keep(id, None)

    async def run(self, owner: str, id: str) -> str:
        """Ask now, also where it is paused: the run's id. Raises what `Runs.start` raises."""
        row = await self._row(owner, id)
        return await self._ask(row, self.delivery.clock(), None)

    async def keep(self) -> None:
        """Ask and deliver until cancelled, each without waiting for the other."""
        await asyncio.gather(keep(self.fire, "schedules", EVERY), keep(self.delivery.look, "deliveries", EVERY))

    async def fire(self) -> None:
        """Ask once what is due by now."""
        at = self.delivery.clock()
        for row in await self.database.read(rows.due, stamp(at)):
            try:
                await self._fire(row, at)
            except Exception:
                log.exception("schedule %s could not ask", row["id"])

    async def _fire(self, row: Row, at: datetime) -> None:
        what, reason = row["what"], None
        try:
            step = stamp(after(what["cron"], what["zone"], at))
            if not self.keys.may_ask(row["owner"]):
                raise Forbidden(reason=phrase("runs_schedules.no_key", owner=row["owner"]))
        except DureError as error:
            paused = {"what": {**what, "reason": error.both()}, "next_at": None}
            await self.database.write(rows.put, row["owner"], row["id"], paused)
            return
        try:
            await self._ask(row, at, step)
        except DureError as error:
            full = isinstance(error, TooManyRequests) and not isinstance(error, OverBudget)
            if full or isinstance(error, _Taken):
                # Asked at a later look; asked by another process.
                return
            if error.status >= 500:
                raise
            reason = error.both()

            def left_out(connection: sa.Connection) -> None:
                if rows.take(connection, row, step):
                    rows.note(connection, row, {"at": stamp(at), "what": {"due_at": row["next_at"], "reason": reason}})

            await self.database.write(left_out)

    async def _ask(self, row: Row, at: datetime, step: str | None) -> str:
        """step: the schedule's next time; None: asked by hand."""
        what, owner, elsewhere = row["what"], row["owner"], row["what"]["to"] != "session"
        session_id = what["session_id"] or f"s-{secrets.token_hex(10)}"
        noted: Row = {"due_at": row["next_at"] if step else None}
        if step and at - datetime.fromisoformat(row["next_at"]) > _LATE:
            noted["reason"] = TEXTS.one("runs_schedules.late").filled(due=f"{row['next_at'][:16]}Z")
        if elsewhere:
            day = f"{at.astimezone(ZoneInfo(what['zone'])):%Y-%m-%d %H.%M}"
            noted["delivery"] = {"status": "waiting", "attempts": 0, "file": f"{what['name']} {day}.md"}

        def also(connection: sa.Connection, run_id: str) -> None:
            if step and not rows.take(connection, row, step):
                raise _Taken()
            if open_run := rows.open_run(connection, row["id"]):
                why = "runs_schedules.waits" if open_run[1] == "waiting" else "runs_schedules.goes_on"
                raise Conflict(reason=phrase(why, run=open_run[0]))
            session_rows.touch(connection, owner, session_id, what["name"])
            if not what["session_id"]:
                session_rows.change(connection, owner, session_id, folder=what["name"])
            values = {"run_id": run_id, "at": stamp(at), "what": noted, "try_at": stamp(at) if elsewhere else None}
            rows.note(connection, row, values)

        kept = {key: what[key] for key in ("team", "level", "model")}
        output = "markdown" if what["to"] == "file" else None
        ask = Ask(what["message"], session_id, output_format=output, schedule=row["id"], **kept)
        return (await self.runs.start(owner, ask, also)).id

    async def _put(self, owner: str, id: str, row: Row, given: Row, *, paused: bool) -> Row:
        """`row` with what is `given` of it, the secret too."""
        what = {key: given.get(key, row["what"].get(key)) for key in What.__annotations__}
        for key in ("cron", "message"):
            if not what[key]:
                raise InvalidInput(reason=phrase("runs_schedules.missing", key=key), key=key)
        what["to"] = one_of("to", what["to"] or "session", ("session", "file", "webhook"))
        unused = {key for key, to in _ONLY.items() if what["to"] != to}
        for key in (key for key in _ONLY if key in unused and given.get(key)):
            raise InvalidInput(reason=phrase("runs_schedules.unused", key=key, to=_ONLY[key]), key=key)
        what |= dict.fromkeys(unused & what.keys())
        what["zone"] = what["zone"] or here()
        next_at = stamp(after(what["cron"], what["zone"], self.delivery.clock()))
        keys = {key: what[key] for key in ("team", "level", "model")}
        await self.runs.check(owner, Ask(what["message"], **keys))
        what["name"] = checked_title(what["name"] or named(what["message"], MADE_TITLE), "name")
        if what["session_id"]:
            check_session(what["session_id"])
        elif what["to"] == "session":
            what["session_id"] = f"s-{secrets.token_hex(10)}"
        told: Row = {}
        if secret := given["secret"]:
            check_length("secret", secret, 16, 200)
        if what["to"] == "webhook":
            try:
                what["url"] = (await self.delivery.guard.check(what["url"] or "")).url
            except WebError as error:
                raise InvalidInput(reason=phrase("runs_schedules.url", told=error.both()), key="url") from None
            if secret or not await self.delivery.secret(id):
                told["secret"] = secret or secrets.token_urlsafe(32)
                await self.delivery.keep(id, told["secret"])
        await self.database.write(rows.put, owner, id, row | {"what": what, "next_at": None if paused else next_at})
        return await self.get(owner, id) | told

    async def _row(self, owner: str, id: str) -> Row:
        found = await self.database.read(rows.listed, owner, id)
        return existing(next(iter(found), None), "schedule", id)

    async def _shown(self, owner: str, found: Rows, limit: int) -> Rows:
        came = await self.database.read(rows.outcomes, owner, [row["id"] for row in found], limit)
        return [
            {"id": row["id"], "reason": None, **row["what"], "next_at": row["next_at"], "created_at": row["created_at"]}
            | {"runs": [_outcome(each) for each in came if each["schedule"] == row["id"]]}
            for row in found
        ]


def said(schedule: Row, language: Language) -> Row:
    """A schedule as it is shown, with all that Dure says in that language."""
    shown = [schedule, *schedule["runs"], *(run["delivery"] or {} for run in schedule["runs"])]
    for each, key in ((each, key) for each in shown for key in ("reason", "error")):
        if each.get(key):
            each[key] = each[key][language]
    return schedule


def _outcome(row: Row) -> Row:
    status = row["status"] or ("deleted" if row["run_id"] else "skipped")
    shown: Row = {"run_id": row["run_id"], "status": status, "at": row["at"], "reason": None, "delivery": None}
    return {**shown, **row["what"]}
