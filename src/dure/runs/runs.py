"""Start, follow, decide, cancel and look up runs; one run at a time in a session.

A message to a session that is still being answered is refused with 409 (`session_busy`) and not stored: the
sender sees at once that it did not count, and two answers never race in one transcript.

A run belongs to one process at a time (`runs.executor`). One that waits for people belongs to none and costs
nothing; one whose process died or closed is taken over and played again from its record. So is one of this process
whose work broke off, whatever the reason: `Watch` finds what nobody works on.
"""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from dure.agents import Journal, Outcome, RunContext, Sources
from dure.agents.approvals import Decided
from dure.errors import (
    DureError,
    Interrupted,
    InvalidInput,
    Language,
    NotFound,
    SessionBusy,
    SessionWaiting,
    UnknownTeam,
    restore,
)
from dure.events import ENDED, Event, RunFailed, RunFinished, RunResumed, RunWaiting, decode, encode
from dure.messages import Message, language_of
from dure.models import Embedder, Model
from dure.runs import decisions as people
from dure.runs.active import ActiveRun, Run, failed, to_the_end
from dure.runs.answer import Answer
from dure.runs.artifacts import Artifacts
from dure.runs.ask import Ask, checked_title
from dure.runs.cost import Prices
from dure.runs.engine import Engine, InProcessEngine
from dure.runs.grouping import checked_name, current, figures
from dure.runs.history import History, history_of, read_earlier, read_history, shorten
from dure.runs.presence import Presence
from dure.runs.rating import checked_rating
from dure.runs.recorder import Recorder
from dure.runs.watch import Watch
from dure.settings import Settings
from dure.storage import Database, now
from dure.storage import approvals as approval_rows
from dure.storage import experiments as experiment_rows
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.teams import Team, play
from dure.tooling import Tool

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]
"""Named before the class: inside it `list` is the method."""
_RECOVERIES = 3
"""How often a run is taken over: one that brings down every process that works on it, or whose end cannot be stored,
is given up."""
_PATIENCE = 5.0
"""Seconds to wait until another process has cancelled its run."""


async def _at_once() -> None:
    return None


def _unheard(owner: str, run_id: str) -> None:
    return None


class Runs:
    """All runs of one Dure. `tools` is asked at each start, since MCP servers come and go; `ready` is awaited before
    a run is taken over from a dead process, so that they have come. `ended` is told owner and id of each run whose end
    is stored here."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        model: Model,
        teams: Mapping[str, Team],
        tools: Callable[[], Mapping[str, Tool]],
        embedder: Embedder | None = None,
        engine: Engine | None = None,
        ready: Callable[[], Awaitable[object]] = _at_once,
        ended: Callable[[str, str], None] = _unheard,
    ) -> None:
        self._settings = settings
        self._database = database
        self._model = model
        self._teams = dict(teams)
        self._tools = tools
        self._embedder = embedder
        self._engine = engine or InProcessEngine()
        self._ready = ready
        self._ended = ended
        self._presence = Presence(database, settings.data_dir / "processes")
        self._watch = Watch(database, self._presence, self._take_over, self._expire, self._engine.cancel)
        self._artifacts = Artifacts(database, settings.data_dir / "artifacts")
        self._active: dict[str, ActiveRun] = {}
        self._taking: Counter[str] = Counter()
        """Runs that are being made this process's: stored as such, perhaps, and not worked on yet."""
        self.prices = Prices(settings.prices, settings.currency)
        self._recorder = Recorder(lambda batches: database.write(run_rows.append_if_held, self._presence.id, batches))

    async def open(self, *, take_over: bool = True) -> None:
        """Begin. With `take_over`, look after runs that other processes left behind when they died."""
        await self._presence.begin()
        self._watch.start(for_others=take_over)

    async def close(self) -> None:
        """Stop what is under way, leaving it to whoever opens the database next."""
        await self._watch.close()
        for active in self._active.values():
            active.released = True
        await self._engine.close()
        await self._presence.end()

    async def settle(self) -> None:
        """Wait for all work, also for what is done after answers were given: summaries of long sessions."""
        for run_id in list(self._active):
            await self._engine.wait(run_id)

    async def start(self, owner: str, ask: Ask) -> Run:
        """Check the message, store it with a new run and begin to work on it.

        Raises InvalidInput and its kin for what cannot be used, SessionBusy while the session is being answered;
        nothing is stored then.
        """
        team, level, output_format = ask.checked(self._teams, self._settings.max_message_chars)
        session_id = ask.session_id or f"s-{secrets.token_hex(10)}"
        run = Run(f"r-{secrets.token_hex(12)}", session_id, owner, team.name, "running", now())
        row = {
            "id": run.id,
            "owner": owner,
            "session_id": session_id,
            "team": team.name,
            "status": run.status,
            "message": ask.message,
            "options": {"level": level, "output_format": output_format},
            "created_at": run.created_at,
            "executor": self._presence.id,
            "experiment": checked_name(ask.experiment) or current(self),
        }
        beginning = asyncio.ensure_future(self._begin(run, row))
        try:
            await asyncio.shield(beginning)
        except asyncio.CancelledError:
            # By now the message may be stored, and nobody will hear of its run.
            await to_the_end(self._take_back(run, beginning))
            raise
        return run

    async def _begin(self, run: Run, row: dict[str, Any]) -> None:
        with self._hold(run.id):
            try:
                history = await self._database.write(_begin, row, self._settings.history_tokens)
            except SessionBusy:
                if not await self._end_dead(run.owner, run.session_id):
                    raise
                history = await self._database.write(_begin, row, self._settings.history_tokens)
            active = self._activate(run, row)
            await self._engine.start(run.id, lambda: self._work(active, history, Journal(), lambda _: None))

    async def _end_dead(self, owner: str, session_id: str) -> bool:
        """End the run that keeps a session busy, where its process died and no server will take it over."""
        found = await self._database.read(run_rows.open_in, owner, session_id)
        if found is None or self._watch.for_others:
            return False
        row = await self._row(owner, found[0])
        gone = await self._gone(row)
        return gone not in (None, self._presence.id) and await self._end_idle(row, Interrupted(), gone)

    async def _take_back(self, run: Run, beginning: "asyncio.Future[None]") -> None:
        await asyncio.wait([beginning])
        if beginning.exception() is None:
            with suppress(DureError):
                await self.cancel(run.owner, run.id)

    @contextmanager
    def _hold(self, run_id: str) -> Iterator[None]:
        """While a run is made this process's: until somebody works on it, or it turned out to be another's."""
        self._taking[run_id] += 1
        try:
            yield
        finally:
            self._taking[run_id] -= 1
            if not self._taking[run_id]:
                del self._taking[run_id]

    def _activate(self, run: Run, row: dict[str, Any], recorded: Sequence[Event] = ()) -> ActiveRun:
        hours = self._settings.approval_hours
        active = ActiveRun(
            run, row["message"], row["options"], self._database, self._recorder, self._presence.id, hours, recorded
        )
        self._active[run.id] = active
        return active

    async def _take_over(self, owner: str, run_id: str, before: str | None) -> None:
        """Go on with a run on which `before` worked, which is dead or this process itself; None: it was left."""
        if run_id in self._active or run_id in self._taking:
            return
        with self._hold(run_id):
            taken = await self._database.write(run_rows.take, run_id, before, self._presence.id)
            # Where its own run was decided in the same moment, that goes on with it.
            if taken and self._taking[run_id] == 1 and run_id not in self._active:
                await self._go_on(owner, run_id, "restarted" if before is None else "recovered")

    async def _go_on(self, owner: str, run_id: str, why: str) -> None:
        """Work on a run that is this process's now, from its record."""
        row, stored, approvals, history = await self._database.read(_load, owner, run_id, self._settings.history_tokens)
        if row is None or row["executor"] != self._presence.id:
            return
        try:
            recorded = [decode(kind, data) for _, kind, _, data in stored]
            journal = Journal(recorded)
            run = Run(run_id, row["session_id"], owner, row["team"], "running", row["created_at"])
            active = self._activate(run, row, recorded)
        except Exception:
            # Perhaps of a newer version.
            log.exception("the record of run %s cannot be read", run_id)
            await self._end_idle(row, Interrupted(), self._presence.id)
            return
        decided = [{"approval_id": a["id"], **a["decision"]} for a in approvals if a["decision"]]
        active.resumed(why, decided if why == "decided" else [])
        recoveries = sum(isinstance(e, RunResumed) and e.why == "recovered" for e in active.log.events)
        if recoveries > _RECOVERIES:
            job = self._give_up(active, Interrupted())
        elif row["team"] not in self._teams:
            job = self._give_up(active, UnknownTeam(team=row["team"], known=", ".join(self._teams)))
        else:
            job = self._work(active, history, journal, people.decided_of(approvals), late=True)

        async def begun() -> None:
            await job

        await self._engine.start(run_id, begun)

    async def _give_up(self, active: ActiveRun, error: DureError) -> None:
        context = self._context(active, History(), Journal(), lambda _: None)
        await self._to_its_end(active, active.conclude(context, failed(error)))

    async def _work(
        self,
        active: ActiveRun,
        history: History,
        journal: Journal,
        decided: Decided,
        *,
        late: bool = False,
    ) -> None:
        run = active.run
        context = self._context(active, history, journal, decided)

        async def answering() -> Outcome:
            if late:
                # Nothing is done again before it is stored that the run goes on: else nobody would count.
                await active.log.save()
                await self._ready()
                context.tools = self._tools()
            return await play(self._teams[run.team], context)

        await self._to_its_end(active, active.work(context, answering))
        if history.outgrown and run.status in ENDED:
            await self._shorten(run)

    async def _to_its_end(self, active: ActiveRun, work: Awaitable[None]) -> None:
        """Await the work on a run. When its end cannot be stored, the watch finds the run and goes on with it."""
        run = active.run
        try:
            await work
        except Exception:
            log.exception("the end of run %s could not be stored", run.id)
        finally:
            self._active.pop(run.id, None)
        if run.status in ENDED:
            self._ended(run.owner, run.id)

    def _context(self, active: ActiveRun, history: History, journal: Journal, decided: Decided) -> RunContext:
        run = active.run
        return RunContext(
            owner=run.owner,
            run_id=run.id,
            session_id=run.session_id,
            message=active.message,
            model=self._model,
            tools=self._tools(),
            emit=active.log.emit,
            language=active.language,
            level=active.level,
            output_format=active.output_format,
            history=history.turns,
            last_answer=history.last_answer,
            earlier=lambda: self._database.read(read_earlier, run.owner, run.session_id, run.id),
            embedder=self._embedder,
            max_iterations=self._settings.max_iterations,
            journal=journal,
            sources=Sources(list(journal.passages)),
            artifacts=list(journal.artifacts),
            decided=decided,
            commit=active.log.save,
            save=lambda file, agent: self._artifacts.save(run.owner, run.id, file, agent),
        )

    async def _shorten(self, run: Run) -> None:
        try:
            await shorten(self._database, self._model, run.owner, run.session_id, self._settings.history_tokens)
        except Exception:
            log.exception("the history of session %s could not be summarised", run.session_id)

    async def events(self, owner: str, run_id: str, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """A run's events after number `after`, stored ones first, then as they come; ends with the run, or where it
        waits for people: what comes after their decision can be followed from there."""
        active = self._mine(owner, run_id)
        if active is not None:
            async for numbered in active.log.follow(after):
                yield numbered
            if active.released or isinstance(active.log.events[-1], RunFinished | RunFailed | RunWaiting):
                return
            # Lost to another process, or broken off: what comes now is found where it is stored.
            after = max(after, len(active.log.events))
        await self._row(owner, run_id)
        changes = self._database.changes()
        try:
            while True:
                status, stored = await self._database.read(_status_and_events, owner, run_id, after)
                for seq, kind, _at, data in stored:
                    after = seq
                    yield seq, decode(kind, data)
                if status is None or status in ENDED or status == "waiting":
                    return
                await changes.wait()
        finally:
            changes.close()

    async def answer(self, owner: str, run_id: str) -> Answer:
        """The run's answer, waiting for its end or until it waits for people. Raises the typed error of a run that
        failed."""
        active = self._mine(owner, run_id)
        if active is not None:
            async for _ in active.log.follow(len(active.log.events)):
                pass
            if active.answer is not None:
                return active.answer
        row = await self._row(owner, run_id)
        while row["status"] in ("queued", "running") and not (active and active.released):
            async for _ in self.events(owner, run_id):
                pass
            row = await self._row(owner, run_id)
        if row["answer"] is not None:
            return Answer(**row["answer"])
        if row["error"] is not None:
            raise restore(row["error"]["code"], row["error"]["details"])
        metadata = {"thread_id": row["session_id"], "run_id": run_id, "team": row["team"]}
        answer = Answer("", status=row["status"], metadata=metadata)
        if row["status"] == "waiting":
            answer.approvals = await self.approvals(owner, run_id)
            answer.response = people.asked_text(answer.approvals, language_of(row["message"]))
        return answer

    async def approvals(self, owner: str, run_id: str | None = None) -> Rows:
        """What waits for a decision, of one run or all, oldest first."""
        rows = await self._database.read(approval_rows.pending, owner, run_id)
        return [people.public(row) for row in rows]

    async def decide(self, owner: str, run_id: str, decisions: Rows) -> dict[str, Any]:
        """Decide what a run waits for: `{approval_id, action, args?, message?}` each, all of them or none. When
        nothing is open any more, the run goes on here. Returns the run.

        Raises NotFound, AlreadyDecided, Conflict when the run does not wait, InvalidInput for what does not fit.
        """
        row = await self._row(owner, run_id)
        language = language_of(row["message"])
        with self._hold(run_id):
            if await self._database.write(people.decide, owner, run_id, decisions, self._presence.id, language):
                await self._go_on(owner, run_id, "decided")
        return _public(await self._row(owner, run_id))

    async def _expire(self, owner: str, run_id: str) -> None:
        with self._hold(run_id):
            if await self._database.write(people.expire, owner, run_id, self._presence.id):
                await self._go_on(owner, run_id, "decided")

    async def artifacts(self, owner: str, run_id: str) -> Rows:
        """The files that a run made: `{id, name, media_type, size, agent, created_at}` each. Raises NotFound."""
        await self._row(owner, run_id)
        return await self._artifacts.of_run(owner, run_id)

    async def artifact(self, owner: str, run_id: str, id: str) -> tuple[dict[str, Any], Path]:
        """One of them, and where it lies. Raises NotFound."""
        return await self._artifacts.get(owner, run_id, id)

    async def get(self, owner: str, run_id: str) -> dict[str, Any]:
        """The run with what it waits for, its files, and its record: every event so far, each with its number, kind,
        time and fields."""
        row = await self._row(owner, run_id)
        active = self._mine(owner, run_id)
        if active is not None:
            await active.log.save()
        stored = await self._database.read(run_rows.events, owner, run_id)
        record = [{"seq": seq, "kind": kind, "at": at, "data": data} for seq, kind, at, data in stored]
        waiting = await self.approvals(owner, run_id)
        files = await self._artifacts.of_run(owner, run_id)
        (public,) = await self._with_figures(owner, [row])
        return {**public, "approvals": waiting, "artifacts": files, "events": record}

    async def list(
        self,
        owner: str,
        session_id: str | None = None,
        status: str | None = None,
        limit: int = 100,
        *,
        team: str | None = None,
        experiment: str | None = None,
        since: str | None = None,
        before: tuple[str, str] | None = None,
        q: str | None = None,
    ) -> Rows:
        """The owner's runs, newest first, without their records. since: an ISO 8601 UTC time; before: time and id of
        the run after which to go on; q: only those with it in their message or answer."""
        wanted = {"team": team, "experiment": experiment, "since": since, "q": q}
        rows = await self._database.read(run_rows.listed, owner, session_id, status, limit, **wanted, before=before)
        return await self._with_figures(owner, rows)

    async def _with_figures(self, owner: str, rows: Sequence[dict[str, Any]]) -> Rows:
        used = await self._database.read(figures, owner, [row["id"] for row in rows], self.prices)
        return [_public(row) | used[row["id"]] for row in rows]

    async def rate(self, owner: str, run_id: str, rating: int, comment: str | None = None) -> dict[str, Any]:
        """Say what one thinks of a run, 1 to 5; again: instead. Returns the run. Raises NotFound, InvalidInput."""
        rating, comment = checked_rating(rating, comment)
        if not await self._database.write(experiment_rows.rate, owner, run_id, rating, comment):
            raise NotFound(what="run", id=run_id[:64])
        (public,) = await self._with_figures(owner, [await self._row(owner, run_id)])
        return public

    async def cancel(self, owner: str, run_id: str) -> dict[str, Any]:
        """Stop a run, also one that waits for people or that another process works on. One that has ended stays as
        it is."""
        row = await self._row(owner, run_id)
        if row["status"] in ENDED:
            return _public(row)
        if not await self._engine.cancel(run_id) and not await self._cancel_idle(row):
            await self._database.write(run_rows.ask_to_cancel, owner, run_id)
            try:
                async with asyncio.timeout(_PATIENCE):
                    async for _ in self.events(owner, run_id):
                        pass
            except TimeoutError:
                log.warning("run %s: its process has not cancelled it yet", run_id)
        # It may have come to wait for people in the same moment.
        await self._cancel_idle(await self._row(owner, run_id))
        return _public(await self._row(owner, run_id))

    async def _cancel_idle(self, row: dict[str, Any]) -> bool:
        """Cancel a run on which nobody works; False when somebody does."""
        return row["status"] in ENDED or await self._end_idle(row, None, await self._gone(row))

    async def _gone(self, row: dict[str, Any]) -> str | None:
        """The process that a run is said to belong to, where it works on it no more."""
        executor: str | None = row["executor"]
        if executor == self._presence.id:
            return None if row["id"] in self._active or row["id"] in self._taking else executor
        return executor if executor and not await self._presence.living([executor]) else None

    async def _end_idle(self, row: dict[str, Any], error: DureError | None, gone: str | None) -> bool:
        """End a run as failed, or as cancelled, that belongs to no process or to `gone`; False where it does not."""
        owner, run_id = row["owner"], row["id"]
        language = language_of(row["message"])
        ended = await self._database.write(_end_idle, owner, run_id, error, language, gone)
        if ended:
            self._ended(owner, run_id)
        return ended

    async def begin_session(self, owner: str, turns: Sequence[Message]) -> str:
        """A new session that holds a conversation already: its id. turns: of the roles user and assistant."""
        session_id = f"s-{secrets.token_hex(10)}"
        await self._database.write(_begin_session, owner, session_id, turns)
        return session_id

    async def again(self, owner: str, run_id: str) -> Ask:
        """A run's message to be asked once more, in a session of its own, after the turns that stood before it.
        Raises NotFound."""
        row = await self._row(owner, run_id)
        said = await self._database.read(session_rows.transcript, owner, row["session_id"])
        before: list[Message] = []
        for each in said:
            # A message that was cut from the transcript stands before none of those asked since.
            if each["run_id"] == run_id or each["created_at"] > row["created_at"]:
                break
            before.append({"role": each["role"], "content": each["content"]})
        session_id = await self.begin_session(owner, before) if before else None
        options, message = row["options"], row["message"]
        return Ask(message, session_id, row["team"], options["level"], options["output_format"], language_of(message))

    async def sessions(
        self, owner: str, limit: int = 200, *, q: str | None = None, before: tuple[str, str] | None = None
    ) -> Rows:
        """The owner's sessions, last used first. q: only those with it in their title or a message; before: time and id
        of the session after which to go on."""
        return await self._database.read(session_rows.listed, owner, limit, q=q, before=before)

    async def session(self, owner: str, session_id: str) -> dict[str, Any]:
        """`{id, title, created_at, updated_at}`. Raises NotFound."""
        row = await self._database.read(session_rows.get, owner, session_id)
        if row is None:
            raise NotFound(what="session", id=session_id[:128])
        return {key: row[key] for key in ("id", "title", "created_at", "updated_at")}

    async def rename_session(self, owner: str, session_id: str, title: str) -> dict[str, Any]:
        """Give a session another title, of 1 to 200 characters. Returns it. Raises NotFound, InvalidInput."""
        title = checked_title(title)
        await self._database.write(session_rows.rename, owner, session_id, title)
        return await self.session(owner, session_id)

    async def messages(
        self, owner: str, session_id: str, limit: int | None = None, *, before: int | None = None
    ) -> Rows:
        """A session's transcript, oldest first. limit: the last so many; before: of those before the message of that
        id. Raises NotFound."""
        await self.session(owner, session_id)
        rows = await self._database.read(session_rows.transcript, owner, session_id, 0, limit, before)
        keys = ("id", "run_id", "role", "content", "citations", "created_at")
        return [{key: row[key] for key in keys} for row in rows]

    async def cut_session(self, owner: str, session_id: str, message_id: int) -> None:
        """Take a user's message, and all that came after it, out of a session, so that something else can be asked
        there. The runs stay. Raises NotFound, InvalidInput for a message that is no user's, SessionBusy and
        SessionWaiting while the session is being answered."""
        role = await self._database.write(_cut, owner, session_id, message_id)
        if role is None:
            raise NotFound(what="message", id=str(message_id))
        if role != "user":
            raise InvalidInput(reason=f"message {message_id} is no question")

    async def delete_session(self, owner: str, session_id: str) -> None:
        """Delete a session with its messages and runs. Raises NotFound, SessionBusy while it is being answered."""
        gone = await self._database.write(_delete_session, owner, session_id)
        if gone is None:
            raise NotFound(what="session", id=session_id[:128])
        await self._artifacts.delete(gone)

    def _mine(self, owner: str, run_id: str) -> ActiveRun | None:
        active = self._active.get(run_id)
        return active if active is not None and active.run.owner == owner else None

    async def _row(self, owner: str, run_id: str) -> dict[str, Any]:
        row = await self._database.read(run_rows.get, owner, run_id)
        if row is None:
            raise NotFound(what="run", id=run_id[:64])
        return row


def _begin(connection: sa.Connection, row: dict[str, Any], budget: int) -> History:
    """Store the message and its run; the session so far, read before them (see `read_history`)."""
    owner, session_id, message = row["owner"], row["session_id"], row["message"]
    state = session_rows.state(connection, owner, session_id)
    if state is not None and state.open_run is not None:
        raise _busy(state.open_run, state.open_status)
    history = History() if state is None else history_of(connection, owner, session_id, state, budget)
    try:
        session_rows.touch(connection, owner, session_id, " ".join(message.split())[:60])
        session_rows.add_message(connection, owner, session_id, row["id"], "user", message)
        run_rows.insert(connection, row)
    except sa.exc.IntegrityError:
        # Another process began one in the same moment.
        raise SessionBusy() from None
    return history


def _begin_session(connection: sa.Connection, owner: str, session_id: str, turns: Sequence[Message]) -> None:
    session_rows.touch(connection, owner, session_id, " ".join(str(turns[0]["content"]).split())[:60] if turns else "")
    for turn in turns:
        session_rows.add_message(connection, owner, session_id, "-", turn["role"], str(turn["content"]))


def _load(connection: sa.Connection, owner: str, run_id: str, budget: int) -> tuple[Any, Any, Any, Any]:
    """What is needed to go on with a run: its row, events, approvals, and the session before it."""
    row = run_rows.get(connection, owner, run_id)
    if row is None:
        return None, [], [], History()
    events = run_rows.events(connection, owner, run_id)
    history = read_history(connection, owner, row["session_id"], budget, before_run=run_id)
    return row, events, approval_rows.of_run(connection, owner, run_id), history


def _status_and_events(connection: sa.Connection, owner: str, run_id: str, after: int) -> tuple[str | None, Any]:
    # The status first: a run that has ended by then has stored all its events.
    row = run_rows.get(connection, owner, run_id)
    return (row["status"] if row else None), run_rows.events(connection, owner, run_id, after)


def _end_idle(
    connection: sa.Connection, owner: str, run_id: str, error: DureError | None, language: Language, gone: str | None
) -> bool:
    row = run_rows.get(connection, owner, run_id, lock=True)
    if row is None or row["status"] in ENDED:
        return row is None
    if row["executor"] not in (None, gone):
        return False
    seq = run_rows.last_seq(connection, owner, run_id) + 1
    usage = {"model_calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    event: Event
    if error is None:
        event, status, stored = RunFinished("cancelled", "", usage, 0.0, "cancelled"), "cancelled", None
    else:
        message = error.message(language)
        event, status = RunFailed(error.code, message, usage, 0.0, error.details), "failed"
        stored = {"code": error.code, "message": message, "details": error.details}
    kind, fields = encode(event)
    run_rows.append_events(connection, owner, run_id, [(seq, kind, now(), fields)])
    run_rows.end(connection, owner, run_id, status, error=stored)
    approval_rows.drop(connection, owner, run_id)
    return True


def _not_busy(connection: sa.Connection, owner: str, session_id: str) -> None:
    found = run_rows.open_in(connection, owner, session_id)
    if found is not None:
        raise _busy(*found)


def _busy(open_run: str, status: str) -> DureError:
    return SessionWaiting(run_id=open_run) if status == "waiting" else SessionBusy()


def _cut(connection: sa.Connection, owner: str, session_id: str, message_id: int) -> str | None:
    _not_busy(connection, owner, session_id)
    return session_rows.cut(connection, owner, session_id, message_id)


def _delete_session(connection: sa.Connection, owner: str, session_id: str) -> list[str] | None:
    """The ids of the runs that went with the session; None when there is no such session."""
    _not_busy(connection, owner, session_id)
    ids = [row["id"] for row in run_rows.listed(connection, owner, session_id, limit=1_000_000)]
    return ids if session_rows.delete(connection, owner, session_id) else None


def _public(row: dict[str, Any]) -> dict[str, Any]:
    """A run as users see it: without the owner and without which process works on it."""
    kept = ("id", "session_id", "team", "status", "message", "answer", "error", "created_at", "ended_at", "options")
    rating = {"rating": row["rating"], "comment": row["rating_comment"], "rated_at": row["rated_at"]}
    more = {"experiment": row["experiment"], "rating": rating if row["rating"] is not None else None}
    return {key: row[key] for key in kept} | more
