"""Queries on runs as experiments: what they used, how long they took, what people think of them."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.schema import run_events, runs
from dure.storage.sql import among

Row = dict[str, Any]
_ENDS = ("run_finished", "run_failed", "run_waiting")


def used(connection: sa.Connection, owner: str, run_ids: Sequence[str]) -> list[Row]:
    """What each run asked of each model: `run_id, model, calls, prompt_tokens, completion_tokens`."""
    data = run_events.c.data
    calls = (
        sa.select(
            run_events.c.run_id,
            data["model"].as_string().label("model"),
            data["prompt_tokens"].as_integer().label("prompt_tokens"),
            data["completion_tokens"].as_integer().label("completion_tokens"),
        )
        .where(run_events.c.owner == owner, among(run_events.c.run_id, run_ids), run_events.c.kind == "model_called")
        .subquery()
    )
    query = sa.select(
        calls.c.run_id,
        calls.c.model,
        sa.func.count().label("calls"),
        sa.func.sum(calls.c.prompt_tokens).label("prompt_tokens"),
        sa.func.sum(calls.c.completion_tokens).label("completion_tokens"),
    ).group_by(calls.c.run_id, calls.c.model)
    return [dict(row) for row in connection.execute(query).mappings()]


def seconds(connection: sa.Connection, owner: str, run_ids: Sequence[str]) -> dict[str, float]:
    """How long each run was worked on, the time it waited for people apart; runs at work are left out."""
    took = (
        sa.select(run_events.c.run_id, run_events.c.data["seconds"].as_float().label("seconds"))
        .where(run_events.c.owner == owner, among(run_events.c.run_id, run_ids), run_events.c.kind.in_(_ENDS))
        .subquery()
    )
    query = sa.select(took.c.run_id, sa.func.sum(took.c.seconds)).group_by(took.c.run_id)
    return {row[0]: round(row[1], 3) for row in connection.execute(query)}


def rate(connection: sa.Connection, owner: str, run_id: str, rating: int, comment: str | None) -> None:
    """Give a run a rating instead of the one it had."""
    values = {"rating": rating, "rating_comment": comment, "rated_at": now()}
    mine = sa.update(runs).where(runs.c.owner == owner, runs.c.id == run_id)
    connection.execute(mine.values(**values))
