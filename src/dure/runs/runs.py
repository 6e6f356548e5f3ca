"""Start, follow, decide, cancel and look up runs; one run at a time in a session.

A message to a session that is still being answered is refused with 409 (`session_busy`) and not stored: the
sender sees at once that it did not count, and two answers never race in one transcript.

A run belongs to one process at a time. One that waits for people belongs to none and costs nothing. How runs are
worked on: `working.py`.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from dure.agents import Level, OutputFormat
from dure.errors import DureError, SessionBusy
from dure.events import ENDED, Event, RunFailed, RunFinished, RunWaiting
from dure.runs import decisions as people
from dure.runs.active import Run, to_the_end
from dure.runs.answer import AnswerRecord, answer_of, follow, public, row_of
from dure.runs.ask import Ask, check_kinds
from dure.runs.branch import Branch
from dure.runs.branch import check as check_branch
from dure.runs.branch import read as read_branch
from dure.runs.retention import Retention
from dure.runs.sessions import Sessions, idle
from dure.runs.watch import Watch
from dure.runs.working import Working
from dure.storage import approvals as approval_rows
from dure.storage import now
from dure.storage import runs as run_rows
from dure.storage.runs import Wanted
from dure.teams import Team

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]
"""Named before the class: inside it `list` is the method."""
_PATIENCE = 5.0
"""Seconds to wait until another process has cancelled its run."""


class Runs:
    """All runs of one Dure."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self._database = database = working.database
        self._engine = working.engine
        self.sessions = Sessions(database, working.artifacts)
        self.retention = Retention(database, self.sessions, working.settings.retention_days)
        expire = partial(self._decided, noted=people.expire)
        self._watch = Watch(database, working.engine, working.take_over, expire)

    async def open(self, *, take_over: bool = True) -> None:
        """Begin. With `take_over`, look after runs that other processes left behind when they died."""
        await self._engine.open(self._working.take_up, alone=not take_over)
        self._watch.start(for_others=take_over)

    async def close(self) -> None:
        """Stop what is under way, leaving it to whoever opens the database next."""
        await self._watch.close()
        await self._working.close()

    def listen(self, told: Callable[[Event], object]) -> None:
        """From now on `told` is called with each event of all runs that this process works on; it must not block."""
        self._working.recorder.listeners.append(told)

    async def open_by_status(self) -> dict[str, int]:
        """How many runs have not ended, of all owners and processes, by their status."""
        return await self._database.read(run_rows.open_by_status)

    async def settle(self) -> None:
        """Wait for all work, also for what is done after answers were given: summaries of long sessions."""
        await self._working.settle()

    async def check(self, owner: str, ask: Ask) -> None:
        """Raises what `start` would for a message that cannot be used or a session that waits; stores nothing."""
        self._checked(owner, ask)
        if ask.session_id:
            with suppress(SessionBusy):
                await self._database.read(idle, owner, ask.session_id)

    def _checked(self, owner: str, ask: Ask) -> tuple[Team, Level | None, OutputFormat]:
        check_kinds({"owner": str}, {"owner": owner})
        checked = ask.checked(self._working.teams, self._working.settings.max_message_chars)
        self._working.models.line(ask.model)
        return checked

    async def start(
        self, owner: str, ask: Ask, noted: Callable[..., None] | None = None, branch: Branch | None = None
    ) -> Run:
        """Check the message, store it with a new run and begin to work on it. noted(connection, run_id=…): what else is
        stored with it, or raises what keeps it from being stored. branch: what it takes over of another run.

        Raises InvalidInput and its kin for what cannot be used, SessionBusy while the session is being answered,
        OverBudget, TooManyRequests while this process has enough to do; nothing is stored then.
        """
        team, level, output_format = self._checked(owner, ask)
        if spending := await self._working.budgets.of(owner):
            spending.check()
        run_id, artifacts = f"r-{secrets.token_hex(12)}", self._working.artifacts
        files = await artifacts.bring(owner, run_id, ask.images)
        images = [f"{run_id}/{each['id']}" for each in files]
        more = {"schedule": ask.schedule, "given": ask.given is not None, "images": images}
        options = {"level": level, "output_format": output_format, "model": ask.model}
        row: dict[str, Any] = {
            "id": run_id,
            "owner": owner,
            "session_id": ask.session_id or f"s-{secrets.token_hex(10)}",
            "team": team.name,
            "message": ask.message,
            "options": options | {key: each for key, each in more.items() if each},
            "created_at": now(),
            "experiment": ask.experiment,
        }
        also: dict[str, Any] = {"noted": partial(noted, run_id=run_id)} if noted else {}
        if branch:
            files, also["then"] = await branch.into(row, artifacts)
        try:
            alone = not self._watch.for_others
            await self._working.start(row, team, alone=alone, instead_of=ask.instead_of, files=files, **also)
        except DureError:
            await artifacts.delete([run_id] if files else [])
            raise
        return Run.of(row)

    async def again(self, owner: str, run_id: str, step: int, model: str | None = None) -> Run:
        """Begin a run that takes over what another, which has ended, did before a step, and goes on from there, with
        another model where one is named. It stands in the other's place in the conversation, as what is asked anew.
        step: the number of the event in its record with which a model call, a tool call or an agent's work begins.

        Raises what `branch.read`, `branch.check` and `start` do.
        """
        branch = await self._database.read(read_branch, owner, run_id, step)
        row, options = branch.row, branch.row["options"]
        team = check_branch(branch, self._working, model)
        given = team if options.get("given") else None
        how = {key: options[key] for key in ("level", "output_format")} | {"model": model or options.get("model")}
        ask = Ask(row["message"], row["session_id"], row["team"], instead_of=branch.asked, given=given, **how)
        return await self.start(owner, ask, branch=branch)

    async def events(self, owner: str, run_id: str, after: int = 0) -> AsyncGenerator[tuple[int, Event], None]:
        """A run's events after number `after`, stored ones first, then as they come; ends with the run, or where it
        waits for people: what comes after their decision can be followed from there."""
        before = None
        if self._working.active(owner, run_id) is None:
            await row_of(self._database, owner, run_id)
        while True:
            active = self._working.active(owner, run_id)
            if active is not None and active is not before:
                before = active
                async for numbered in active.log.follow(after):
                    yield numbered
                last = next(reversed(active.log.events), None)
                if active.released or isinstance(last, RunFinished | RunFailed | RunWaiting):
                    return
                # Lost to another process, or broken off: what comes now is found where it is stored.
                after = max(after, len(active.log.events))
            async with aclosing(follow(self._database, owner, run_id, after)) as coming:
                async for numbered in coming:
                    yield numbered
                    after = numbered[0]
                    if self._working.active(owner, run_id) not in (None, before):
                        # It was taken up here.
                        break
                else:
                    return

    async def followed(self, owner: str, run_id: str, after: int = 0) -> AsyncGenerator[tuple[int, Event], None]:
        """The same for who waits for the answer: left before the run has ended or waits for people, it is cancelled."""
        try:
            async with aclosing(self.events(owner, run_id, after)) as events:
                async for numbered in events:
                    yield numbered
        except BaseException:
            await to_the_end(self.leave(owner, run_id))
            raise

    async def leave(self, owner: str, run_id: str) -> None:
        """Cancel the run, unless it has ended or waits for people."""
        if (await self.brief(owner, run_id))["status"] in ("queued", "running"):
            await self.cancel(owner, run_id)

    async def answer(self, owner: str, run_id: str) -> AnswerRecord:
        """The run's answer, once it has ended or waits for people. Raises the typed error of a run that failed."""
        active = self._working.active(owner, run_id)
        if active is not None:
            await active.log.closed.wait()
            if active.answer is not None:
                return active.answer
        row = await row_of(self._database, owner, run_id)
        while row["status"] in ("queued", "running") and not (active and active.released):
            async for _ in self.events(owner, run_id):
                pass
            row = await row_of(self._database, owner, run_id)
        approvals = await self.approvals(owner, run_id) if row["status"] == "waiting" else []
        used = await self._database.read(run_rows.used, owner, [run_id]) if row["answer"] is None else []
        return answer_of(row, approvals, used)

    async def approvals(self, owner: str, run_id: str | None = None) -> Rows:
        """What waits for a decision, of one run or all, oldest first."""
        rows = await self._database.read(approval_rows.pending, owner, run_id)
        return [people.public(row) for row in rows]

    async def decide(self, owner: str, run_id: str, decisions: Rows) -> dict[str, Any]:
        """Decide what a run waits for: `{approval_id, action, args?, message?}` each, all of them or none. When
        nothing is open any more, the run goes on: here, or where there is room first. Returns the run.

        Raises NotFound, AlreadyDecided, Conflict when the run does not wait, its team is gone, or a call cannot run
        any more as it was asked about, InvalidInput for what does not fit.
        """
        people.check(decisions)
        row = await row_of(self._database, owner, run_id)
        await self._working.check_open(row, {d["approval_id"]: d["action"] for d in decisions})
        await self._decided(owner, run_id, partial(people.decide, decisions=decisions))
        return await self.brief(owner, run_id)

    async def _decided(self, owner: str, run_id: str, noted: Callable[..., bool]) -> None:
        # Queued while this process has enough to do; one that is alone may be closed before anybody looks for that.
        room = self._engine.shares or self._working.full(owner) is None or not self._watch.for_others
        place = self._engine.place if room else lambda *_: False
        with self._working.hold(owner, run_id):
            if await self._database.write(noted, owner, run_id, executor=self._engine.id, place=place):
                await self._working.go_on(owner, run_id, "decided")

    async def artifacts(self, owner: str, run_id: str) -> Rows:
        """The files that a run made: `{id, name, media_type, size, agent, created_at}` each. Raises NotFound."""
        await row_of(self._database, owner, run_id)
        return await self._working.artifacts.of_run(owner, run_id)

    async def artifact(self, owner: str, run_id: str, id: str) -> tuple[dict[str, Any], Path]:
        """One of them, and where it lies. Raises NotFound."""
        return await self._working.artifacts.get(owner, run_id, id)

    async def get(self, owner: str, run_id: str) -> dict[str, Any]:
        """The run with what it waits for, its files, and its record: `{seq, kind, at, data}` of every event so far."""
        row = await row_of(self._database, owner, run_id)
        active = self._working.active(owner, run_id)
        if active is not None:
            await active.log.save()
        stored = await self._database.read(run_rows.events, owner, run_id)
        record = [{"seq": seq, "kind": kind, "at": at, "data": data} for seq, kind, at, data in stored]
        waiting = await self.approvals(owner, run_id)
        files = await self._working.artifacts.of_run(owner, run_id)
        return {**public(row), "approvals": waiting, "artifacts": files, "events": record}

    async def brief(self, owner: str, run_id: str) -> dict[str, Any]:
        """The run without its record. Raises NotFound."""
        return public(await row_of(self._database, owner, run_id))

    async def list(self, owner: str, **wanted: Unpack[Wanted]) -> Rows:
        """The owner's runs, newest first, without their records."""
        rows = await self._database.read(run_rows.listed, owner, **wanted)
        return [public(row) for row in rows]

    async def count(self, owner: str, **wanted: Unpack[Wanted]) -> int:
        """How many of the owner's runs there are."""
        return await self._database.read(run_rows.count, owner, **wanted)

    async def cancel(self, owner: str, run_id: str) -> dict[str, Any]:
        """Stop a run, whoever works on it or has to decide. One that has ended stays as it is."""
        row = await row_of(self._database, owner, run_id)
        if row["status"] in ENDED:
            return public(row)
        if not await self._working.stop(owner, run_id):
            await self._database.write(run_rows.ask_to_cancel, owner, run_id)
            try:
                async with asyncio.timeout(_PATIENCE):
                    async for _ in self.events(owner, run_id):
                        pass
            except TimeoutError:
                log.warning("run %s: its process has not cancelled it yet", run_id)
            await self._working.stop(owner, run_id)
        return await self.brief(owner, run_id)
