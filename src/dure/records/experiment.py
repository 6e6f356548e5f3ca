"""Every run is an experiment: what was asked, decided, searched and used for an answer."""

from dataclasses import asdict, dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(slots=True)
class ModelUse:
    """One call of the model."""

    purpose: str
    """route, work, answer, compose, summary …"""
    agent: str
    model: str
    dialect: str
    system: str
    """The system prompt."""
    user: str
    """The user's prompt: the last message of the user's role."""
    final: list[Json]
    """The final prompt: all messages, as they were sent."""
    options: Json
    """The rest of the request: temperature, tools, response_format …"""
    reply: Json
    """`content`, `reasoning`, `tool_calls`, `finish_reason` …"""
    at: str
    """When it ended."""
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    repaired: bool
    error: str | None
    taken: bool = False
    """Taken over from another run, which had the expense."""


@dataclass(slots=True)
class Routing:
    """A decision on who works. `agents`: in order; none when the team answers itself."""

    agents: list[str]
    how: str
    scores: dict[str, float]
    at: str


@dataclass(slots=True)
class ToolUse:
    """One call of a tool. `status`: ok, error, timeout, declined, or running where its end is not recorded."""

    call_id: str
    name: str
    agent: str
    args: Json
    at: str
    """When it ended, or began where it has not."""
    status: str = "running"
    seconds: float = 0.0
    text: str = ""
    passages: list[Json] = field(default_factory=list)
    """`{document_id, title, page, score, text …}` each."""
    data: Any = None
    taken: bool = False
    """Taken over from another run, which made it."""


@dataclass(slots=True)
class Query:
    """What was looked for. `kind`: sql, or search (by words and, where `arms` says so, by vectors)."""

    kind: str
    text: str
    """The SQL, or the phrasing that was searched with."""
    tool: str
    agent: str
    call_id: str
    status: str
    seconds: float
    found: int | None
    """Rows or passages of the call."""
    arms: Json | None = None
    """What each arm of a search saw: `dense` (whether vectors took part), `evidence`, the best passages' scores."""


@dataclass(slots=True)
class Experiment:
    """A run as an experiment. Times: ISO 8601 UTC. `seconds`: without waiting for people. `cost`: None: not known."""

    run_id: str
    session_id: str
    experiment: str | None
    team: str
    level: str | None
    output_format: str | None
    status: str
    created_at: str
    ended_at: str | None
    question: str
    answer: str
    citations: list[Json]
    agents: list[str]
    models: list[str]
    dialects: list[str]
    routing: list[Routing]
    prompts: list[ModelUse]
    tools: list[ToolUse]
    queries: list[Query]
    approvals: list[Json]
    """Each with its `decision`, where there is one."""
    artifacts: list[Json]
    errors: list[Json]
    """`{source, message}` each, in order: of the run, its agents, models and tools."""
    notices: list[str]
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float | None
    cost: float | None
    currency: str
    rating: int | None
    rating_comment: str | None
    rated_at: str | None

    def as_dict(self) -> Json:
        return asdict(self)

    @property
    def pipeline(self) -> list[str]:
        """Who was chosen, over all decisions, in order."""
        return [agent for each in self.routing for agent in each.agents]
