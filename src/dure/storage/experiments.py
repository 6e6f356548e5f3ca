"""Queries on runs as experiments: what they used, how long they took, what people think of them."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from dure.storage.database import now
from dure.storage.schema import run_events, runs
from dure.storage.sql import among

Row = dict[str, Any]
_KINDS = ("model_called", "run_finished", "run_failed", "run_waiting")


def used(connection: sa.Connection, owner: str, run_ids: Sequence[str]) -> list[Row]:
    """What tells what runs used, their calls of models and the ends of work on them: `run_id, kind, model,
    prompt_tokens, completion_tokens, seconds`."""
    data = run_events.c.data
    query = sa.select(
        run_events.c.run_id,
        run_events.c.kind,
        data["model"].as_string().label("model"),
        data["prompt_tokens"].as_integer().label("prompt_tokens"),
        data["completion_tokens"].as_integer().label("completion_tokens"),
        data["seconds"].as_float().label("seconds"),
    ).where(run_events.c.owner == owner, among(run_events.c.run_id, run_ids), run_events.c.kind.in_(_KINDS))
    return [dict(row) for row in connection.execute(query).mappings()]


def rate(connection: sa.Connection, owner: str, run_id: str, rating: int, comment: str | None) -> None:
    """Give a run a rating instead of the one it had."""
    values = {"rating": rating, "rating_comment": comment, "rated_at": now()}
    mine = sa.update(runs).where(runs.c.owner == owner, runs.c.id == run_id)
    connection.execute(mine.values(**values))
