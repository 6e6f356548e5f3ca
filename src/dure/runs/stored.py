"""Runs as they are stored: a run as users see it, its answer, and its events while whichever process reports them."""

from collections.abc import AsyncGenerator, Sequence
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from dure.agents import Journal
from dure.errors import Interrupted, existing, restore
from dure.events import ENDED, Event, ModelCalled, RunResumed, RunWaiting, ToolFinished, decode
from dure.language import language_of_message
from dure.messages import Usage
from dure.runs import decisions as people
from dure.runs.answer import AnswerRecord
from dure.storage import Database
from dure.storage import runs as run_rows

Row = dict[str, Any]
FURTHER = (ModelCalled, ToolFinished, RunWaiting)
"""Once one of these is new to its record a run has got further."""


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
    """The answer of a run that has ended or waits for `approvals`. used: see `usage_of`. Raises the typed error of one
    that failed."""
    language, error = language_of_message(row["message"]), row["error"]
    if error is not None:
        raise restore(error["code"], error["details"], {language: error["message"]})
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
