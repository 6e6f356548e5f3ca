"""Start, follow, cancel and look up runs; one run at a time in a session.

A message to a session that is still being answered is refused with 409 (`session_busy`) and not stored: the
sender sees at once that it did not count, and two answers never race in one transcript.
"""

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import sqlalchemy as sa

from dure.agents import RunContext
from dure.errors import Conflict, Interrupted, NotFound, SessionBusy, restore
from dure.events import ENDED, Event, RunFailed, decode, encode
from dure.messages import Message
from dure.models import Embedder, Model
from dure.runs.active import ActiveRun, Run
from dure.runs.answer import Answer
from dure.runs.ask import Ask
from dure.runs.engine import Engine, InProcessEngine
from dure.runs.history import read_history, shorten
from dure.runs.process import ThisProcess
from dure.settings import Settings
from dure.storage import Database, now
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.teams import Team
from dure.tooling import Tool

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]
"""Named before the class: inside it `list` is the method."""


class Runs:
    """All runs of one Dure. `tools` is asked at each start, since MCP servers come and go."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        model: Model,
        teams: Mapping[str, Team],
        tools: Callable[[], Mapping[str, Tool]],
        embedder: Embedder | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._model = model
        self._teams = dict(teams)
        self._tools = tools
        self._embedder = embedder
        self._engine = engine or InProcessEngine()
        self._process = ThisProcess(settings.data_dir / "processes")
        self._active: dict[str, ActiveRun] = {}

    async def open(self) -> None:
        """Begin: runs that a process left behind when it died are ended as failed; their messages are kept."""
        self._process.begin()
        for row in await self._database.read(run_rows.left_open):
            if not self._process.lives(row["options"].get("process", "")):
                await self._database.write(_end_interrupted, row["owner"], row["id"])

    async def close(self) -> None:
        """Cancel what is under way, store it, and stop."""
        await self._engine.close()
        self._process.end()

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
        options = {"level": level, "output_format": output_format, "process": self._process.id}
        budget = self._settings.history_tokens
        history, outgrown = await self._database.write(_begin, run, ask.message, options, budget)
        active = ActiveRun(run, team, ask, level, output_format, self._database)
        self._active[run.id] = active
        await self._engine.start(run.id, lambda: self._work(active, ask.message, history, outgrown))
        return run

    async def _work(self, active: ActiveRun, message: str, history: list[Message], outgrown: bool) -> None:
        run = active.run
        context = RunContext(
            owner=run.owner,
            run_id=run.id,
            session_id=run.session_id,
            message=message,
            model=self._model,
            tools=self._tools(),
            emit=active.log.emit,
            history=history,
            embedder=self._embedder,
            max_iterations=self._settings.max_iterations,
        )
        try:
            await active.work(context)
            if outgrown:
                await self._shorten(run)
        finally:
            self._active.pop(run.id, None)

    async def _shorten(self, run: Run) -> None:
        try:
            await shorten(self._database, self._model, run.owner, run.session_id, self._settings.history_tokens)
        except Exception:
            log.exception("the history of session %s could not be summarised", run.session_id)

    async def events(self, owner: str, run_id: str, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """A run's events after number `after`, stored ones first, then as they come; ends with the run."""
        active = self._mine(owner, run_id)
        if active is not None:
            async for numbered in active.log.follow(after):
                yield numbered
            return
        await self._row(owner, run_id)
        for seq, kind, _at, data in await self._database.read(run_rows.events, owner, run_id, after):
            yield seq, decode(kind, data)

    async def answer(self, owner: str, run_id: str) -> Answer:
        """The run's answer, waiting for its end. Raises the typed error of a run that failed."""
        active = self._mine(owner, run_id)
        if active is not None:
            async for _ in active.log.follow(len(active.log.events)):
                pass
            if active.answer is not None:
                return active.answer
        row = await self._row(owner, run_id)
        if row["answer"] is not None:
            return Answer(**row["answer"])
        if row["error"] is not None:
            raise restore(row["error"]["code"], row["error"]["details"])
        metadata = {"thread_id": row["session_id"], "run_id": run_id, "team": row["team"]}
        return Answer("", status=row["status"], metadata=metadata)

    async def get(self, owner: str, run_id: str) -> dict[str, Any]:
        """The run with its record: every event so far, each with its number, kind, time and fields."""
        row = await self._row(owner, run_id)
        active = self._mine(owner, run_id)
        if active is not None:
            await active.log.save()
        stored = await self._database.read(run_rows.events, owner, run_id)
        record = [{"seq": seq, "kind": kind, "at": at, "data": data} for seq, kind, at, data in stored]
        return {**_public(row), "events": record}

    async def list(
        self, owner: str, session_id: str | None = None, status: str | None = None, limit: int = 100
    ) -> Rows:
        """The owner's runs, newest first, without their records."""
        rows = await self._database.read(run_rows.listed, owner, session_id, status, limit)
        return [_public(row) for row in rows]

    async def cancel(self, owner: str, run_id: str) -> dict[str, Any]:
        """Stop a run. One that has ended stays as it is; Conflict when another process works on it."""
        row = await self._row(owner, run_id)
        if row["status"] in ENDED:
            return _public(row)
        here = await self._engine.cancel(run_id)
        row = await self._row(owner, run_id)
        if not here and row["status"] not in ENDED:
            raise Conflict(reason="another process is working on this run")
        return _public(row)

    async def sessions(self, owner: str) -> Rows:
        """The owner's sessions, last used first."""
        return await self._database.read(session_rows.listed, owner)

    async def messages(self, owner: str, session_id: str) -> Rows:
        """A session's transcript, oldest first. Raises NotFound."""
        if await self._database.read(session_rows.get, owner, session_id) is None:
            raise NotFound(what="session", id=session_id[:128])
        rows = await self._database.read(session_rows.transcript, owner, session_id)
        keys = ("id", "run_id", "role", "content", "citations", "created_at")
        return [{key: row[key] for key in keys} for row in rows]

    async def delete_session(self, owner: str, session_id: str) -> None:
        """Delete a session with its messages and runs. Raises NotFound, SessionBusy while it is being answered."""
        if not await self._database.write(_delete_session, owner, session_id):
            raise NotFound(what="session", id=session_id[:128])

    def _mine(self, owner: str, run_id: str) -> ActiveRun | None:
        active = self._active.get(run_id)
        return active if active is not None and active.run.owner == owner else None

    async def _row(self, owner: str, run_id: str) -> dict[str, Any]:
        row = await self._database.read(run_rows.get, owner, run_id)
        if row is None:
            raise NotFound(what="run", id=run_id[:64])
        return row


def _begin(
    connection: sa.Connection, run: Run, message: str, options: dict[str, Any], budget: int
) -> tuple[list[Message], bool]:
    """Store the message and its run; the session so far, read before them (see `read_history`)."""
    if run_rows.open_in(connection, run.owner, run.session_id):
        raise SessionBusy()
    history = read_history(connection, run.owner, run.session_id, budget)
    session_rows.touch(connection, run.owner, run.session_id, " ".join(message.split())[:60])
    session_rows.add_message(connection, run.owner, run.session_id, run.id, "user", message)
    row = {
        "id": run.id,
        "owner": run.owner,
        "session_id": run.session_id,
        "team": run.team,
        "status": run.status,
        "message": message,
        "options": options,
        "created_at": run.created_at,
    }
    run_rows.insert(connection, row)
    return history


def _delete_session(connection: sa.Connection, owner: str, session_id: str) -> bool:
    if run_rows.open_in(connection, owner, session_id):
        raise SessionBusy()
    return session_rows.delete(connection, owner, session_id)


def _end_interrupted(connection: sa.Connection, owner: str, run_id: str) -> None:
    error = Interrupted()
    seq = run_rows.last_seq(connection, owner, run_id) + 1
    kind, fields = encode(RunFailed(error.code, error.message("ko"), {}, 0.0))
    run_rows.append_events(connection, owner, run_id, [(seq, kind, now(), fields)])
    stored = {"code": error.code, "message": error.message("ko"), "details": {}}
    run_rows.end(connection, owner, run_id, "failed", error=stored)


def _public(row: dict[str, Any]) -> dict[str, Any]:
    """A run as users see it: without the owner and without which process worked on it."""
    options = {key: value for key, value in row["options"].items() if key != "process"}
    kept = ("id", "session_id", "team", "status", "message", "answer", "error", "created_at", "ended_at")
    return {key: row[key] for key in kept} | {"options": options}
