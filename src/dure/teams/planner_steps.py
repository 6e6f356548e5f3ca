"""How a plan's steps are asked about and worked on, and the plan is mended."""

import hashlib
import time
from typing import Any, Literal

import orjson

from dure.agents import Outcome, Question
from dure.agents.approvals import Action
from dure.errors import DureError, restore
from dure.events import StepChanged
from dure.knowledge.claims import cited_in, negated
from dure.messages import canonical, short
from dure.teams.give import give, side_by_side
from dure.teams.plan import ENDED, HITL, Status, Step, blocked, mended, ready
from dure.teams.planner_state import Office
from dure.teams.planning import replan, task_text
from dure.teams.tools import tools_of
from dure.tooling import an_object

ATTEMPTS = 2
_MOST_TOLD = 300
_TASK = {"type": "string", "minLength": 1, "pattern": r"\S"}
_EDIT = an_object({"task": _TASK, "results": {"type": "object", "readOnly": True}}, "results")


async def route(office: Office) -> Literal["work", "mend", "waiting", "route", "aggregate"]:
    """Decide what comes next. Steps that people have to be asked about are left until all others are done that can be;
    the plan is mended only once nothing is open, since what is asked then has to be the same in every replay."""
    run = office.run
    for step in ready(office.plan):
        if step["requires_approval"] and step["agent"] != HITL and office.unfound.issuperset(step["depends_on"] or [0]):
            # Nobody can agree to what would be made of nothing.
            office.skip(step["step"], office.text("unfound", step=step["depends_on"][0]))
            office.unresolved = True
    able = ready(office.plan)
    asks = [s for s in able if s["requires_approval"] or s["agent"] == HITL]
    asked = [(s, _question(office, s)) for s in asks if s["step"] not in office.approved]
    decisions = {s["step"]: run.decide([question]) for s, question in asked}
    left = [number for number, decision in decisions.items() if decision is None]
    if not (left or office.asking):
        if office.unresolved and not office.fresh:
            return "mend"
        for number, lacking in blocked(office.plan).items():
            office.skip(number, office.text("lacks", step=lacking))
        if not able:
            return "aggregate"
    edited = False
    for step, question in asked:
        number = step["step"]
        if (decided := decisions[number]) is None:
            continue
        decision = decided[question.key]
        if decision.message.strip() and decision.action != "answer" and run.way.decides and run.journal.format > 2:
            did = "agreed" if decision.allowed else "declined"
            office.said[number] = f"(The person, asked about: {step['task']}, {did} and said: {decision.message})"
        if decision.action in ("reject", "expire"):
            office.skip(number, f"{office.text(decision.action)} {decision.message}".strip())
            office.refused.add(number)
            office.unresolved = True
            continue
        office.approved.add(number)
        task = str((decision.args or {}).get("task") or step["task"]).strip()
        changed = task != step["task"]
        edited, step["task"] = edited or changed, task
        if step["agent"] == HITL:
            step["status"], step["seconds"] = "done", 0.0
            said = office.text("approved_as", task=task) if changed else office.text("approved")
            office.outputs[number] = decision.message if decision.action == "answer" else said
            needed = any(number in each["depends_on"] for each in office.plan["steps"])
            if (changed or decision.action == "answer") and not needed:
                # Nobody would work on what the person said.
                office.answered = office.unresolved = True
    if edited:
        office.show(office.plan)
    for step in (s for s, _ in asked if s["status"] == "done"):
        run.emit(StepChanged(step["step"], "done", 0.0))
    pending = [s for s in able if s["status"] == "waiting" and s["step"] not in left]
    for step in pending:
        step["status"] = "working"
    if pending:
        return "work"
    return "waiting" if len(left) == len(able) else "route"


def _question(office: Office, step: Step) -> Question:
    hitl = step["agent"] == HITL
    called = HITL if hitl else office.team.agent(step["agent"]).called(office.run.language)
    title = office.text("ask_hitl" if hitl else "ask_step", **step | {"agent": called})
    args: dict[str, Any] = {"task": step["task"]}
    shown = {str(n): office.outputs[n] for n in step["depends_on"] if n in office.outputs}
    if shown and (hitl or office.run.journal.format > 2):
        # Who approves a draft, or what is made of a result, has to see it, and approves only what was seen.
        args["results"] = shown
    actions: tuple[Action, ...] = ("approve", "edit", "reject", "answer") if hitl else ("approve", "edit", "reject")
    schema = _EDIT
    if hitl and not shown and office.run.way.decides:
        # There is nothing to agree to: a yes would tell nobody what was asked for. A small model's plan asks no more
        # than whether to go on.
        actions, schema = ("answer", "reject"), {}
    return Question(f"step{step['step']}", "step", title, step["agent"], "", args, schema, actions)


async def work(office: Office) -> None:
    """Have all steps that were begun worked on; one that failed may be tried once more, from where it broke off."""
    begun = [s for s in office.with_status("working") if s["step"] not in office.asking]
    results = await side_by_side(_worked(office, step) for step in begun)
    for step, (outcome, work_id, seconds, calls, effects) in zip(begun, results, strict=True):
        number = step["step"]
        office.outcomes.append((number, outcome))
        if outcome.status == "waiting":
            office.asking.add(number)
            continue
        office.attempts[number] += 1
        status: Status = "done"
        if office.in_vain(number, outcome):
            # Its agent could have called again; what builds on it would build on words alone.
            status, office.unresolved = "failed", True
            office.reasons[number] = office.text("failed", reason=short(outcome.answer, _MOST_TOLD))
        elif outcome.status != "failed":
            office.outputs[number] = outcome.answer
        elif office.attempts[number] < ATTEMPTS and (
            not effects or (outcome.left and work_id not in office.run.journal.seconds)
        ):
            # Going on from where it broke off does nothing twice. A record may have it that such a step was given up.
            status = "waiting"
            if outcome.left:
                office.left[number] = outcome.left, calls
        else:
            if effects and number in office.left:
                office.done[number] = effects
            status, office.unresolved = "failed", True
            error = restore(**outcome.error) if outcome.error else DureError()
            office.reasons[number] = office.text("failed", reason=error.message(office.run.language))
        step["status"], step["seconds"] = status, None if status == "waiting" else seconds
        office.run.emit(StepChanged(number, status, step["seconds"], work_id))


async def _worked(office: Office, step: Step) -> tuple[Outcome, str, float, list[dict[str, Any]], str]:
    """How the work on a step ended, its id, its seconds, its calls, also those of the try from which it went on, and
    what of them may have changed something: then it is not to be tried again from its beginning unasked."""
    run, agent = office.run, office.team.agent(step["agent"])
    told = task_text(office, step)
    attempt = office.attempts[step["step"]] + 1
    head = f"w{step['step']}" + (f"r{attempt}" if attempt > 1 else "")
    work_id = f"{head}-{_exact(agent.name, told)}"
    left, before = office.left.get(step["step"], (None, []))
    if left and run.journal.knows(work_id):
        # An earlier version began anew.
        del office.left[step["step"]]
        left, before = None, []
    elif left:
        work_id = f"{head}-{_exact(agent.name, told, left['messages'])}"
    run.emit(StepChanged(step["step"], "working", None, work_id))
    made, started = len(run.tool_calls), time.monotonic()
    outcome = await give(run, agent, told, work_id=work_id, task=step["task"], query=step.get("query", ""), left=left)
    known = run.journal.seconds.get(work_id)
    seconds = round(time.monotonic() - started, 3) if known is None else known
    tools = tools_of(agent, run.tools)
    calls = before + [c for c in run.tool_calls[made:] if c["agent"] == agent.name and c["name"] in tools]
    office.failed_calls[step["step"]] = "".join(c["name"] for c in calls[-1:] if c["status"] == "error")
    if agent.search and {c["name"] for c in calls} == {agent.search} and _unfound(office, step, outcome.answer):
        office.unfound.add(step["step"])
    effects = [c for c in calls if tools[c["name"]].effect != "read" and c["status"] != "declined"]
    told_of = "; ".join(
        short(f"{c['name']} {canonical(c['args']).decode()}: {c['status']}", _MOST_TOLD) for c in effects
    )
    return outcome, work_id, seconds, calls, told_of


def _exact(*worded: Any) -> str:
    """What an agent did is found again by its work's id when the run is played again: it has to name this very work."""
    return hashlib.sha256(orjson.dumps(worded)).hexdigest()[:6]


def _unfound(office: Office, step: Step, answer: str) -> bool:
    """Whether who only searched says that something is not there, and has no source for anything."""
    if cited_in(answer) or not negated(answer) or office.run.journal.format < 3:
        return False
    return not office.run.sources.cited(answer, f"{office.run.message}\n{step['task']}").citations


async def mend(office: Office) -> None:
    """Have the rest of the plan written anew, once; where that fails, what does not depend on the loss goes on."""
    room = max(office.most - len(office.with_status("done")), 1)
    written = await replan(office, room)
    most, wished = len(office.with_status(*ENDED)) + room, office.settled
    better = mended(office.plan, written, office.names, most, office.refused - wished, wished)
    office.fresh = max(s["step"] for s in office.plan["steps"]) + 1
    if better is not None:
        office.show(better)
    office.unresolved = False
