"""The nodes in which a plan's steps are asked about, worked on and gathered, and the plan is mended."""

import hashlib
import time
from typing import TYPE_CHECKING, Any

import orjson

from dure.agents import Question, RunContext
from dure.events import StepChanged
from dure.messages import assistant
from dure.teams.give import give
from dure.teams.plan import ENDED, HITL, Plan, Step, blocked, changed, mended, ready
from dure.teams.planner_state import Assignment, Job, Office, PlannerState, Result, progress, show_plan
from dure.teams.planning import failure, replan, task_text
from dure.teams.texts import text
from dure.teams.tools import tools_of

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ATTEMPTS = 2
MENDS = 1
_EDIT = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "minLength": 1, "pattern": r"\S"},
        "results": {"type": "object", "readOnly": True},
    },
    "required": ["task"],
    "additionalProperties": False,
}


async def route(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Decide what comes next, and ask people about all of it that needs them, before any of it begins."""
    run, plan = runtime.context.run, state["plan"]
    assert plan is not None
    if state["unresolved"] and state["mends"] < MENDS:
        return {"status": "mend"}
    reasons, approved = dict(state["reasons"]), list(state["approved"])
    for number, lacking in blocked(plan).items():
        plan = changed(plan, number, status="skipped")
        reasons[number] = text("lacks", run.language, step=lacking)
        run.emit(StepChanged(number, "skipped"))
    able = ready(plan)
    if not able:
        return progress(plan) | {"reasons": reasons, "status": "aggregate"}
    asking = {s["step"]: _question(run, s, state["outputs"]) for s in able if _asks(s) and s["step"] not in approved}
    decisions = run.decide(list(asking.values()))
    if decisions is None:
        return progress(plan) | {"reasons": reasons, "status": "waiting", "is_waiting_human": True}
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
        show_plan(run, plan)
    for number in (n for n in asking if _step(plan, n)["agent"] == HITL and n not in refused):
        run.emit(StepChanged(number, "done", 0.0))
    pending = [
        _assign(run, s, outputs, state["attempts"]) for s in ready(plan) if s["step"] in {a["step"] for a in able}
    ]
    for each in pending:
        plan = changed(plan, each["step"], status="working")
    return progress(plan) | {
        "reasons": reasons,
        "approved": approved,
        "outputs": outputs,
        "refused": [*state["refused"], *refused],
        "unresolved": [*state["unresolved"], *refused],
        "pending": pending,
        "is_waiting_human": False,
        "status": "work" if pending else "route",
    }


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


async def work_step(state: Job, runtime: "Runtime[Office]") -> PlannerState:
    office, given = runtime.context, state["assignment"]
    run, agent, work_id = office.run, office.team.agent(given["agent"]), given["work_id"]
    tools = tools_of(agent, run.tools)
    run.emit(StepChanged(given["step"], "working", None, work_id))
    made, started = len(run.tool_calls), time.monotonic()
    outcome = await give(run, agent, given["text"], work_id=work_id)
    calls = [c for c in run.tool_calls[made:] if c["agent"] == agent.name and c["name"] in tools]
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


async def gather(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
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
        elif attempts[number] < ATTEMPTS and not result["effects"]:
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
    return progress(plan) | update


def _end(run: RunContext, plan: Plan, result: Result, status: str) -> Plan:
    run.emit(StepChanged(result["step"], status, result["seconds"], result["work_id"]))
    return changed(plan, result["step"], status=status, seconds=result["seconds"])


async def mend(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Have the rest of the plan written anew, once; where that fails, what does not depend on the loss goes on."""
    office, run, plan = runtime.context, runtime.context.run, state["plan"]
    assert plan is not None
    room = office.most() - sum(s["status"] == "done" for s in plan["steps"])
    written = await replan(office.team, run, plan, state["outputs"], state["reasons"], max(room, 1))
    most = sum(s["status"] in ENDED for s in plan["steps"]) + max(room, 1)
    better = mended(plan, written, office.names(), most, state["refused"])
    if better is not None:
        plan = better
        show_plan(run, plan)
    return progress(plan) | {"mends": state["mends"] + 1, "unresolved": [], "status": "route"}
