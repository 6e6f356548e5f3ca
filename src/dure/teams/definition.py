"""What a team is: some agents and the way they work together. Data, not code."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from dure.agents import Agent, Outcome, RunContext
from dure.agents.definition import Definition
from dure.agents.short import SHORT_WAYS
from dure.events import Routed
from dure.models import Embedder
from dure.registry import Registry, UnknownName, late
from dure.teams.stages import METHODS
from dure.toolsets.arguments import refused

MOST_STAGES = 4
Place = tuple[str | int, ...]
"""Keys and indices that lead to a value of a team."""


def alone(team: "Team") -> None:
    """Refuse what only router and solo teams have, and pipelines where nobody routes. Raises ValueError."""
    if team.pipelines and team.kind != "supervisor":
        raise ValueError("pipelines belong to a router or a supervisor team")
    if any(a.method != "loop" or a.fallback for a in team.agents):
        raise ValueError("methods and fallbacks belong to a router team")
    _no_result(team)


def _no_result(team: "Team") -> None:
    if team.result is not None and team.kind != "solo":
        raise ValueError("a result belongs to a solo team")


@dataclass(frozen=True, slots=True)
class Kind:
    """How teams of a kind work.

    play: answers the message of a run. A run that goes on is played again from its start, and what is recorded is not
    done again: so ids may count, but must not depend on time or chance. decide: who would work on a message, without
    letting anybody; None: nobody is chosen. check: raises ValueError, in a sentence, for a team that cannot be of
    this kind. prepare: what takes long and can be done ahead of the first question.
    """

    play: "Callable[[Team, RunContext], Awaitable[Outcome]]"
    decide: "Callable[[Team, RunContext], Awaitable[Routed]] | None" = None
    check: "Callable[[Team], None]" = alone
    prepare: "Callable[[Team, Embedder | None], Awaitable[None]] | None" = None


class Pipeline(Definition):
    """Agents that work one after another, each with the results of those before it."""

    agents: list[str] = Field(min_length=2, max_length=MOST_STAGES)
    examples: list[str] = Field(min_length=1)
    """Questions that are answered so; routing compares new questions with them."""


class Team(Definition):
    """A team as data: written in Python, or in a TOML or YAML file with the same keys.

    Team(name="help", kind="supervisor", description="…", agents=[Agent(…), Agent(…)])
    """

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,47}$")
    kind: str
    """solo: its one agent answers. supervisor: routes to agents, forwards or composes their answers.
    planner: makes a plan of steps for its agents, has them worked on, puts the results together.
    router: one decision gives one to four agents that work one after another; the last writes the answer.
    Others are added to `dure.teams.KINDS`."""
    title: str = ""
    """What people call it, as an agent's."""
    description: str = Field(min_length=1)
    agents: list[Agent] = Field(min_length=1, max_length=20)
    prompt: str = ""
    """Of the supervisor: what the team is for, when to use whom, when to answer itself."""
    examples: list[str] = Field([])
    """Questions to show to a newcomer."""
    direct: list[str] = Field([])
    """Messages that the supervisor answers itself, such as greetings."""
    model: str | None = None
    """The name of the model that it is asked with, of the settings' `models`, where nobody chooses one."""
    result: dict[str, Any] | None = None
    """Of a solo team: a JSON Schema. The answer is then JSON of it, made from what its agent said."""
    max_rounds: int = Field(4, ge=1, le=20)
    """How often the supervisor may delegate in one run."""
    max_steps: int = Field(12, ge=1, le=12)
    """Steps of a plan."""
    pipelines: list[Pipeline] = Field([])
    """Of a router or supervisor team: which agents can follow one another; each agent alone is always possible."""

    @field_validator("result")
    @classmethod
    def _is_a_schema(cls, result: dict[str, Any] | None) -> dict[str, Any] | None:
        if result is not None and (fault := refused(result)):
            raise ValueError(f"no JSON Schema that results can be checked against: {fault}")
        return result

    @field_validator("agents")
    @classmethod
    def _names_once(cls, agents: list[Agent]) -> list[Agent]:
        names = [a.name for a in agents]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice:
            raise ValueError(f"two agents are named '{twice}'")
        return agents

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        names = [a.name for a in self.agents]
        for name in (name for pipeline in self.pipelines for name in pipeline.agents if name not in names):
            raise ValueError(f"a pipeline names '{name}', but there is no such agent")
        # A kind that is not known yet may be of a pack: `fault_of` asks once these have said what they bring.
        if self.kind in KINDS:
            KINDS[self.kind].check(self)
        return self

    def agent(self, name: str) -> Agent:
        """The agent of that name; KeyError when there is none."""
        return {a.name: a for a in self.agents}[name]


def fault_of(team: Team) -> tuple[Place, str] | None:
    """What the team names and nobody knows (a kind, a method, a way), or what its kind refuses: the place in it and a
    sentence. It is asked once the packs that are on have said what they bring."""
    try:
        KINDS[team.kind].check(team)
    except UnknownName as unknown:
        return ("kind",), str(unknown)
    except ValueError as error:
        return (), str(error)
    for number, agent in enumerate(team.agents):
        for key, registry, name in (("method", METHODS, agent.method), ("short", SHORT_WAYS, agent.short)):
            try:
                if name is not None:
                    registry.check(name)
            except UnknownName as unknown:
                return ("agents", number, key), f"'{agent.name}': {unknown}"
    return None


def _one_agent(team: Team) -> None:
    alone(team)
    if len(team.agents) != 1:
        raise ValueError("a solo team has exactly one agent")


def _nobody_is_the_person(team: Team) -> None:
    alone(team)
    if any(a.name == "hitl" for a in team.agents):
        raise ValueError("'hitl' is the person: no agent can have that name")


def _can_route(team: Team) -> None:
    _no_result(team)
    names = [a.name for a in team.agents]
    for agent in team.agents:
        if agent.fallback is not None and (agent.fallback not in names or agent.fallback == agent.name):
            raise ValueError(f"'{agent.name}': its fallback has to be another agent of the team")


def _routing(module: str, check: Callable[[Team], None], deciding: str = "") -> Kind:
    """A kind whose teams are routed by their examples, which are learnt ahead."""
    play, decide = late(f"dure.teams.{module}:play"), late(f"dure.teams.{deciding or module}:decide")
    return Kind(play, decide, check, late("dure.teams.who.learning:prepare"))


KINDS: Registry[Kind] = Registry(
    "kind of team",
    {
        "solo": Kind(late("dure.teams.solo:play"), late("dure.teams.solo:decide"), _one_agent),
        "supervisor": _routing("supervisor", alone),
        "planner": _routing("planner", _nobody_is_the_person),
        "router": _routing("router", _can_route, "who.choosing"),
    },
)
"""How the agents of a team work together, by the names that team files use: `KINDS.add("relay", Kind(play))`. Most
commands let no team play, so how they play is loaded when the first one does."""
