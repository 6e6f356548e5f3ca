"""Runs as they are stored: as users see them, their answers (the body of `POST /v1/chat`), and their events while
whichever process reports them."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from dure.agents import Journal, OutputFormat
from dure.errors import Interrupted, Language, existing, restore
from dure.events import ENDED, Event, ModelCalled, RunResumed, RunWaiting, ToolFinished, decode
from dure.language import language_of_message
from dure.messages import Usage, json_bytes, well_formed
from dure.runs import decisions as people
from dure.sources import Citation, flat, placed
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.texts import TEXTS

Row = dict[str, Any]
FURTHER = (ModelCalled, ToolFinished, RunWaiting)
"""Once one of these is new to its record a run has got further."""
_SOURCES = TEXTS.one("runs_answer.sources")


@dataclass(slots=True)
class AnswerRecord:
    """An answer: its text, its citations, what was done for it."""

    response: str
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    """`{name, args, agent, status}` each, in the order they ended."""
    citations: list[dict[str, Any]] = field(default_factory=list)
    approvals: list[dict[str, Any]] = field(default_factory=list)
    """What it waits for: `{id, kind, title, agent, tool, args, schema, actions, args_hash, expires_at …}` each."""
    status: str = "completed"
    metadata: dict[str, Any] = field(default_factory=dict)
    """`thread_id, run_id, team, agents, tools_used, execution_time, usage`, and where there are any: `reason` (it
    stopped), `artifacts` (`{id, name, media_type, size, agent}` each), `fallbacks` (models that failed: `{model, asked,
    code, message}` each), `unembedded` (documents that had no vectors yet), `checks` of `knowledge.cite`."""

    def as_dict(self) -> dict[str, Any]:
        return flat(self)


def formatted(text: str, citations: list[Citation], output_format: OutputFormat, language: Language) -> str:
    """The response in the wanted format. json: `{"answer", "sources"}`, always valid; markdown: sources below."""
    if output_format == "json":
        sources = [c.as_dict() for c in citations]
        return json_bytes({"answer": text, "sources": sources}).decode()
    if output_format == "markdown" and citations:
        # A title may come from a file's name, which need not be UTF-8.
        lines = [f"- [{c.marker}] {placed(c.as_dict(), language)}: “{' '.join(c.quote.split())}”" for c in citations]
        return well_formed(f"{text}\n\n## {_SOURCES[language]}\n\n" + "\n".join(lines))
    return text


async def row_of(database: Database, owner: str, run_id: str) -> Row:
    """The run's row. Raises NotFound."""
    return existing(await database.read(run_rows.get, owner, run_id), "run", run_id)


def public(row: Row) -> Row:
    """A run as users see it: without the owner and without which process works on it."""
    kept = ("id", "session_id", "team", "status", "message", "answer", "error", "created_at", "ended_at", "options")
    rating = {"rating": row["rating"], "comment": row["rating_comment"], "rated_at": row["rated_at"]}
    more = {"experiment": row["experiment"], "rating": rating if row["rating"] is not None else None}
    return {key: row[key] for key in kept} | more


def usage_of(used: Sequence[Row]) -> Usage:
    """What the models' calls among what `storage.runs.used` gives took."""
    rows = [row for row in used if row["kind"] == "model_called"]
    return Usage(len(rows), *(sum(row[key] for row in rows) for key in run_rows.TOKENS))


def answer_of(row: Row, approvals: Sequence[Row], used: Sequence[Row]) -> AnswerRecord:
    """The answer of a run that ended or waits for `approvals`. used: see `usage_of`. Raises a failed one's error."""
    language, error = language_of_message(row["message"]), row["error"]
    if error is not None:
        failed = restore(error["code"], error["details"], {language: error["message"]})
        failed.run_id = row["id"]
        raise failed
    if row["answer"] is not None:
        return AnswerRecord(**row["answer"])
    metadata: Row = {"thread_id": row["session_id"], "run_id": row["id"], "team": row["team"]}
    metadata |= {"execution_time": sum(each["seconds"] for each in used if each["kind"] != "model_called")}
    metadata |= {"usage": usage_of(used).as_dict()}
    answer = AnswerRecord("", status=row["status"], metadata=metadata)
    if row["status"] == "waiting":
        answer.approvals = list(approvals)
        answer.response = people.asked_text(answer.approvals, language)
    return answer


def in_vain(recorded: Sequence[Event]) -> int:
    """How often a run was taken over since it last got further."""
    fresh = takewhile(lambda event: not isinstance(event, FURTHER), reversed(recorded))
    return sum(isinstance(event, RunResumed) and event.why == "recovered" for event in fresh)


def interrupted(stored: Sequence[tuple[int, str, str, Row]]) -> Interrupted:
    """The error of a run that nobody goes on with, of its stored events."""
    try:
        return Journal(decode(kind, data) for _, kind, _, data in stored).interrupted()
    except Exception:
        # Perhaps of a newer version.
        return Interrupted()


async def follow(database: Database, owner: str, run_id: str, after: int) -> AsyncGenerator[tuple[int, Event], None]:
    """The events after number `after` as they come into the database, until the run has ended, waits, or is gone."""
    changes = database.changes(run_id)
    try:
        while True:
            status, stored = await database.read(_status_and_events, owner, run_id, after)
            for seq, kind, _at, data in stored:
                after = seq
                yield seq, decode(kind, data)
            if status is None or status in ENDED or status == "waiting":
                return
            await changes.wait()
    finally:
        changes.close()


def _status_and_events(connection: sa.Connection, owner: str, run_id: str, after: int) -> tuple[str | None, Any]:
    # The status first: a run that has ended by then has stored all its events.
    row = run_rows.get(connection, owner, run_id)
    return (row["status"] if row else None), run_rows.events(connection, owner, run_id, after)
