"""One run while it is worked on: from its message to the stored end."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa

from dure.agents import Level, Outcome, RunContext
from dure.errors import DureError, restore
from dure.events import Cited, RunFailed, RunFinished, RunStarted, RunStatus, TextDelta, TextRetracted
from dure.knowledge import cite
from dure.runs.answer import Answer, formatted
from dure.runs.ask import Ask, OutputFormat
from dure.runs.log import RunLog, Stored
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.teams import Team, play

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Run:
    """A run that was started."""

    id: str
    session_id: str
    owner: str
    team: str
    status: str
    created_at: str


class ActiveRun:
    """`work` answers the message; however it ends, the end is stored and the log closed."""

    def __init__(
        self, run: Run, team: Team, ask: Ask, level: Level | None, output_format: OutputFormat, database: Database
    ) -> None:
        self.run = run
        self.log = RunLog(self._store)
        self._team = team
        self._ask = ask
        self._level = level
        self._format = output_format
        self._database = database
        self._started = asyncio.get_running_loop().time()
        self.answer: Answer | None = None
        self.log.emit(RunStarted(run.id, run.session_id, team.name, ask.message))

    async def _store(self, events: list[Stored]) -> None:
        await self._database.write(run_rows.append_events, self.run.owner, self.run.id, events)

    async def work(self, context: RunContext) -> None:
        """Let the team answer within `context`, which is completed here, and store how it ended."""
        context.emit = self.log.emit
        context.language, context.level = self._ask.language, self._level
        context.stream_answer = self._format != "json"
        try:
            outcome = await play(self._team, context)
        except asyncio.CancelledError:
            outcome = Outcome("cancelled", "", "cancelled")
        except DureError as error:
            outcome = _failed(error)
        except Exception:
            log.exception("run %s failed", self.run.id)
            outcome = _failed(DureError())
        await _to_the_end(self._conclude(context, outcome))

    async def _conclude(self, context: RunContext, outcome: Outcome) -> None:
        usage, seconds = context.usage.as_dict(), self._seconds()
        answer, error = None, None
        if outcome.error is not None:
            failure = restore(outcome.error["code"], outcome.error["details"])
            message = failure.message(self._ask.language)
            error = {"code": failure.code, "message": message, "details": failure.details}
            self.log.emit(RunFailed(failure.code, message, usage, seconds, failure.details))
        elif outcome.status == "cancelled":
            self.log.emit(RunFinished("cancelled", "", usage, seconds, outcome.reason))
        else:
            answer = self._answer(context, outcome, seconds)
            if answer.citations:
                self.log.emit(Cited(answer.citations))
            status = cast("RunStatus", outcome.status)
            self.log.emit(RunFinished(status, answer.response, usage, seconds, outcome.reason))
        self.run.status = outcome.status
        try:
            await self._database.write(_end, self.run, await self.log.finish(), answer, error)
            self.answer = answer
        finally:
            self.log.close()

    def _answer(self, context: RunContext, outcome: Outcome, seconds: float) -> Answer:
        text, citations = cite(outcome.answer, context.sources.passages)
        response = formatted(text, citations, self._format, self._ask.language)
        _settle(self.log, response)
        metadata = {
            "thread_id": self.run.session_id,
            "run_id": self.run.id,
            "team": self._team.name,
            "agents": context.agents,
            "tools_used": list(dict.fromkeys(c["name"] for c in context.tool_calls)),
            "execution_time": seconds,
            "usage": context.usage.as_dict(),
        }
        if outcome.reason:
            metadata["reason"] = outcome.reason
        quoted = [c.as_dict() for c in citations]
        return Answer(response, context.tool_calls, quoted, status=outcome.status, metadata=metadata)

    def _seconds(self) -> float:
        return round(asyncio.get_running_loop().time() - self._started, 3)


def _failed(error: DureError) -> Outcome:
    return Outcome("failed", "", error={"code": error.code, "details": error.details})


def _settle(run_log: RunLog, response: str) -> None:
    """Make the streamed answer equal the response, also when citing or formatting changed it."""
    run_log.flush()
    spoken: dict[str, str] = {}
    for event in run_log.events:
        if isinstance(event, TextRetracted):
            spoken.pop(event.message_id, None)
        elif isinstance(event, TextDelta) and not event.work_id:
            spoken[event.message_id] = spoken.get(event.message_id, "") + event.text
    if "".join(spoken.values()) == response:
        return
    for message_id in spoken:
        run_log.emit(TextRetracted(message_id))
    run_log.emit(TextDelta("answer", response))


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await `work` even when cancelled meanwhile: an end is stored whole or the run is left open."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue
    task.result()


def _end(
    connection: sa.Connection, run: Run, events: list[Stored], answer: Answer | None, error: dict[str, Any] | None
) -> None:
    run_rows.append_events(connection, run.owner, run.id, events)
    run_rows.end(connection, run.owner, run.id, run.status, answer.as_dict() if answer else None, error)
    if answer is not None:
        session_rows.add_message(
            connection, run.owner, run.session_id, run.id, "assistant", answer.response, answer.citations
        )
