"""What happens in a run, as small typed events.

Nodes report these; the record, the terminal, the page and the HTTP stream all read the same ones. They are
plain dataclasses of JSON-like values: `encode` and `decode` are exact inverses, so a stored run replays as it was.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from dure.sources import flat, placed

RunStatus = Literal["queued", "running", "waiting", "completed", "stopped", "failed", "cancelled"]
ENDED: frozenset[str] = frozenset({"completed", "stopped", "failed", "cancelled"})

_KINDS: "dict[str, type[Event]]" = {}
"""The events by kind."""


@dataclass(slots=True)
class Event:
    """Base; `kind` names the event in storage."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, kind: str = "") -> None:
        # Once more, without it, for the class with slots that `dataclass` makes of the first.
        cls.kind = kind or cls.kind
        _KINDS[cls.kind] = cls


@dataclass(slots=True)
class RunStarted(Event, kind="run_started"):
    run_id: str
    session_id: str
    team: str
    message: str
    format: int = 1
    """Of the record (`agents/journal.py`)."""
    summary: str | None = None
    summarized_to: int | None = None
    """What the session's history was read with, and is read with again; None of both where that was not recorded."""
    history_tokens: int | None = None
    """The budget in which it was read; None where that was not recorded: then an answer beyond it is left out."""


@dataclass(slots=True)
class Routed(Event, kind="routed"):
    """Who was chosen to work. `how`: `examples` (they are sure), `model`, `evidence` (of documents), `person` (who
    chose, or is asked: then the first of the scores is the likeliest), `tried` (one after another until one finds an
    answer), or `rule`. `request`: what is to be done, where the message alone does not say it. `effect`: a model says
    that something is to be changed or sent, and none of the agents is there for that alone."""

    agents: list[str]
    how: str
    scores: dict[str, float] = field(default_factory=dict)
    request: str = ""
    effect: bool = False


@dataclass(slots=True)
class AgentStarted(Event, kind="agent_started"):
    """`work_id` tells several pieces of work apart, also by the same agent."""

    work_id: str
    agent: str
    task: str


@dataclass(slots=True)
class AgentFinished(Event, kind="agent_finished"):
    work_id: str
    agent: str
    status: str
    error: str | None = None


@dataclass(slots=True)
class TextDelta(Event, kind="text"):
    """A fragment of the answer. Text of the same `message_id` belongs together."""

    message_id: str
    text: str
    work_id: str = ""


@dataclass(slots=True)
class TextRetracted(Event, kind="text_retracted"):
    """What was streamed as `message_id` is not the answer after all (a call followed, or a check failed)."""

    message_id: str
    work_id: str = ""


@dataclass(slots=True)
class ReasoningDelta(Event, kind="reasoning"):
    message_id: str
    text: str
    work_id: str = ""


@dataclass(slots=True)
class ToolStarted(Event, kind="tool_started"):
    call_id: str
    name: str
    args: dict[str, Any]
    agent: str
    work_id: str = ""
    effect: str = ""
    """The tool's effect class; empty where there is no such tool."""
    by: str = ""
    """Where it stands whether it was handed to its tool (`storage/calls.py`)."""


@dataclass(slots=True)
class ToolTold(Event, kind="tool_told"):
    """How a call gets on, as its tool tells it."""

    call_id: str
    text: str
    work_id: str = ""


@dataclass(slots=True)
class ToolFinished(Event, kind="tool_finished"):
    """`status`: ok, error, timeout, or declined (by a person, or for want of one)."""

    call_id: str
    name: str
    status: str
    text: str
    seconds: float
    agent: str
    work_id: str = ""
    passages: list[dict[str, Any]] = field(default_factory=list)
    """What was found in documents or pages (`sources.Passage` as dictionaries)."""
    data: Any = None
    """The tool's own extra for the record and the page."""
    images: list[str] = field(default_factory=list)
    """Names of pictures that it gave, as the model gets to see them."""
    places: list[dict[str, Any]] = field(default_factory=list)
    """What in documents the text was made of, as `passages`."""

    @property
    def result(self) -> str:
        """The result as people read it: its text, then the passages with their places."""
        found = [f"{placed(p, 'en')}\n{p['text']}" for p in self.passages]
        return "\n\n".join(filter(None, [self.text, *found]))


@dataclass(slots=True)
class ModelCalled(Event, kind="model_called"):
    """One request to the model and its reply, whole; for the record."""

    purpose: str
    """route, work, answer, compose, summary …"""
    model: str
    dialect: str
    request: dict[str, Any]
    reply: dict[str, Any]
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    agent: str = ""
    work_id: str = ""
    repaired: bool = False
    error: str | None = None
    ask_id: str = ""
    """Which of the run's questions to the model it was: the same when the run is played again."""
    asked: str = ""
    """The question's digest (`agents/journal.py`)."""
    failure: dict[str, Any] = field(default_factory=dict)
    """Of an error, code and details as `errors.restore` takes them."""
    cached_tokens: int = 0
    """Of the prompt's, those that the server had read before."""
    reasoning_tokens: int = 0
    """Of the completion's, those of thoughts."""


@dataclass(slots=True)
class Planned(Event, kind="planned"):
    """A plan was made or mended: `{"total_steps", "steps": [{step, agent, task, depends_on, requires_approval,
    estimated_time, status, seconds}]}`; a step's status: waiting, working, done, failed or skipped."""

    plan: dict[str, Any]


@dataclass(slots=True)
class StepChanged(Event, kind="step_changed"):
    """A step of the plan got further. `seconds` is known at its end."""

    step: int
    status: str
    seconds: float | None = None
    work_id: str = ""


@dataclass(slots=True)
class Sourced(Event, kind="sourced"):
    """A passage got its number: `[number]` means this place from here on, also when the run is played again."""

    number: int
    place: list[Any]
    """Document id, start and end."""


@dataclass(slots=True)
class ArtifactMade(Event, kind="artifact"):
    """A file was made and kept: `{id, name, media_type, size, agent}`."""

    artifact: dict[str, Any]


@dataclass(slots=True)
class RunWaiting(Event, kind="run_waiting"):
    """The run waits for people; work goes on when all `approvals` are decided. The last event until then."""

    approvals: list[dict[str, Any]]
    response: str
    usage: dict[str, int]
    seconds: float


@dataclass(slots=True)
class RunResumed(Event, kind="run_resumed"):
    """Work goes on (`why`): after decisions (decided), its process's closing (restarted), or its dying or a break
    (recovered); or begins only here (branched): what stands before was taken over from the run `run_id`."""

    why: str
    decisions: list[dict[str, Any]] = field(default_factory=list)
    """`{approval_id, action, args, message}` each."""
    run_id: str = ""


@dataclass(slots=True)
class Cited(Event, kind="cited"):
    """The citations of the answer so far, each checked against its document."""

    citations: list[dict[str, Any]]


@dataclass(slots=True)
class Notice(Event, kind="notice"):
    """Something a user should know: a server that is down, a search without embeddings, a switched dialect."""

    code: str
    text: str


@dataclass(slots=True)
class RunFinished(Event, kind="run_finished"):
    """The end of a run that was not a failure. `response`: the whole answer; `choices`: what the person is to choose
    from, `{number, agents, text}` each; `checks`: `{sentence, missing}` of what is less sure, None: not checked."""

    status: RunStatus
    response: str
    usage: dict[str, int]
    seconds: float
    reason: str | None = None
    choices: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] | None = None


@dataclass(slots=True)
class RunFailed(Event, kind="run_failed"):
    code: str
    message: str
    usage: dict[str, int]
    seconds: float
    details: dict[str, Any] = field(default_factory=dict)


Emit = Callable[[Event], None]
"""How a node reports; never blocks."""


def encode(event: Event) -> tuple[str, dict[str, Any]]:
    """The event's kind and its fields as JSON-like values."""
    return event.kind, flat(event)


def decode(kind: str, values: dict[str, Any]) -> Event:
    """The event that `encode` took apart. Raises KeyError for a kind that does not exist."""
    return _KINDS[kind](**values)
