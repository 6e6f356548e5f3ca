"""What `Dure.chat` and `Dure.ask` give: an answer with its sources, as Python values.

Rows may also be asked as in the body of `POST /v1/chat`: `citation["title"]` is `citation.title`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dure.messages import Usage
from dure.runs.answer import AnswerRecord, formatted
from dure.sources import Citation, Row


@dataclass(frozen=True)
class ToolUse(Row):
    """A call that was made. `status`: ok, error, timeout or declined."""

    name: str
    args: dict[str, Any]
    agent: str
    status: str


@dataclass(frozen=True)
class Approval(Row):
    """What a run waits for: decide it with `Dure.decide`."""

    id: str
    kind: str
    """tool, step, question, or in_doubt: a tool with effects was under way when the process died."""
    title: str
    agent: str = ""
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] = field(default_factory=dict)
    """JSON Schema of the arguments, for who edits them."""
    actions: tuple[str, ...] = ()
    expires_at: str = ""
    """ISO 8601, UTC; then it counts as "no"."""


@dataclass(frozen=True)
class Artifact(Row):
    """A file that the run made: `await dure.runs.artifact(owner, run_id, id)` gives its place."""

    id: str
    name: str
    media_type: str
    size: int
    """Bytes."""
    agent: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer to a message. `str(answer)` is its text; a notebook shows it with its sources."""

    response: str
    status: str = "completed"
    """completed, stopped (a limit: partial, see `reason`), or waiting (for `approvals`)."""
    citations: tuple[Citation, ...] = ()
    tool_calls: tuple[ToolUse, ...] = ()
    """In the order they ended."""
    approvals: tuple[Approval, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """As over HTTP: `thread_id, run_id, team, agents, tools_used, execution_time, usage`."""
    value: Any = None
    """Of `Dure.ask(…, schema=…)`: the result as that type, once there is one."""
    schema: Any = field(default=None, repr=False)
    """That schema, by which `Dure.decide` gives the result of a run that waited."""

    @classmethod
    def of(cls, record: AnswerRecord) -> "Answer":
        """The answer of a run's record."""
        return cls(
            record.response,
            record.status,
            tuple(Citation(**each) for each in record.citations),
            tuple(ToolUse.of(each) for each in record.tool_calls),
            tuple(Approval.of(each) for each in record.approvals),
            tuple(Artifact.of(each) for each in record.metadata.get("artifacts", ())),
            record.metadata,
        )

    @property
    def run_id(self) -> str:
        return str(self.metadata["run_id"])

    @property
    def session_id(self) -> str:
        return str(self.metadata["thread_id"])

    @property
    def agents(self) -> tuple[str, ...]:
        """Who worked on it, in order, each once."""
        return tuple(self.metadata.get("agents", ()))

    @property
    def reason(self) -> str | None:
        """Why it stopped."""
        return self.metadata.get("reason")

    @property
    def seconds(self) -> float:
        return float(self.metadata.get("execution_time", 0.0))

    @property
    def usage(self) -> Usage:
        """Model calls and tokens."""
        return Usage(**self.metadata.get("usage", {}))

    def __str__(self) -> str:
        return self.response

    def _repr_markdown_(self) -> str:
        return formatted(self.response, list(self.citations), "markdown", "en")
