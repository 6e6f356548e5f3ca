"""How a piece of work ended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from dure.errors import DureError
from dure.sources import Citation


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
    """What is shown in the answer's place: a result of a type."""
    render: Callable[[str, Sequence[Citation], Sequence[str]], str] | None = None
    """Tells the answer in the wanted format, where that is more than text with sources: from what it is once it is
    cited, its citations, and what `beside` is then, so that numbers and list come from one citing."""
    beside: Sequence[str] = ()
    """What is shown and cited together with the answer."""
    in_vain: bool = False
    """Tools were called, and each call failed: the answer tells of nothing that they gave."""
    left: Mapping[str, Any] | None = None
    """Of work that failed after calls: its conversation with their results, from which another try goes on."""
    found: bool = True
    """Whether it is an answer at all; else it says that what was looked at holds none."""

    @classmethod
    def failed(cls, error: DureError) -> Self:
        """The outcome of work that failed with `error`."""
        return cls("failed", "", error=error.kept())
