"""What a client of a model is; what is known about a model server, and where that is kept between starts."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

import sqlalchemy as sa

from dure.messages import Delta, Message
from dure.storage import DEFAULT_OWNER, now, stamp
from dure.storage.schema import model_facts as table
from dure.storage.sql import upsert
from dure.texts import Text

Kind = Literal["llama.cpp", "ollama", "vllm", "openai", "bundled", "langchain"]

FORMS = "calls "
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
    """What `dialect` was concluded from, for `dure doctor`: a `Text`, or in English alone what a server said."""
    context: int | None = None
    """Tokens of prompt and reply together; None where the server does not tell."""
    without: dict[str, str] = field(default_factory=dict)
    """What it does not take (`refusals.CHANGES`), each with what it said against it."""
    written: dict[str, str] | None = None
    """The delimiters of calls in the model's chat template, where the table of formats does not have them."""
    thinks: bool = False
    """The template's prompt opens the model's reasoning, so that replies begin inside of it."""


class Client(Protocol):
    """Anything that streams a model's reply."""

    model: str
    place: str
    """Where it is asked, for messages and for what is kept about it."""

    def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """The reply to `body` (chat completions, without `model`) in fragments; the last has the usage. It is streamed
        unless `stream` is False.

        Raises ModelUnavailable, ModelTimeout, ModelRefused or ModelError."""
        ...

    async def ready(self) -> None:
        """Raises what `stream` would raise if it cannot answer at all; starts what has to be started."""
        ...

    async def resolve(self) -> str:
        """The model's name, from then on in `model`: the server is asked where none was given. Raises what `stream`
        would."""
        return self.model

    async def facts(self) -> Facts:
        """Find out what the model can do. Raises what `stream` would."""
        ...

    async def read(self, head: Sequence[Message]) -> None:
        """Have our own engine read the first messages of a request ahead of it, and keep it. Raises as `stream`."""
        return

    async def close(self) -> None: ...


def load(connection: sa.Connection, server: str, model: str) -> Facts | None:
    """The facts found less than `KEPT` ago, or None."""
    found = _found(connection, server, model, stamp(datetime.now(UTC) - KEPT))
    try:
        return Facts(**found) if found else None
    except TypeError:
        # Written by another version.
        return None


def forms(connection: sa.Connection, server: str, model: str) -> dict[str, int]:
    """How often calls of that model on that server came in which form, by what read them."""
    return _found(connection, f"{FORMS}{server}", model)


def _found(connection: sa.Connection, server: str, model: str, since: str = "") -> dict[str, Any]:
    mine = (table.c.owner == DEFAULT_OWNER, table.c.server == server[:512], table.c.model == model[:256])
    query = sa.select(table.c.facts).where(*mine, table.c.found_at > since)
    return {key: _read(value) for key, value in (connection.execute(query).scalar() or {}).items()}


def keep(connection: sa.Connection, server: str, model: str, value: dict[str, Any]) -> None:
    """Keep facts, or under `FORMS` before the server's name how calls came, in place of what was known."""
    place = {"server": server[:512], "model": model[:256]}
    facts = {key: _written(each) for key, each in value.items()}
    upsert(connection, table, place, {"owner": DEFAULT_OWNER, "facts": facts, "found_at": now()})


def _written(value: Any) -> Any:
    """Facts as JSON has them: of a `Text` both languages."""
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    return {"en": str(value), "ko": value.ko} if isinstance(value, Text) else value


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return Text(**value) if value.keys() == {"en", "ko"} else {key: _read(each) for key, each in value.items()}
