"""What a team is: some agents and the way they work together. Data, not code."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from dure.agents import Agent

Kind = Literal["solo", "supervisor", "planner"]


class Team(BaseModel):
    """A team as data: written in Python, or in a TOML or YAML file with the same keys.

    Team(name="help", kind="supervisor", description="…", agents=[Agent(…), Agent(…)])
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,47}$")
    kind: Kind
    """solo: its one agent answers. supervisor: routes to agents, forwards or composes their answers.
    planner: makes a plan of steps for its agents, has them worked on, puts the results together."""
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
        return self

    def agent(self, name: str) -> Agent:
        """The agent of that name; KeyError when there is none."""
        return next((a for a in self.agents if a.name == name), None) or _missing(name)


def _missing(name: str) -> Agent:
    raise KeyError(name)
