"""A planner team: intent → plan → route → work (side by side) → gather → route … → aggregate.

Small talk is answered at once. Everything else becomes a plan; steps whose inputs are there are worked on side by
side, after people were asked about all of them that need it. A step that fails is tried once more; what fails then,
or is refused, has the rest of the plan mended once. Whatever is not done in the end is said, with the reason.

Nodes change the state, edges only read it. A run that goes on is played again, so what is asked of the model, and
what agents work on, has ids that say what it is for, whatever else happened in between.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from dure.agents import Outcome, RunContext, Speech
from dure.agents.prompts import NO_ANSWER, style
from dure.dialects import Piece
from dure.errors import DureError
from dure.events import Routed
from dure.messages import assistant, system, user
from dure.teams import small
from dure.teams.definition import Team
from dure.teams.plan import ENDED, Step, make_plan
from dure.teams.planner_state import Job, Office, PlannerState, show_plan
from dure.teams.planner_steps import ATTEMPTS, MENDS, gather, mend, route, work_step
from dure.teams.planning import compose, new_plan, understand, whole
from dure.teams.report import NotDone, Report
from dure.teams.texts import text

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.runtime import Runtime


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
    limit = 3 * ATTEMPTS * (MENDS + 1) * team.max_steps + 24
    state = await _graph().ainvoke(start, {"recursion_limit": limit}, context=Office(team, context))
    return Outcome(
        state["status"], state.get("final_result") or "", state.get("reason"), state.get("error"), state.get("response")
    )


@cache
def _graph() -> "CompiledStateGraph[PlannerState, Office, Any, Any]":
    # Two thirds of a second of CPU: paid by the first question, not by every start.
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(PlannerState, context_schema=Office)
    graph.add_node("work", work_step)
    for node in (_intent, _talk, _plan, route, mend, gather, _aggregate):
        graph.add_node(node.__name__.removeprefix("_"), node)
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
        return [Send("work", Job(assignment=each)) for each in state["pending"]]
    return END if state["status"] in ("waiting", "failed", "completed", "stopped") else state["status"]


def _failed(error: DureError) -> PlannerState:
    return {
        "status": "failed",
        "error": error.kept(),
        "is_planning": False,
        "is_executing": False,
    }


async def _intent(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    office = runtime.context
    try:
        if small.by_rule(office.team, office.run):
            intent, how = await small.understand(office.team, office.run)
        else:
            intent, how = await understand(office.team, office.run), "model"
    except DureError as error:
        return _failed(error)
    told = assistant(orjson.dumps(intent).decode())
    if intent["category"] == "general":
        office.run.emit(Routed([], how))
    return {"user_intent": intent, "messages": [told], "status": "talk" if intent["category"] == "general" else "plan"}


async def _talk(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    """Small talk, and what needs no agents: answered at once."""
    run, team = runtime.context.run, runtime.context.team
    speech = Speech(run)
    messages = [system(f"{team.prompt.strip()}\n\n{style(run)}".strip()), *run.history, user(run.message)]
    try:
        most = run.way.tokens.get("talk")
        asked = await run.ask("answer", messages, on_piece=speech, max_tokens=most, work_id="answer")
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
        if small.by_rule(office.team, office.run):
            plan = make_plan(await small.steps_of(office.team, office.run, intent["category"], office.most()))
        else:
            plan = await new_plan(office.team, office.run, intent, office.most())
    except DureError as error:
        return _failed(error)
    show_plan(office.run, plan)
    return {
        "plan": plan,
        "messages": [assistant(orjson.dumps(plan).decode())],
        "is_planning": False,
        "is_executing": True,
        "status": "route",
    }


async def _aggregate(state: PlannerState, runtime: "Runtime[Office]") -> PlannerState:
    office, run, plan = runtime.context, runtime.context.run, state["plan"]
    assert plan is not None
    outputs = state["outputs"]
    missing = [_missing(s, state["reasons"]) for s in plan["steps"] if s["status"] in ("failed", "skipped")]
    if not outputs and (error := next((r["error"] for r in reversed(state.get("results", [])) if r["error"]), None)):
        return {"status": "failed", "error": error, "is_executing": False}
    speech = Speech(run)
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
