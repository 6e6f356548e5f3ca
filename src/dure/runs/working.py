"""The runs that this process works on: begun, taken over, gone on with, and each worked on to its end.

A run belongs to one process at a time (`runs.executor`). One whose process died or closed is taken over and played
again from its record. So is one of this process whose work broke off, whatever the reason: `Watch` finds what nobody
works on.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dure.agents import Journal, Outcome, RunContext, Sources, way_of
from dure.agents.approvals import Decided
from dure.errors import Conflict, DureError, Forbidden, Interrupted, SessionBusy, TooManyRequests, UnknownTeam, phrase
from dure.events import ENDED, Event, RunResumed, RunWaiting, ToolStarted, decode
from dure.models import Embedder, Models
from dure.runs import decisions as people
from dure.runs import states
from dure.runs.active import ActiveRun, Run, log_failed, to_the_end
from dure.runs.answer import FURTHER, in_vain, interrupted
from dure.runs.artifacts import Artifacts
from dure.runs.budgets import Budgets
from dure.runs.definitions import Definitions
from dure.runs.engine import ENGINES
from dure.runs.history import History, budget_of, read_earlier, shorten
from dure.runs.log import Recorder
from dure.settings import Settings
from dure.storage import Database, open_files
from dure.storage import approvals as approval_rows
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.storage.calls import Calls
from dure.teams import KINDS, Team, tools_of, wants_server
from dure.tooling import Tool

log = logging.getLogger(__name__)

_RECOVERIES = 3
"""How often in a row a run that gets no further is taken over, such as brings down all who work on it."""


@dataclass
class Working:
    """`tools` is asked at each start, since MCP servers come and go; `wait_for` those whose names are wanted is awaited
    before, and tells whether there were any. `ended` is told owner and id of each run whose end is stored here."""

    settings: Settings
    database: Database
    models: Models
    teams: Mapping[str, Team]
    tools: Callable[[], Mapping[str, Tool]]
    embedder: Embedder | None
    budgets: Budgets
    wait_for: Callable[[Callable[[str], bool]], Awaitable[bool]]
    ended: Callable[[str, str], None]
    _active: dict[str, ActiveRun] = field(default_factory=dict)
    _taking: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Owners and ids of runs that are being made this process's: stored as such, perhaps, and not worked on yet."""
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a run that may bring the process down, until it gets further."""
    _unstored: set[str] = field(default_factory=set)
    """Runs whose end the store refused."""
    _shortening: set[tuple[str, str]] = field(default_factory=set)
    """Owner and session whose summary is being made."""
    _closing: bool = False

    def __post_init__(self) -> None:
        self.engine = ENGINES[self.settings.engine_name](self.settings, self.database)
        self.artifacts = Artifacts(self.database, open_files(self.settings, "artifacts"))
        self.definitions = Definitions(self.teams)
        self.calls = Calls(self.settings.data_dir / "calls")
        self.recorder = Recorder(lambda batches: self.database.write(run_rows.append_if_held, self.engine.id, batches))

    async def close(self) -> None:
        """Stop what is under way, leaving it to others."""
        self._closing = True
        for active in self._active.values():
            active.released = True
        await self.engine.close()
        self.calls.close()

    async def settle(self) -> None:
        """Wait for all work, also for what is done after answers were given: summaries of long sessions."""
        for run_id in list(self._active):
            await self.engine.wait(run_id)

    async def start(self, row: dict[str, Any], team: Team, *, alone: bool, **given: Any) -> None:
        """Store a message with its new run and begin to work on it, or let the engine. alone: no server takes over what
        dead processes left; given: what else `states.begin` takes. Raises SessionBusy and kin, TooManyRequests."""
        owner = row["owner"]
        if not self.engine.shares and (limit := self.full(owner)) is not None:
            raise TooManyRequests(limit=limit)
        beginning = asyncio.ensure_future(self._begin(row, team, alone, **given))
        try:
            # Counted from now on, not from that task's first step.
            with self.hold(owner, row["id"]):
                await asyncio.shield(beginning)
        except asyncio.CancelledError:
            # By now the message may be stored, and nobody will hear of its run.
            await to_the_end(self._take_back(row, beginning))
            raise

    def full(self, owner: str) -> int | None:
        """The limit that one more run of the owner would exceed here: of all runs, or the owner's share of them."""
        limit, share = self.settings.max_runs, self.settings.share
        runs = {*self._taking, *((each.run.owner, run_id) for run_id, each in self._active.items())}
        if len(runs) >= limit:
            return limit
        return share if sum(of == owner for of, _ in runs) >= share else None

    async def _begin(self, row: dict[str, Any], team: Team, alone: bool, **given: Any) -> None:
        new = self.definitions.begin(row, team)
        with self.hold(row["owner"], row["id"]):
            budget, engine = budget_of(self.settings, self.models, {team.name: team}, row), self.engine
            begin = partial(states.begin, row=row, budget=budget, definition=new, engine=engine, **given)
            try:
                history = await self.database.write(begin)
            except SessionBusy:
                if not alone or not await self._end_dead(row["owner"], row["session_id"]):
                    raise
                history = await self.database.write(begin)
            self.definitions.begun(row, team)
            if row["status"] == "queued":
                return
            if "from" in row["options"]:
                return await self.go_on(row["owner"], row["id"], "branched")
            active = self._activate(row, history)
            await self.engine.start(row["id"], lambda: self._work(active, team, Journal(), lambda _: None))

    async def _end_dead(self, owner: str, session_id: str) -> bool:
        """End the run that keeps a session busy, where its process died."""
        state = await self.database.read(session_rows.state, owner, session_id)
        row = await self.database.read(run_rows.get, owner, state.open_run) if state and state.open_run else None
        if row is None or (gone := await self.gone(row)) in (None, self.engine.id):
            return False
        stored = await self.database.read(run_rows.events, owner, row["id"])
        return await self.end_idle(row, interrupted(stored), gone)

    async def _take_back(self, row: dict[str, Any], beginning: "asyncio.Future[None]") -> None:
        await asyncio.wait([beginning])
        if beginning.exception() is None:
            with suppress(DureError):
                await self.stop(row["owner"], row["id"])

    @contextmanager
    def hold(self, owner: str, run_id: str) -> Iterator[None]:
        """While a run is made this process's: until somebody works on it, or it turned out to be another's."""
        self._taking[owner, run_id] += 1
        try:
            yield
        finally:
            self._taking[owner, run_id] -= 1
            # Forgets those that nobody holds.
            self._taking = +self._taking

    def _activate(self, row: dict[str, Any], history: History, recorded: Sequence[Event] = ()) -> ActiveRun:
        active = ActiveRun(row, self.database, self.recorder, self.settings.approval_hours, history, recorded)
        active.released = self._closing
        self._active[active.run.id] = active
        return active

    async def take_over(self, owner: str, run_id: str, before: str | None) -> None:
        """Go on with a run on which `before` worked, which is dead or this process itself; None: it was left. While
        this process has enough to do it is left to others, or to the next look."""
        if run_id in self._active or (owner, run_id) in self._taking or self.full(owner) is not None:
            return
        with self.hold(owner, run_id):
            taken = await self.database.write(run_rows.take, run_id, before, self.engine.id)
            # Where its own run was decided in the same moment, that goes on with it.
            if taken and self._taking[owner, run_id] == 1 and run_id not in self._active:
                # A store that takes nothing is no fault of the run's.
                left = before is None or run_id in self._unstored
                self._unstored.discard(run_id)
                await self.go_on(owner, run_id, "restarted" if left else "recovered")

    async def take_up(self, owner: str, run_id: str) -> bool:
        """Go on with a run on which nobody works; False where it has to wait until there is room."""
        held = run_id in self._active or (owner, run_id) in self._taking
        if self._closing or held or self.full(owner) is not None:
            return False
        with self.hold(owner, run_id):
            if why := await self.database.write(states.take, owner, run_id, self.engine.id):
                await self.go_on(owner, run_id, why)
        return True

    async def go_on(self, owner: str, run_id: str, why: str) -> None:
        """Work on a run that is this process's now, from its record."""
        budget = partial(budget_of, self.settings, self.models, self.teams)
        row, definition, events, approvals, history, lost = await self.database.read(states.load, owner, run_id, budget)
        if row is None or row["executor"] != self.engine.id:
            return
        try:
            recorded = [decode(kind, data) for _, kind, _, data in events]
            began = {data["call_id"]: at for _, kind, at, data in events if kind == ToolStarted.kind}
            taken = row["options"].get("from", {}).get("events", 0)
            journal = Journal(recorded, people.allowed(approvals), began, taken)
            team = self.definitions.there(row, definition)
            active = self._activate(row, history, recorded)
        except Exception:
            # Perhaps of a newer version.
            log.exception("the record of run %s cannot be read", run_id)
            await self.end_idle(row, Interrupted(), self.engine.id)
            return
        if why == "restarted" and recorded and isinstance(recorded[-1], RunWaiting):
            # It was left when it was decided.
            why = "decided"
        decided = [{"approval_id": a["id"], **a["decision"]} for a in approvals if a["decision"]]
        # One that was queued for whoever is free begins only now, and so does a branch.
        begins = len(recorded) == taken and why != "recovered"
        resumed = None if begins else RunResumed(why, decided if why == "decided" else [])
        active.refused = people.refused(approvals, recorded, active.language) if why == "decided" else ""
        vain = in_vain(recorded)
        if vain >= _RECOVERIES:
            job = partial(self._give_up, active, journal.interrupted())
        elif lost:
            # Its record may hold what its owner may not read any more.
            job = partial(self._give_up, active, Forbidden(reason=phrase("storage_shelves.lost")))
        else:
            told = people.decided_of(approvals)
            job = partial(self._work, active, team, journal, told, resumed, suspect=vain > 0)
        await self.engine.start(run_id, job)

    async def check_open(self, row: dict[str, Any], wanted: Mapping[str, str]) -> None:
        """Raises Conflict where one of `wanted`, actions by approval, goes on with a run whose team is gone, or with a
        call that cannot run any more as it was asked about."""
        approvals = await self.database.read(approval_rows.of_run, row["owner"], row["id"])
        asked = [a for a in approvals if wanted.get(a["id"], "reject") != "reject" and a["status"] == "pending"]
        if not asked:
            return
        team = self.definitions.there(row, await self.database.read(run_rows.definition, row))
        if team is None:
            raise Conflict(reason=phrase("runs_decisions.no_team", team=row["team"]), approval_id=asked[0]["id"])
        questions = [(a, a["question"]) for a in asked if wanted[a["id"]] != "answer"]
        called = [(a, q["agent"], q["tool"]) for a, q in questions if q["tool"]]

        def lacked(server: str) -> bool:
            known = self.tools()
            away = any(tool not in tools_of(team.agent(agent), known) for _, agent, tool in called)
            return away and wants_server(team, known, server)

        await self.wait_for(lacked)
        for each, agent, tool in called:
            people.check_tool(each, tools_of(team.agent(agent), self.tools()).get(tool))

    async def _give_up(self, active: ActiveRun, error: DureError) -> None:
        async with self._to_its_end(active):
            await active.conclude(self._context(active, Journal(), lambda _: None), Outcome.failed(error))

    async def _work(
        self,
        active: ActiveRun,
        team: Team | None,
        journal: Journal,
        decided: Decided,
        resumed: RunResumed | None = None,
        *,
        suspect: bool = False,
    ) -> None:
        """resumed: of a run that goes on. suspect: it was taken over before and came no further."""
        run = active.run
        async with self._to_its_end(active):
            context = self._context(active, journal, decided)
            context.spending = await self.budgets.of(run.owner)

            async def answering() -> Outcome:
                if team is None:
                    raise UnknownTeam(team=run.team, known=", ".join(self.teams))
                active.choose(context, self.models, team, self.settings.way)
                if suspect:
                    await self._in_turn(active)
                if resumed:
                    # Nothing is done again before it is stored that the run goes on: else nobody would count.
                    active.log.emit(resumed)
                    await active.log.save()
                if await self.wait_for(lambda server: wants_server(team, self.tools(), server)):
                    context.tools = self.tools()
                outcome = await KINDS[team.kind].play(team, context)
                journal.ended(outcome.status)
                return outcome

            await active.work(context, answering)
            if active.history.outgrown and run.status in ENDED and (run.owner, run.session_id) not in self._shortening:
                await self._shorten(run, active.history.budget)

    async def _in_turn(self, active: ActiveRun) -> None:
        """Wait until no other run is under suspicion; this one is until it gets further, or its work ends."""
        await self._suspects.acquire()

        async def until_further() -> None:
            try:
                async for _, event in active.log.follow(len(active.log.events)):
                    if isinstance(event, FURTHER):
                        return
            finally:
                self._suspects.release()

        self._watched = asyncio.create_task(until_further())

    @asynccontextmanager
    async def _to_its_end(self, active: ActiveRun) -> AsyncIterator[None]:
        """While a run is worked on. When its end cannot be stored, the watch finds the run and goes on with it."""
        run = active.run
        try:
            yield
        except Exception as error:
            log.exception("the end of run %s could not be stored", run.id)
            if isinstance(error, DureError):
                self._unstored.add(run.id)
        finally:
            await active.log.close()
            # One that was decided meanwhile is at work again.
            if self._active.get(run.id) is active:
                del self._active[run.id]
            if run.status in ENDED:
                self._told(run.owner, run.id)

    def _context(self, active: ActiveRun, journal: Journal, decided: Decided) -> RunContext:
        run, options, history = active.run, active.options, active.history
        return RunContext(
            owner=run.owner,
            run_id=run.id,
            session_id=run.session_id,
            message=active.message,
            model=self.models[self.models.default],
            models=self.models,
            tools=self.tools(),
            emit=active.log.emit,
            language=active.language,
            **{key: options[key] for key in ("level", "output_format")},
            history=history.plain,
            last_answer=history.last_answer,
            earlier=lambda: self.database.read(read_earlier, run.owner, run.session_id, run.id),
            embedder=self.embedder,
            max_iterations=self.settings.max_iterations,
            journal=journal,
            sources=Sources(list(journal.passages)),
            artifacts=list(journal.artifacts),
            decided=decided,
            commit=partial(self._for_good, active),
            calls=self.calls,
            save=partial(self.artifacts.save, run.owner, run.id, executor=self.engine.id),
            named=partial(self.artifacts.named, run.owner, run.session_id),
            images=options.get("images") or list(history.images),
            picture=partial(self.artifacts.shown, run.owner),
        )

    async def _for_good(self, active: ActiveRun) -> None:
        await active.log.save()
        await self.database.sync()

    async def _shorten(self, run: Run, budget: int) -> None:
        self._shortening.add((run.owner, run.session_id))
        try:
            default = self.models[self.models.default]
            model = default if way_of(default, self.settings.way).tells else None
            await shorten(self.database, model, run.owner, run.session_id, budget)
        except Exception:
            log.exception("the history of session %s could not be summarised", run.session_id)
        finally:
            self._shortening.discard((run.owner, run.session_id))

    async def stop(self, owner: str, run_id: str) -> bool:
        """Cancel a run that is worked on here or nowhere; False where another process works on it."""
        while True:
            await self.engine.cancel(run_id)
            row = await self.database.read(run_rows.get, owner, run_id)
            if row is None or row["status"] in ENDED or await self.end_idle(row, None, await self.gone(row)):
                return True
            # Else it came to wait for people in the same moment, or was only just taken up.
            if await self.engine.held(row):
                return False

    async def gone(self, row: dict[str, Any]) -> str | None:
        """The process that a run is said to belong to, where it works on it no more."""
        executor: str | None = row["executor"]
        if executor == self.engine.id:
            return None if row["id"] in self._active or (row["owner"], row["id"]) in self._taking else executor
        return executor if executor and not await self.engine.held(row) else None

    async def end_idle(self, row: dict[str, Any], error: DureError | None, gone: str | None) -> bool:
        """End a run as failed, or as cancelled, that belongs to no process or to `gone`; False where it does not."""
        owner, run_id = row["owner"], row["id"]
        ended = await self.database.write(states.end_idle, owner, run_id, error, gone)
        if ended:
            self._told(owner, run_id)
            log_failed(owner, run_id, error)
        return ended

    def _told(self, owner: str, run_id: str) -> None:
        self.definitions.ended(run_id)
        self.ended(owner, run_id)

    def active(self, owner: str, run_id: str) -> ActiveRun | None:
        active = self._active.get(run_id)
        return active if active is not None and active.run.owner == owner else None
