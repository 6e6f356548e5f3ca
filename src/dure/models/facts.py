"""What is known about a model server, and where it is kept between starts."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from dure.storage import DEFAULT_OWNER, now, stamp
from dure.storage.schema import model_facts as table

Kind = Literal["llama.cpp", "ollama", "vllm", "openai", "bundled", "langchain"]

_FORMS = "calls "
KEPT = timedelta(days=1)
"""Older facts are found out anew: a server may have been started with other flags since."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a model server can do. `openai` is any compatible server that does not say what it is."""

    kind: Kind
    model: str
    dialect: str
    """How tools are best offered to it."""
    why: str
    """What `dialect` was concluded from, in English, for `dure doctor`."""
    context: int | None = None
    """Tokens of prompt and reply together; None where the server does not tell."""
    json_schema: bool | None = None
    """Whether it follows a JSON Schema in `response_format`; None: not tried yet."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def load(connection: sa.Connection, server: str, model: str) -> Facts | None:
    """The facts found less than `KEPT` ago, or None."""
    since = stamp(datetime.now(UTC) - KEPT)
    found = connection.execute(sa.select(table.c.facts).where(_of(server, model), table.c.found_at > since)).scalar()
    try:
        return Facts(**found) if found else None
    except TypeError:
        # Written by another version.
        return None


def save(connection: sa.Connection, server: str, facts: Facts) -> None:
    """Keep `facts` in place of what was known of that model on that server."""
    _put(connection, server, facts.model, facts.as_dict())


def forms(connection: sa.Connection, server: str, model: str) -> dict[str, int]:
    """How often calls of that model on that server came in which form, by what read them."""
    found = connection.execute(sa.select(table.c.facts).where(_of(f"{_FORMS}{server}", model))).scalar()
    return dict(found or {})


def save_forms(connection: sa.Connection, server: str, model: str, counts: dict[str, int]) -> None:
    """Keep `counts` in place of what was known of that model's calls."""
    _put(connection, f"{_FORMS}{server}", model, counts)


def _put(connection: sa.Connection, server: str, model: str, value: dict[str, Any]) -> None:
    connection.execute(sa.delete(table).where(_of(server, model)))
    place = {"owner": DEFAULT_OWNER, "server": server[:512], "model": model[:256]}
    connection.execute(sa.insert(table).values(**place, facts=value, found_at=now()))


def _of(server: str, model: str) -> sa.ColumnElement[bool]:
    known = (table.c.server == server[:512]) & (table.c.model == model[:256])
    return (table.c.owner == DEFAULT_OWNER) & known
