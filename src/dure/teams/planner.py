"""A planner team: intent → plan → route → work (side by side) → gather → route … → aggregate.

Small talk is answered at once. Everything else becomes a plan; steps whose inputs are there are worked on side by
side, after people were asked about all of them that need it. A step that fails is tried once more; what fails then,
or is refused, has the rest of the plan mended once. Whatever is not done in the end is said, with the reason.

Nodes change the state, edges only read it. A run that goes on is played again, so what is asked of the model, and
what agents work on, has ids that say what it is for, whatever else happened in between.
"""

import hashlib
import operator
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import orjson

from dure.agents import Outcome, Question, RunContext, Speech, Work, work
from dure.agents.prompts import NO_ANSWER, style
from dure.dialects import Piece
from dure.errors import DureError
from dure.events import AgentFinished, AgentStarted, Planned, Routed, StepChanged
from dure.messages import Message, assistant, system, user
from dure.teams.definition import Team
from dure.teams.plan import (
    ENDED,
    HITL,
    Plan,
    Step,
    blocked,
    changed,
    mended,
    ready,
)
from dure.teams.planning import SMALL_STEPS, compose, failure, new_plan, replan, task_text, understand, whole
from dure.teams.report import NotDone, Report
from dure.teams.texts import text
from dure.teams.tools import tools_of

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.runtime import Runtime

_ATTEMPTS = 2
_MENDS = 1
_EDIT = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "minLength": 1, "pattern": r"\S"},
        "results": {"type": "object", "description": "what is to be looked at; changing it changes nothing"},
    },
    "required": ["task"],
    "additionalProperties": False,
}


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


class _Job(TypedDict):
    assignment: Assignment


@dataclass(slots=True)
class Office:
    """The context of the graph."""

    team: Team
    run: RunContext

    def names(self) -> list[str]:
        return [a.name for a in self.team.agents]

    def most(self) -> int:
        return min(SMALL_STEPS, self.team.max_steps) if self.run.model.small else self.team.max_steps

    def silent(self) -> bool:
        return not self.run.stream_answer


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    # Tools that ran before the run had to wait do not run again: what they made is in the record.
    start: PlannerState = {
        "messages": [user(context.message)],
        "user_intent": None,
        "plan": None,
        "current_step": 0,
        "is_planning": True,
        "is_executing": False,
        "is_waiting_human": False,
        "aggregated_data": None,
        "final_result": None,
        "output_format": context.output_format,
        "outputs": {},
        "reasons": {},
        "attempts": {},
        "approved": [],
        "refused": [],
        "unresolved": [],
        "mends": 0,
    }
    # Each step can be a round of its own, twice, and once more after mending; a round is three supersteps.
    limit = 3 * _ATTEMPTS * (_MENDS + 1) * team.max_steps + 24
    state = await _graph().ainvoke(start, {"recursion_limit": limit}, context=Office(team, context))
    return Outcome(
        state["status"], state.get("final_result") or "", state.get("reason"), state.get("error"), state.get("response")
    )


@cache
def _graph() -> "CompiledStateGraph[PlannerState, Office, Any, Any]":
    # Two thirds of a second of CPU: paid by the first question, not by every start.
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(PlannerState, context_schema=Office)
    for node in (_intent, _talk, _plan, _route, _mend, _work, _gather, _aggregate):
        graph.add_node(node.__name__[1:], node)
    graph.add_edge(START, "intent")
    graph.add_conditional_edges("intent", _next, ["talk", "plan", END])
    graph.add_edge("talk", END)
    graph.add_conditional_edges("plan", _next, ["route", END])
    graph.add_conditional_edges("route", _next, ["route", "mend", "work", "aggregate", END])
    graph.add_edge("mend", "route")
    graph.add_edge("work", "gather")
    graph.add_conditional_edges("gather", _next, ["route", END])
    graph.add_edge("aggregate", END)
    return graph.compile()


async def _next(state: PlannerState) -> Any:
    from langgraph.graph import END
    from langgraph.types import Send

    if state["status"] == "work":
        return [Send("work", _Job(assignment=each)) for each in state["pending"]]
    return END if state["status"] in ("waiting", "failed", "completed", "stopped") else state["status"]


def _failed(error: DureError) -> PlannerState:
    return {
        "status": "failed",
        "error": {"code": error.code, "details": error.details},
        "is_planning": False,
        "is_executing": False,
    }


async def _intent(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    office = runtime.context
    try:
        intent = await understand(office.team, office.run)
    except DureError as error:
        return _failed(error)
    told = assistant(orjson.dumps(intent).decode())
    return {"user_intent": intent, "messages": [told], "status": "talk" if intent["category"] == "general" else "plan"}


async def _talk(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Small talk, and what needs no agents: answered at once."""
    run, team = runtime.context.run, runtime.context.team
    run.emit(Routed([], "model"))
    speech = Speech(run, silent=runtime.context.silent())
    messages = [system(f"{team.prompt.strip()}\n\n{style(run)}".strip()), *run.history, user(run.message)]
    try:
        asked = await run.ask("answer", messages, on_piece=speech, work_id="answer")
    except DureError as error:
        speech.settle("")
        return _failed(error)
    answer = asked.reply.content.strip() or NO_ANSWER[run.language]
    speech.settle(answer)
    report = Report(run.run_id, run.language, "", answer, passages=run.sources.passages)
    return {
        "status": "completed",
        "final_result": answer,
        "response": report.render("json") if run.output_format == "json" else None,
        "messages": [assistant(answer)],
        "is_planning": False,
    }


async def _plan(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    office, intent = runtime.context, state["user_intent"] or {}
    try:
        plan = await new_plan(office.team, office.run, intent, office.most())
    except DureError as error:
        return _failed(error)
    _show(office.run, plan)
    return {
        "plan": plan,
        "messages": [assistant(orjson.dumps(plan).decode())],
        "is_planning": False,
        "is_executing": True,
        "status": "route",
    }


def _show(run: RunContext, plan: Plan) -> None:
    # Without seconds, which differ when the run is played again: they come with each step's end.
    run.emit(Planned({**plan, "steps": [{**step, "seconds": None} for step in plan["steps"]]}))


async def _route(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Decide what comes next, and ask people about all of it that needs them, before any of it begins."""
    run, plan = runtime.context.run, state["plan"]
    assert plan is not None
    if state["unresolved"] and state["mends"] < _MENDS:
        return {"status": "mend"}
    reasons, approved = dict(state["reasons"]), list(state["approved"])
    for number, lacking in blocked(plan).items():
        plan = changed(plan, number, status="skipped")
        reasons[number] = text("lacks", run.language, step=lacking)
        run.emit(StepChanged(number, "skipped"))
    able = ready(plan)
    if not able:
        return _progress(plan) | {"reasons": reasons, "status": "aggregate"}
    asking = {s["step"]: _question(run, s, state["outputs"]) for s in able if _asks(s) and s["step"] not in approved}
    decisions = run.decide(list(asking.values()))
    if decisions is None:
        return _progress(plan) | {"reasons": reasons, "status": "waiting", "is_waiting_human": True}
    outputs, refused = dict(state["outputs"]), []
    edited = False
    for number, question in asking.items():
        decision = decisions[question.key]
        step = _step(plan, number)
        if decision.action in ("reject", "expire"):
            plan = changed(plan, number, status="skipped")
            why = text(decision.action, run.language)
            reasons[number] = f"{why} {decision.message}".strip()
            run.emit(StepChanged(number, "skipped"))
            refused.append(number)
            continue
        approved.append(number)
        task = str((decision.args or {}).get("task") or step["task"]).strip()
        edited = edited or task != step["task"]
        plan = changed(plan, number, task=task)
        if step["agent"] == HITL:
            plan = changed(plan, number, status="done", seconds=0.0)
            outputs[number] = decision.message if decision.action == "answer" else _said(run, step["task"], task)
    if edited:
        _show(run, plan)
    for number in (n for n in asking if _step(plan, n)["agent"] == HITL and n not in refused):
        run.emit(StepChanged(number, "done", 0.0))
    pending = [
        _assign(run, s, outputs, state["attempts"]) for s in ready(plan) if s["step"] in {a["step"] for a in able}
    ]
    for each in pending:
        plan = changed(plan, each["step"], status="working")
    return _progress(plan) | {
        "reasons": reasons,
        "approved": approved,
        "outputs": outputs,
        "refused": [*state["refused"], *refused],
        "unresolved": [*state["unresolved"], *refused],
        "pending": pending,
        "is_waiting_human": False,
        "status": "work" if pending else "route",
    }


def _progress(plan: Plan) -> PlannerState:
    return {"plan": plan, "current_step": sum(s["status"] in ENDED for s in plan["steps"])}


def _step(plan: Plan, number: int) -> Step:
    return next(s for s in plan["steps"] if s["step"] == number)


def _asks(step: Step) -> bool:
    return step["requires_approval"] or step["agent"] == HITL


def _question(run: RunContext, step: Step, outputs: dict[int, str]) -> Question:
    hitl = step["agent"] == HITL
    title = text("ask_hitl" if hitl else "ask_step", run.language, **step)
    args: dict[str, Any] = {"task": step["task"]}
    shown = {str(n): outputs[n] for n in step["depends_on"] if n in outputs}
    if hitl and shown:
        # Who approves a draft has to see it, and approves only what was seen.
        args["results"] = shown
    actions = ("approve", "edit", "reject", "answer") if hitl else ("approve", "edit", "reject")
    return Question(f"step{step['step']}", "step", title, step["agent"], "", args, _EDIT, actions)  # type: ignore[arg-type]


def _said(run: RunContext, asked: str, task: str) -> str:
    return text("approved", run.language) if task == asked else text("approved_as", run.language, task=task)


def _assign(run: RunContext, step: Step, outputs: dict[int, str], attempts: dict[int, int]) -> Assignment:
    inputs = {n: outputs[n] for n in step["depends_on"] if n in outputs}
    told = task_text(run, step["task"], inputs)
    # What an agent did is found again by this id when the run is played again: it has to name this very work.
    exact = hashlib.sha256(orjson.dumps([step["agent"], told])).hexdigest()[:6]
    attempt = attempts.get(step["step"], 0) + 1
    work_id = f"w{step['step']}" + (f"r{attempt}" if attempt > 1 else "") + f"-{exact}"
    return Assignment(step=step["step"], work_id=work_id, agent=step["agent"], text=told)


async def _work(state: _Job, runtime: "Runtime[Office]") -> PlannerState:
    office, given = runtime.context, state["assignment"]
    run, agent, work_id = office.run, office.team.agent(given["agent"]), given["work_id"]
    tools = tools_of(agent, run.tools)
    if agent.name not in run.agents:
        run.agents.append(agent.name)
    run.emit(StepChanged(given["step"], "working", None, work_id))
    run.emit(AgentStarted(work_id, agent.name, given["text"]))
    made, started = len(run.tool_calls), time.monotonic()
    outcome = await work(Work(run, agent, tools, work_id, speaks=False), user(given["text"]))
    calls = [c for c in run.tool_calls[made:] if c["agent"] == agent.name and c["name"] in tools]
    if outcome.status != "waiting":
        code = outcome.error["code"] if outcome.error else None
        run.emit(AgentFinished(work_id, agent.name, outcome.status, code))
    known = run.journal.seconds(work_id)
    seconds = round(time.monotonic() - started, 3) if known is None else known
    result = Result(
        step=given["step"],
        work_id=work_id,
        status=outcome.status,
        answer=outcome.answer,
        reason=outcome.reason,
        error=outcome.error,
        seconds=seconds,
        effects=any(tools[c["name"]].effect != "read" and c["status"] != "declined" for c in calls),
    )
    return {"results": [result]}


async def _gather(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    run, plan = runtime.context.run, state["plan"]
    assert plan is not None
    fresh = sorted(state["results"][-len(state["pending"]) :], key=lambda r: r["step"])
    outputs, reasons, attempts = dict(state["outputs"]), dict(state["reasons"]), dict(state["attempts"])
    unresolved = list(state["unresolved"])
    messages = []
    for result in fresh:
        number = result["step"]
        if result["status"] == "waiting":
            continue
        attempts[number] = attempts.get(number, 0) + 1
        if result["status"] != "failed":
            outputs[number] = result["answer"]
            messages.append(assistant(result["answer"]))
            plan = _end(run, plan, result, "done")
        elif attempts[number] < _ATTEMPTS and not result["effects"]:
            plan = changed(plan, number, status="waiting")
            run.emit(StepChanged(number, "waiting", None, result["work_id"]))
        else:
            reasons[number] = failure(result["error"], run.language)
            unresolved.append(number)
            plan = _end(run, plan, result, "failed")
    update: PlannerState = {
        "messages": messages,
        "outputs": outputs,
        "reasons": reasons,
        "attempts": attempts,
        "unresolved": unresolved,
        "status": "route",
    }
    if any(r["status"] == "waiting" for r in fresh):
        update |= {"status": "waiting", "is_waiting_human": True}
    return _progress(plan) | update


def _end(run: RunContext, plan: Plan, result: Result, status: str) -> Plan:
    run.emit(StepChanged(result["step"], status, result["seconds"], result["work_id"]))
    return changed(plan, result["step"], status=status, seconds=result["seconds"])


async def _mend(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Have the rest of the plan written anew, once; where that fails, what does not depend on the loss goes on."""
    office, run, plan = runtime.context, runtime.context.run, state["plan"]
    assert plan is not None
    room = office.most() - sum(s["status"] == "done" for s in plan["steps"])
    written = await replan(office.team, run, plan, state["outputs"], state["reasons"], max(room, 1))
    most = sum(s["status"] in ENDED for s in plan["steps"]) + max(room, 1)
    better = mended(plan, written, office.names(), most, state["refused"])
    if better is not None:
        plan = better
        _show(run, plan)
    return _progress(plan) | {"mends": state["mends"] + 1, "unresolved": [], "status": "route"}


async def _aggregate(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    office, run, plan = runtime.context, runtime.context.run, state["plan"]
    assert plan is not None
    outputs = state["outputs"]
    missing = [_missing(s, state["reasons"]) for s in plan["steps"] if s["status"] in ("failed", "skipped")]
    if not outputs and (error := next((r["error"] for r in reversed(state.get("results", [])) if r["error"]), None)):
        return {"status": "failed", "error": error, "is_executing": False}
    speech = Speech(run, silent=office.silent())
    report = Report(
        run.run_id,
        run.language,
        str((state["user_intent"] or {}).get("description") or ""),
        "",
        [s for s in plan["steps"] if s["status"] in ENDED],
        outputs,
        missing,
        sorted(run.artifacts, key=lambda a: str(a["name"])),
        run.sources.passages,
    )
    if run.output_format == "markdown":
        speech(Piece("text", report.heading()))
    status, reason = "completed", None
    only = whole(plan, outputs)
    if only is not None:
        report.text = outputs[only].strip()
        last = next(r for r in reversed(state["results"]) if r["step"] == only)
        status, reason = last["status"], last["reason"]
    elif outputs:
        report.text = await compose(office.team, run, plan, outputs, missing, speech)
    else:
        report.text = text("nothing", run.language)
    report.text = report.text or NO_ANSWER[run.language]
    response = report.render(run.output_format)
    speech.settle(response)
    done = [s for s in plan["steps"] if s["status"] == "done"]
    return {
        "status": status,
        "reason": reason,
        "final_result": report.text,
        "response": response,
        "aggregated_data": {
            "summary": report.text,
            "steps_completed": len(done),
            "execution_time": round(sum(s["seconds"] or 0.0 for s in plan["steps"]), 3),
        },
        "messages": [assistant(response)],
        "is_executing": False,
    }


def _missing(step: Step, reasons: dict[int, str]) -> NotDone:
    return NotDone(step=step["step"], agent=step["agent"], task=step["task"], reason=reasons.get(step["step"], ""))
