"""One run while this process works on it: from its message to the stored end, or to where it has to wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, cast

import sqlalchemy as sa

from dure.agents import FORMAT, Outcome, RunContext, way_of
from dure.agents.citing import cited
from dure.agents.claimed import claimed, in_the_past
from dure.errors import DureError, LostRun, OverBudget, SettingsError, UnknownModel, UnknownTeam, restore
from dure.events import (
    Cited,
    Event,
    Planned,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStatus,
    RunWaiting,
    TextDelta,
    TextRetracted,
    ToolFinished,
)
from dure.knowledge.cite import Cited as CitedText
from dure.knowledge.claims import negated
from dure.knowledge.sentences import sentences
from dure.language import language_of_talk
from dure.markdown import opened
from dure.messages import user
from dure.models import Models
from dure.runs import decisions
from dure.runs.answer import AnswerRecord, formatted
from dure.runs.history import History
from dure.runs.log import Recorder, RunLog
from dure.storage import Database
from dure.storage import approvals as approval_rows
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.storage.runs import Stored
from dure.storage.terms import terms
from dure.teams import Team
from dure.texts import TEXTS

log = logging.getLogger(__name__)
_failed = logging.getLogger("dure.runs.failed")
_failed.addHandler(logging.NullHandler())  # who asks hears of it: without a log nobody is told twice
_OWN = TEXTS["runs_answer"]
_NEARLY = 0.75
"""Of the words of a sentence that another says, too."""
_BETWEEN = "\n\n\x1e\n\n"
"""Stands between texts that are cited as one."""


@dataclass(slots=True)
class Run:
    """A run that was started."""

    id: str
    session_id: str
    owner: str
    team: str
    status: str
    created_at: str

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        """The run that a row tells of."""
        return cls(**{each.name: row[each.name] for each in fields(cls)})


class ActiveRun:
    """`work` answers the message; however it ends, the end is stored if it can be, and the log closed.

    row: the run as it is stored. recorded: the events of a run that goes on.
    """

    def __init__(
        self,
        row: dict[str, Any],
        database: Database,
        recorder: Recorder,
        approval_hours: float,
        history: History,
        recorded: Sequence[Event] = (),
    ) -> None:
        self.run = run = Run.of(row)
        self.message: str = row["message"]
        self.options: dict[str, Any] = row["options"]
        self.history = history
        self.language = language_of_talk([*history.turns, user(self.message)]) or "ko"
        self.log = RunLog(recorder, run.owner, run.id, recorded)
        self.released = False
        """The process closes: when the work is cancelled, the run is left to whoever takes it up."""
        self.refused = ""
        """What people said, where they refused all that it waited for."""
        self._database = database
        self._executor: str = row["executor"]
        self._approval_hours = approval_hours
        self._started = asyncio.get_running_loop().time()
        own = recorded[row["options"].get("from", {}).get("events", 0) :]
        self._before = sum(each.seconds for each in own if isinstance(each, RunWaiting))
        """Seconds that it was worked on before it waited for people."""
        self._checks: list[dict[str, Any]] | None = None
        self.answer: AnswerRecord | None = None
        if not recorded:
            began_with = history.summary, history.summarized_to, history.budget
            self.log.emit(RunStarted(run.id, run.session_id, run.team, self.message, FORMAT, *began_with))

    def choose(self, context: RunContext, models: Models, team: Team, way: str) -> None:
        """The models of the run: that which was named for all, else the team's and its agents' own. Raises
        UnknownModel, and SettingsError for one that cannot be opened."""
        named = self.options.get("model")
        context.line = models.line(named or team.model)
        context.model = models[context.line[0]]
        context.way = way_of(context.model, way)
        context.history = self.history.turns if context.way.decides else context.history
        own = [] if named else [agent for agent in team.agents if agent.model]
        context.lines = {agent.name: models.line(agent.model) for agent in own}

    async def work(self, context: RunContext, answering: Callable[[], Awaitable[Outcome]]) -> None:
        """Let `answering` answer within `context`, and store how it ended; as `conclude`."""
        answer, refused = None, ""
        try:
            outcome = await answering()
            if outcome.error is not None and outcome.error["code"] == OverBudget.code:
                # What was written before stands.
                parts = _written(self.log).strip(), context.own(restore(**outcome.error).message(self.language))
                outcome = Outcome("stopped", "\n\n".join(filter(None, parts)), OverBudget.code)
            if outcome.error is None and outcome.status in ("completed", "stopped"):
                outcome.answer = opened(outcome.answer)
                self._tell_declined(context, outcome)
                if self.options.get("images") and context.seen is None:
                    context.unseen("unlooked")
                whole = _BETWEEN.join(each.replace("\x1e", " ") for each in (outcome.answer, *outcome.beside))
                held = await cited(context, whole)
                text, *outcome.beside = held.text.split(_BETWEEN)
                # A result of a type has no place for what is said below it.
                for each in await claimed(context, text) if outcome.response is None else ():
                    text = self._noted(context, text, "not_done", sentence=each)
                answer = self._answer(context, outcome, held._replace(text=text))
        except asyncio.CancelledError:
            outcome = Outcome("cancelled", "", "cancelled")
        except DureError as error:
            outcome = Outcome.failed(error)
            if self.refused and isinstance(error, UnknownTeam | UnknownModel | SettingsError):
                # Who would go on is gone, and nothing is left to be done.
                refused = context.own(f"{self.refused}\n\n{error.message(self.language)}")
                outcome = Outcome("cancelled", "", "cancelled")
        except Exception:
            log.exception("run %s failed", self.run.id)
            outcome = Outcome.failed(DureError())
        broken_off = answer is None and outcome.status != "waiting" and not self.released
        if broken_off and (text := refused or _written(self.log).strip()):
            # As much as was written stands.
            answer = self._answer(context, outcome, context.sources.cited(text, self.message))
        await to_the_end(self.conclude(context, outcome, answer))

    async def conclude(self, context: RunContext, outcome: Outcome, answer: AnswerRecord | None = None) -> None:
        """Store how the work ended and close the log. Raises what kept that from being stored; then the run has not
        ended, and its record is as far as it was stored."""
        try:
            if outcome.status == "waiting":
                await self._wait(context)
            elif outcome.status == "cancelled" and self.released:
                await self._store("queued")
            else:
                await self._end(context, outcome, answer)
        except LostRun:
            log.warning("run %s was taken over by another process", self.run.id)
        finally:
            await self.log.close()

    async def _wait(self, context: RunContext) -> None:
        asked = {(q.key, q.args_hash): q for q in context.questions}
        rows = decisions.rows_of(list(asked.values()), self.run.owner, self.run.id, self._approval_hours)
        approvals = [decisions.public(row) for row in rows]
        text = decisions.asked_text(approvals, self.language)
        answer = self._finished(context, text, [], "waiting")
        answer.approvals = approvals
        await self._store("waiting", RunWaiting(approvals, text, context.usage.as_dict(), self._seconds()), asked=rows)
        self.answer = answer

    async def _end(self, context: RunContext, outcome: Outcome, answer: AnswerRecord | None) -> None:
        usage, seconds = context.usage.as_dict(), self._seconds()
        if answer is not None and answer.citations:
            self.log.emit(Cited(answer.citations))
        if outcome.error is not None:
            failed = restore(**outcome.error)
            error = failed.as_dict(self.language)["error"]
            await self._store("failed", RunFailed(**error, usage=usage, seconds=seconds), error=error, answer=answer)
            log_failed(self.run.owner, self.run.id, failed)
            return
        status = cast("RunStatus", outcome.status)
        response = answer.response if answer else ""
        ended = RunFinished(status, response, usage, seconds, outcome.reason, context.choices, self._checks)
        await self._store(status, ended, answer=answer)
        self.answer = answer

    async def _store(self, status: str, *last: Event, answer: AnswerRecord | None = None, **more: Any) -> None:
        """Store what the log still holds with the run's new status and `more` (see `_end`), before readers see it."""
        events = await self.log.finish(*last)
        await self._database.write(_end, self.run, self._executor, events, status, answer, **more)
        self.run.status = status
        self.log.tell(*last)

    def _tell_declined(self, context: RunContext, outcome: Outcome) -> None:
        """Say below an answer which calls people did not allow: a model may speak as if they had been made. Where what
        such a call gave stands in the answer, in nearly the same words, it is said there."""
        ended = [each for each in self.log.events if isinstance(each, ToolFinished)]
        declined = {each.name for each in ended if each.status == "declined" and not _says(outcome.answer, each.text)}
        if left := declined - {each["name"] for each in context.tool_calls if each["status"] == "ok"}:
            outcome.answer = self._noted(context, outcome.answer, "declined", tools=", ".join(sorted(left)))

    def _noted(self, context: RunContext, text: str, key: str, **values: str) -> str:
        """`text` with one of Dure's own sentences below."""
        return f"{text}\n\n{context.own(_OWN.say(key, self.language, **values))}".strip()

    def _answer(self, context: RunContext, outcome: Outcome, cited: CitedText) -> AnswerRecord:
        text, citations, checks = cited
        if context.way.decides:
            # A small model's files are told in Dure's words.
            said = [self.message, *(str(each["content"]) for each in context.history), context.last_answer]
            checks = [*(checks or []), *context.sources.unknown_files(text, said)] or checks
        if context.artifacts:
            checks = [*(checks or []), *_in_files(context)] or checks
        if checks and (context.acted or context.artifacts):
            # What was done needs no source.
            checks = [each for each in checks if each["missing"] or not in_the_past(each["sentence"])]
        self._checks = checks if citations else checks or None
        response = outcome.render(text, citations, outcome.beside) if outcome.render else outcome.response
        if response is None:
            response = formatted(text, citations, context.output_format, self.language)
        _settle(self.log, response)
        cites = [each.as_dict() for each in citations]
        return self._finished(context, response, cites, outcome.status, reason=outcome.reason, checks=checks)

    def _finished(
        self, context: RunContext, response: str, citations: list[dict[str, Any]], status: str, **more: Any
    ) -> AnswerRecord:
        """more: what else the metadata tell, where there is any of it."""
        metadata = {
            "thread_id": self.run.session_id,
            "run_id": self.run.id,
            "team": self.run.team,
            "agents": context.agents,
            "tools_used": list(dict.fromkeys(c["name"] for c in context.tool_calls)),
            "execution_time": round(self._before + self._seconds(), 3),
            "usage": context.usage.as_dict(),
        }
        more |= {key: getattr(context, key) for key in ("fallbacks", "unembedded", "artifacts", "choices")}
        metadata |= {key: each for key, each in more.items() if each}
        return AnswerRecord(response, context.tool_calls, citations, [], status, metadata)

    def _seconds(self) -> float:
        return round(asyncio.get_running_loop().time() - self._started, 3)


def log_failed(owner: str, run_id: str, error: DureError | None) -> None:
    """That a run failed, if it did, whoever follows it or nobody."""
    if error is not None:
        _failed.warning("run %s of %s failed: %s: %s", run_id, owner, error.code, error)


def _in_files(context: RunContext) -> list[dict[str, Any]]:
    """The checks of what files say, of each as it was saved last."""
    of_files = [data for _, data in context.found if isinstance(data, dict) and {"name", "unsupported"} <= data.keys()]
    last = {str(each["name"]): each["unsupported"] for each in of_files}
    return [check for checks in last.values() for check in checks]


def _says(answer: str, text: str) -> bool:
    """Whether a text stands in an answer, or a sentence of this denies something in nearly the words of its first."""
    first = {*terms(next((text[start:end] for start, end in sentences(text)), ""))}
    said = [answer[start:end] for start, end in sentences(answer)]
    near = any(len(first & {*terms(each)}) >= _NEARLY * len(first) and negated(each) for each in said)
    return text in answer or near


def _settle(run_log: RunLog, response: str) -> None:
    """Make the streamed answer equal the response, also when citing or formatting changed it."""
    spoken = {message_id: text for message_id, (work_id, text) in _spoken(run_log).items() if not work_id}
    if not response.startswith(said := "".join(spoken.values())):
        said = ""
        for message_id in spoken:
            run_log.emit(TextRetracted(message_id))
    if missing := response[len(said) :]:
        # What goes on is no draft of its own: of a run that failed the last one stands.
        run_log.emit(TextDelta([*spoken][-1] if said else "answer", missing))


def _spoken(run_log: RunLog) -> dict[str, tuple[str, str]]:
    """What was streamed and stands, by message: by whose work, and the text."""
    run_log.flush()
    spoken: dict[str, tuple[str, str]] = {}
    for event in run_log.events:
        if isinstance(event, TextRetracted):
            spoken.pop(event.message_id, None)
        elif isinstance(event, TextDelta):
            before = spoken.get(event.message_id, ("", ""))[1]
            spoken[event.message_id] = (event.work_id, before + event.text)
    return spoken


def _written(run_log: RunLog) -> str:
    """What was shown of the answer before it was stopped: its last draft, else the last words of an agent alone."""
    spoken = list(_spoken(run_log).values())
    drafts = [text for work_id, text in spoken if not work_id]
    planned = any(isinstance(event, Planned) and len(event.plan["steps"]) > 1 for event in run_log.events)
    return next(iter([*drafts[::-1], *([] if planned else [text for _, text in spoken[::-1]])]), "")


async def to_the_end(work: Coroutine[Any, Any, object]) -> None:
    """Await `work` even when cancelled meanwhile: an end is stored whole or the run is left open."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue
    task.result()


def _end(
    connection: sa.Connection,
    run: Run,
    executor: str,
    events: list[Stored],
    status: str,
    answer: AnswerRecord | None = None,
    error: dict[str, Any] | None = None,
    asked: Sequence[dict[str, Any]] = (),
) -> None:
    """Store the last events of the work on a run and its status: ended, waiting for what was `asked`, or left."""
    run_rows.hold(connection, run.id, executor)
    run_rows.append_events(connection, run.owner, run.id, events)
    approval_rows.add(connection, asked)
    run_rows.leave(connection, run.owner, run.id, status, answer.as_dict() if answer else None, error)
    if answer is not None:
        session_rows.add_message(
            connection, run.owner, run.session_id, run.id, "assistant", answer.response, answer.citations
        )
