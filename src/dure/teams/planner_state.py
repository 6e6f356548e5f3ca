"""What a planner team works on."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dure.agents import Agent, Outcome, RunContext
from dure.events import Planned, StepChanged
from dure.teams.definition import Team
from dure.teams.plan import Plan, Step, make_plan
from dure.teams.tools import present
from dure.texts import TEXTS

_TEXT = TEXTS["teams_planner.text"]


@dataclass(slots=True)
class Office:
    """A team, the run's surroundings, and how the plan's steps stand."""

    team: Team
    run: RunContext
    intent: dict[str, str] = field(default_factory=dict)
    """`{category, description}`."""
    plan: Plan = field(default_factory=lambda: make_plan([]))
    outputs: dict[int, str] = field(default_factory=dict)
    """Results of the steps that are done."""
    failed_calls: dict[int, str] = field(default_factory=dict)
    """By step the tool whose call, the last of its work, failed; empty where it did not."""
    unfound: set[int] = field(default_factory=set)
    """Steps whose agents only searched, and found nothing."""
    reasons: dict[int, str] = field(default_factory=dict)
    """Why steps failed or were skipped."""
    outcomes: list[tuple[int, Outcome]] = field(default_factory=list)
    """How agents' work on steps ended, as it came."""
    attempts: Counter[int] = field(default_factory=Counter)
    left: dict[int, tuple[Mapping[str, Any], list[dict[str, Any]]]] = field(default_factory=dict)
    """By step where its first try broke off, as of `Outcome.left`, and the calls that it had made."""
    done: dict[int, str] = field(default_factory=dict)
    """By step that failed in going on from there, what it had changed."""
    approved: set[int] = field(default_factory=set)
    asking: set[int] = field(default_factory=set)
    """Steps whose agents wait for people."""
    refused: set[int] = field(default_factory=set)
    unresolved: bool = False
    """Steps were refused or failed since the plan was made or mended."""
    answered: bool = False
    """A person said something that no step of the plan builds on."""
    said: dict[int, str] = field(default_factory=dict)
    """By step what the person said with a decision about it, beside an answer, which is a result."""
    fresh: int = 0
    """The first step that was planned when the plan was mended, once; 0 while it was not."""

    @property
    def names(self) -> list[str]:
        return [a.name for a in self.team.agents]

    @property
    def present(self) -> tuple[list[Agent], str]:
        """The agents that can work, for a model that plans, and what it is told of the others."""
        return present(self.team, self.run)

    @property
    def most(self) -> int:
        """Steps that the plan can have."""
        return min(self.run.way.steps, self.team.max_steps)

    @property
    def settled(self) -> set[int]:
        """Steps that a person declined saying what to do instead: who reads the answer knows that it was not done."""
        return self.refused & self.said.keys()

    def text(self, key: str, **values: Any) -> str:
        """What the team says to people in its own words."""
        return _TEXT[key][self.run.language].format(**values)

    def with_status(self, *statuses: str) -> list[Step]:
        return [s for s in self.plan["steps"] if s["status"] in statuses]

    def show(self, plan: Plan) -> None:
        """Take a plan for the team's, or tell what has changed in it."""
        self.plan = plan
        # Without seconds, which differ when the run is played again: they come with each step's end.
        shown = [{key: each for key, each in step.items() if key != "query"} for step in plan["steps"]]
        self.run.emit(Planned({**plan, "steps": [{**step, "seconds": None} for step in shown]}))

    def skip(self, number: int, why: str) -> None:
        next(s for s in self.plan["steps"] if s["step"] == number)["status"] = "skipped"
        self.reasons[number] = why
        self.run.emit(StepChanged(number, "skipped"))

    def in_vain(self, number: int, outcome: Outcome) -> bool:
        """Whether others wait for the result of this step, and all its calls failed."""
        needed = any(number in step["depends_on"] for step in self.plan["steps"])
        return needed and outcome.in_vain and self.run.journal.format > 2

    def missing(self) -> list[dict[str, Any]]:
        """What was not done: `{step, agent, task, reason}` each."""
        told = {s["step"]: {"step": s["step"], "agent": s["agent"], "task": s["task"]} for s in self.plan["steps"]}
        left = [s["step"] for s in self.with_status("failed", "skipped")]
        return [told[number] | {"reason": self.reasons.get(number, "")} for number in left]
