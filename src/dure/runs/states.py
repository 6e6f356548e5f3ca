"""What is read and stored where a run begins, goes on, or ends without anybody at work on it."""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from dure.errors import DureError, SessionBusy
from dure.events import ENDED, Event, RunFailed, RunFinished, RunStarted
from dure.language import language_of_message
from dure.messages import named
from dure.runs.answer import usage_of
from dure.runs.ask import MADE_TITLE, words_of
from dure.runs.engine import Engine
from dure.runs.history import History, read_history
from dure.runs.sessions import idle, show
from dure.storage import approvals as approval_rows
from dure.storage import artifacts as artifact_rows
from dure.storage import now, shelves
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows


def begin(
    connection: sa.Connection,
    row: dict[str, Any],
    budget: int,
    definition: dict[str, Any] | None = None,
    instead_of: int | None = None,
    files: Sequence[dict[str, Any]] = (),
    engine: Engine | None = None,
    noted: Callable[[sa.Connection], None] = lambda _: None,
    then: Callable[[sa.Connection], None] = lambda _: None,
) -> History:
    """Store the message and its run; the session so far, read before them (see `read_history`). definition: the run's,
    where it is not stored yet. instead_of: the message in whose place it is asked (see `Sessions.show`). files: the
    rows of those that came with it. engine: it says who works on the run: where that is not its process the run is
    queued. noted: what else is stored with it, or raises what keeps it from being stored; then: what belongs to the
    run's row. Raises SessionBusy and TooManyRequests."""
    noted(connection)
    owner, session_id, message = row["owner"], row["session_id"], row["message"]
    if instead_of is not None:
        show(connection, owner, session_id, instead_of, instead=True)
    state = idle(connection, owner, session_id)
    if engine is not None:
        here = engine.place(connection, row, new=True)
        row |= {"status": "running", "executor": engine.id} if here else {"status": "queued", "executor": None}
    history = read_history(connection, owner, session_id, state, budget)
    try:
        session_rows.touch(connection, owner, session_id, named(words_of(message), MADE_TITLE))
        session_rows.add_message(connection, owner, session_id, row["id"], "user", message)
        if definition is not None:
            run_rows.keep(connection, row["definition"], definition)
        run_rows.insert(connection, row)
        for each in files:
            artifact_rows.put(connection, each)
        then(connection)
    except sa.exc.IntegrityError:
        # Another process began one in the same moment.
        raise SessionBusy() from None
    return history


def take(connection: sa.Connection, owner: str, run_id: str, executor: str) -> str | None:
    """Make a run at work `executor`'s, whoever had it; why it goes on, or None where it is not at work any more."""
    row = run_rows.get(connection, owner, run_id, lock=True)
    if row is None or not run_rows.take(connection, run_id, row["executor"], executor):
        return None
    return "restarted" if row["executor"] is None else "recovered"


def load(
    connection: sa.Connection, owner: str, run_id: str, budget: Callable[[dict[str, Any]], int]
) -> tuple[Any, ...]:
    """What is needed to go on with a run: its row, definition, events, approvals, the session before it, and whether
    its owner lost a shelf since it began. budget: what the history is read with of a run that begins only now."""
    row = run_rows.get(connection, owner, run_id)
    if row is None:
        return None, None, [], [], History(), False
    events = run_rows.events(connection, owner, run_id)
    session_id = row["session_id"]
    state = session_rows.state(connection, owner, session_id)
    # One that is gone through again, perhaps as a branch, asks what it asked: with the summary and budget of that time.
    began = next((data for _, kind, _, data in events if kind == RunStarted.kind), {})
    if state is not None and began.get("summarized_to") is not None:
        state = state._replace(summary=began["summary"], summarized_to=began["summarized_to"])
    known = began.get("history_tokens")
    history = read_history(
        connection, owner, session_id, state, known or budget(row), before_run=run_id, cut=bool(known or not began)
    )
    approvals = approval_rows.of_run(connection, owner, run_id)
    lost = shelves.lost(connection, owner, row["created_at"])
    return row, run_rows.definition(connection, row), events, approvals, history, lost


def end_idle(connection: sa.Connection, owner: str, run_id: str, error: DureError | None, gone: str | None) -> bool:
    """See `Working.end_idle`."""
    row = run_rows.get(connection, owner, run_id, lock=True)
    if row is None or row["status"] in ENDED:
        return row is None
    if row["executor"] not in (None, gone):
        return False
    seq = run_rows.last_seq(connection, owner, run_id) + 1
    usage = usage_of(run_rows.used(connection, owner, [run_id])).as_dict()
    if error is None:
        event: Event = RunFinished("cancelled", "", usage, 0.0, "cancelled")
        status, stored = "cancelled", None
    else:
        status, stored = "failed", error.as_dict(language_of_message(row["message"]))["error"]
        event = RunFailed(**stored, usage=usage, seconds=0.0)
    run_rows.append_events(connection, owner, run_id, [(seq, event.kind, now(), event)])
    run_rows.leave(connection, owner, run_id, status, error=stored)
    approval_rows.drop(connection, owner, run_id)
    return True
