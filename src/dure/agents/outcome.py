"""How a piece of work ended."""

from dataclasses import dataclass
from typing import Any, Self

from dure.errors import DureError


@dataclass(slots=True)
class Outcome:
    """`status`: completed, stopped (a limit; the answer is partial, `reason` says why), cancelled (partial too), failed
    (`error`), or waiting (for what stands in the run's `questions`; played again once that is decided)."""

    status: str
    answer: str
    reason: str | None = None
    error: dict[str, Any] | None = None
    """Code and details, as `errors.restore` takes them."""
    response: str | None = None
    """The answer in the wanted format, where it is no plain text with sources."""
    in_vain: bool = False
    """Tools were called, and each call failed: the answer tells of nothing that they gave."""
    found: bool = True
    """Whether it is an answer at all; else it says that what was looked at holds none."""

    @classmethod
    def failed(cls, error: DureError) -> Self:
        """The outcome of work that failed with `error`."""
        return cls("failed", "", error=error.kept())
