"""What a team is: some agents and the way they work together. Data, not code."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from dure.agents import Agent

Kind = Literal["solo", "supervisor", "planner", "router"]
METHODS = ("loop", "general", "search_paper", "glossary", "web_search", "summarize", "text2sql", "save_file")
"""How an agent of a router team can work."""
MOST_STAGES = 4


class Pipeline(BaseModel):
    """Agents of a router team that work one after another, each with the results of those before it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agents: list[str] = Field(min_length=2, max_length=MOST_STAGES)
    examples: list[str] = Field(min_length=1)
    """Questions that are answered so; routing compares new questions with them."""


class Team(BaseModel):
    """A team as data: written in Python, or in a TOML or YAML file with the same keys.

    Team(name="help", kind="supervisor", description="…", agents=[Agent(…), Agent(…)])
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,47}$")
    kind: Kind
    """solo: its one agent answers. supervisor: routes to agents, forwards or composes their answers.
    planner: makes a plan of steps for its agents, has them worked on, puts the results together.
    router: one decision gives one to four agents that work one after another; the last writes the answer."""
    description: str = Field(min_length=1)
    agents: list[Agent] = Field(min_length=1, max_length=20)
    prompt: str = ""
    """Of the supervisor: what the team is for, when to use whom, when to answer itself."""
    examples: list[str] = []
    """Questions to show to a newcomer."""
    direct: list[str] = []
    """Messages that the supervisor answers itself, such as greetings."""
    max_rounds: int = Field(4, ge=1, le=20)
    """How often the supervisor may delegate in one run."""
    max_steps: int = Field(12, ge=1, le=12)
    """Steps of a plan."""
    pipelines: list[Pipeline] = []
    """Of a router team: which agents can follow one another; each agent alone is always possible."""

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
        if self.kind == "solo" and len(self.agents) != 1:
            raise ValueError("a solo team has exactly one agent")
        if self.kind == "planner" and any(a.name == "hitl" for a in self.agents):
            raise ValueError("'hitl' is the person: no agent can have that name")
        if self.kind == "router":
            self._can_route()
        elif self.pipelines or any(a.method != "loop" or a.fallback for a in self.agents):
            raise ValueError("pipelines, methods and fallbacks belong to a router team")
        return self

    def _can_route(self) -> None:
        names = [a.name for a in self.agents]
        for agent in self.agents:
            if agent.method not in METHODS:
                raise ValueError(f"'{agent.name}': no method '{agent.method}'; there are {', '.join(METHODS)}")
            if agent.fallback is not None and (agent.fallback not in names or agent.fallback == agent.name):
                raise ValueError(f"'{agent.name}': its fallback has to be another agent of the team")
        for name in (name for pipeline in self.pipelines for name in pipeline.agents if name not in names):
            raise ValueError(f"a pipeline names '{name}', but there is no such agent")

    def agent(self, name: str) -> Agent:
        """The agent of that name; KeyError when there is none."""
        return next((a for a in self.agents if a.name == name), None) or _missing(name)


def _missing(name: str) -> Agent:
    raise KeyError(name)
