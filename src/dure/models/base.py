"""What a client of a model is."""

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from dure.messages import Delta
from dure.models.facts import Facts


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

    async def facts(self) -> Facts:
        """Find out what the model can do. Raises what `stream` would."""
        ...

    async def close(self) -> None: ...
