"""How a piece of work ended."""

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Outcome:
    """`status`: completed, stopped (a limit; the answer is partial, `reason` says why) or failed (`error`)."""

    status: str
    answer: str
    reason: str | None = None
    error: dict[str, Any] | None = None
    """Code and details, as `errors.restore` takes them."""
