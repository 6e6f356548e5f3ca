"""What the nodes of a planner team's graph read and change."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from dure.agents import RunContext
from dure.events import Planned
from dure.messages import Message
from dure.teams.definition import Team
from dure.teams.plan import ENDED, Plan


class Assignment(TypedDict):
    """A step as it is given to an agent."""

    step: int
    work_id: str
    agent: str
    text: str


class Result(TypedDict):
    step: int
    work_id: str
    status: str
    answer: str
    reason: str | None
    error: dict[str, Any] | None
    seconds: float
    effects: bool
    """Something may have been changed: not to be tried again unasked."""


class PlannerState(TypedDict, total=False):
    messages: Annotated[list[Message], operator.add]
    """The message, what was understood, the results, the answer."""
    user_intent: dict[str, Any] | None
    """`{category, description, key_entities, complexity}`."""
    plan: Plan | None
    current_step: int
    """How many steps have ended."""
    is_planning: bool
    is_executing: bool
    is_waiting_human: bool
    aggregated_data: dict[str, Any] | None
    """`{summary, steps_completed, execution_time}`, seconds of all steps together."""
    final_result: str | None
    output_format: str
    # Besides those of document 003:
    status: str
    """What comes next: a node, or how the run ends."""
    reason: str | None
    error: dict[str, Any] | None
    response: str | None
    pending: list[Assignment]
    results: Annotated[list[Result], operator.add]
    outputs: dict[int, str]
    """Results of the steps that are done."""
    reasons: dict[int, str]
    """Why steps failed or were skipped."""
    attempts: dict[int, int]
    approved: list[int]
    refused: list[int]
    unresolved: list[int]
    """Steps that were refused or failed since the plan was made or mended."""
    mends: int


class Job(TypedDict):
    assignment: Assignment


@dataclass(slots=True)
class Office:
    """The context of the graph."""

    team: Team
    run: RunContext

    def names(self) -> list[str]:
        return [a.name for a in self.team.agents]

    def most(self) -> int:
        return min(self.run.way.steps, self.team.max_steps)


def show_plan(run: RunContext, plan: Plan) -> None:
    # Without seconds, which differ when the run is played again: they come with each step's end.
    run.emit(Planned({**plan, "steps": [{**step, "seconds": None} for step in plan["steps"]]}))


def progress(plan: Plan) -> PlannerState:
    return {"plan": plan, "current_step": sum(s["status"] in ENDED for s in plan["steps"])}
