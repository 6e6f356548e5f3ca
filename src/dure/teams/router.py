"""A router team: route → work → next → work … → end.

One decision gives one to four agents that work one after another, each with the question, the conversation and what
those before it found; the last one writes the answer. An agent that finds nothing is replaced by its fallback, and
the answer says so. Nodes change the state, edges only read it.
"""

import operator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from dure.agents import Outcome, RunContext
from dure.agents.prompts import NO_ANSWER
from dure.errors import DureError
from dure.events import AgentFinished, AgentStarted, Routed
from dure.messages import Message, assistant, user
from dure.teams.definition import Team
from dure.teams.pipelines import choose
from dure.teams.stages import METHODS, Done, Stage, Subject, subject_of
from dure.teams.tools import tools_of

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.runtime import Runtime

_FALLBACKS = 3
"""Agents that may take over in one run."""


class RouterState(TypedDict, total=False):
    question: str
    difficulty: str
    tool_choice: str
    """Whose turn it is."""
    tool_pipeline: list[str]
    """The agents, in their order; a fallback stands in the place of the one it replaced."""
    tool_result: str
    """What the agents before found."""
    final_answer: str
    messages: Annotated[list[Message], operator.add]
    # Besides those of document 004:
    status: str
    """What comes next: a node, or how the run ends."""
    done: list[Done]
    notes: list[str]
    """Why fallbacks took over, one for each; the last stage says it."""
    known: Any
    """What the message speaks of, as the team's subject has it."""
    reason: str | None
    error: dict[str, Any] | None


@dataclass(slots=True)
class Desk:
    """The context of the graph."""

    team: Team
    run: RunContext
    subject: Subject


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    start: RouterState = {
        "question": context.message,
        "difficulty": context.level or "easy",
        "tool_pipeline": [],
        "tool_result": "",
        "final_answer": "",
        "messages": [*context.history, user(context.message)],
        "done": [],
        "notes": [],
    }
    state = await _graph().ainvoke(
        start, {"recursion_limit": 40}, context=Desk(team, context, subject_of(a.method for a in team.agents))
    )
    return Outcome(state["status"], state["final_answer"], state.get("reason"), state.get("error"))


async def decide(team: Team, context: RunContext) -> Routed:
    """The decision alone, which nobody works on."""
    choice, _ = await choose(team, context, subject_of(a.method for a in team.agents))
    return Routed(choice.agents, choice.how, choice.scores)


@cache
def _graph() -> "CompiledStateGraph[RouterState, Desk, Any, Any]":
    # Two thirds of a second of CPU: paid by the first question, not by every start.
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(RouterState, context_schema=Desk)
    for node in (_route, _work, _advance):
        graph.add_node(node.__name__[1:], node)
    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", _next, ["work", END])
    graph.add_edge("work", "advance")
    graph.add_conditional_edges("advance", _next, ["work", END])
    return graph.compile()


async def _next(state: RouterState) -> str:
    from langgraph.graph import END

    return "work" if state["status"] == "work" else END


async def _route(state: RouterState, runtime: "Runtime[Desk]") -> RouterState:
    team, run = runtime.context.team, runtime.context.run
    try:
        choice, known = await choose(team, run, runtime.context.subject)
    except DureError as error:
        return _failed(error)
    run.emit(Routed(choice.agents, choice.how, choice.scores))
    return {"tool_pipeline": choice.agents, "tool_choice": choice.agents[0], "known": known, "status": "work"}


async def _work(state: RouterState, runtime: "Runtime[Desk]") -> RouterState:
    team, run = runtime.context.team, runtime.context.run
    agent, done = team.agent(state["tool_choice"]), state["done"]
    work_id = run.new_id("w")
    run.at_work(agent.name)
    run.emit(AgentStarted(work_id, agent.name, run.message))
    stage = Stage(
        run,
        agent,
        tools_of(agent, run.tools),
        work_id,
        state["known"],
        team.prompt,
        earlier=done,
        last=len(done) + 1 == len(state["tool_pipeline"]),
        note=" ".join(state["notes"]),
    )
    try:
        ended = await METHODS[agent.method].work(stage)
        if stage.last and ended["status"] == "done":
            ended["text"] = await runtime.context.subject.finished(stage, ended["text"])
    except DureError as error:
        stage.voice.settle("")
        ended = Done(agent=agent.name, status="failed", text="", error=error.kept())
    if ended["status"] != "waiting":
        failed = ended["status"] == "failed"
        code = (ended.get("error") or {}).get("code")
        run.emit(AgentFinished(work_id, agent.name, "failed" if failed else "completed", code))
    return {"done": [*done, ended]}


async def _advance(state: RouterState, runtime: "Runtime[Desk]") -> RouterState:
    """What follows from the stage that ended."""
    team, run = runtime.context.team, runtime.context.run
    pipeline, done = state["tool_pipeline"], state["done"]
    ended = done[-1]
    if ended["status"] == "waiting":
        return {"status": "waiting"}
    if ended["status"] == "failed":
        # What was found before the model failed is still an answer.
        known = _before(run, done[:-1], state["notes"])
        if not known:
            return {"status": "failed", "error": ended.get("error")}
        return _ended(known, "stopped", (ended.get("error") or {}).get("code"))
    if ended["status"] == "nothing":
        return _without(state, team, run)
    if len(done) < len(pipeline):
        return {"tool_choice": pipeline[len(done)], "tool_result": ended["text"], "status": "work"}
    reason = ended.get("reason")
    return _ended(ended["text"] or NO_ANSWER[run.language], "stopped" if reason else "completed", reason)


def _without(state: RouterState, team: Team, run: RunContext) -> RouterState:
    """The stage found nothing: its fallback takes its place, and those after it stay."""
    pipeline, done, ended = state["tool_pipeline"], state["done"], state["done"][-1]
    other = team.agent(ended["agent"]).fallback
    if other is None or len(state["notes"]) >= _FALLBACKS:
        text = "\n\n".join([*state["notes"], ended["text"]])
        _say(run, text)
        return _ended(text, "completed", None)
    note = f"{ended['text']} {METHODS[team.agent(other).method].taking_over(other, run.language)}"
    at = len(done) - 1
    return {
        "done": done[:-1],
        "tool_pipeline": [*pipeline[:at], other, *pipeline[at + 1 :]],
        "tool_choice": other,
        "notes": [*state["notes"], note],
        "status": "work",
    }


def _before(run: RunContext, done: list[Done], notes: list[str]) -> str:
    """What was found, said; empty where nothing was."""
    found = [each["text"] for each in done if each["text"]]
    text = "\n\n".join([*notes, *found]) if found else ""
    if text:
        _say(run, text)
    return text


def _say(run: RunContext, text: str) -> None:
    from dure.agents import Speech

    Speech(run).settle(text)


def _ended(answer: str, status: str, reason: str | None) -> RouterState:
    return {"final_answer": answer, "messages": [assistant(answer)], "status": status, "reason": reason}


def _failed(error: DureError) -> RouterState:
    return {"status": "failed", "error": error.kept()}
