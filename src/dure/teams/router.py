"""A router team: route → work → work … → end.

One decision gives one to four agents that work one after another, each with the question, the conversation and what
those before it found; the last one writes the answer. An agent that finds nothing is replaced by its fallback, and
the answer says so. Nodes change the state, edges only read it.
"""

from dataclasses import dataclass
from typing import Any

from dure.agents import Outcome, RunContext, Speech
from dure.agents.outcome import Going, follow
from dure.agents.prompts import NO_ANSWER
from dure.errors import DureError
from dure.events import AgentFinished, AgentStarted, Routed
from dure.teams.definition import Team
from dure.teams.stages import METHODS, Done, Stage, Subject, subject_of
from dure.teams.tools import tools_of
from dure.teams.who.choosing import Choice, choose
from dure.teams.who.question import ask

_FALLBACKS = 3
"""Agents that may take over in one run."""


class RouterState(Going, total=False):
    tool_choice: str
    """Whose turn it is."""
    tool_pipeline: list[str]
    """The agents, in their order; a fallback stands in the place of the one it replaced."""
    done: list[Done]
    notes: list[str]
    """Why fallbacks took over, one for each; the last stage says it."""
    known: Any
    """What the message speaks of, as the team's subject has it."""


@dataclass(slots=True)
class Desk:
    """The context of the graph."""

    team: Team
    run: RunContext
    subject: Subject


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    desk = Desk(team, context, subject_of(a.method for a in team.agents))
    return await follow(RouterState(done=[], notes=[]), RouterState, desk, 40, _route, _work, _advance)


async def _choice(team: Team, run: RunContext, subject: Subject) -> tuple[Choice, Any]:
    """Who should work on the message of `run`, and what it speaks of, as far as that mattered. A run that goes on keeps
    to what was decided, whatever is known by now."""
    decided = run.journal.routed
    if decided is not None and decided.agents and {a.name for a in team.agents}.issuperset(decided.agents):
        choice = Choice(list(decided.agents), decided.how, dict(decided.scores), request=decided.request)
    else:
        choice = await choose(team, run)
    run.work_on(choice.request)
    methods = {a.name: a.method for a in team.agents}
    return choice, await subject.known(run, [methods[name] for name in choice.agents])


async def _route(state: RouterState, desk: Desk) -> RouterState:
    team, run = desk.team, desk.run
    choice, known = await _choice(team, run, desk.subject)
    if choice.options:
        run.emit(Routed([], choice.how, choice.scores))
        return _said(run, [ask(team, choice.options, run)], "completed", None)
    run.emit(Routed(choice.agents, choice.how, choice.scores, choice.request))
    return {"tool_pipeline": choice.agents, "tool_choice": choice.agents[0], "known": known, "status": "work"}


async def _work(state: RouterState, desk: Desk) -> RouterState:
    team, run = desk.team, desk.run
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
            ended["text"] = await desk.subject.finished(stage, ended["text"])
    except DureError as error:
        stage.voice.settle("")
        ended = Done(agent=agent.name, status="failed", text="", error=error.kept())
    if ended["status"] != "waiting":
        failed = ended["status"] == "failed"
        code = (ended.get("error") or {}).get("code")
        run.emit(AgentFinished(work_id, agent.name, "failed" if failed else "completed", code))
    return {"done": [*done, ended], "status": "advance"}


async def _advance(state: RouterState, desk: Desk) -> RouterState:
    """What follows from the stage that ended."""
    team, run = desk.team, desk.run
    pipeline, done = state["tool_pipeline"], state["done"]
    ended = done[-1]
    if ended["status"] == "waiting":
        return {"status": "waiting"}
    if ended["status"] == "failed":
        # What was found before the model failed is still an answer.
        error, found = ended.get("error"), [each["text"] for each in done[:-1] if each["text"]]
        if not found:
            return {"status": "failed", "error": error}
        return _said(run, [*state["notes"], *found], "stopped", (error or {}).get("code"))
    if ended["status"] == "nothing":
        return _without(state, team, run)
    if len(done) < len(pipeline):
        return {"tool_choice": pipeline[len(done)], "status": "work"}
    reason = ended.get("reason")
    answer = ended["text"] or NO_ANSWER[run.language]
    return {"answer": answer, "status": "stopped" if reason else "completed", "reason": reason}


def _without(state: RouterState, team: Team, run: RunContext) -> RouterState:
    """The stage found nothing: its fallback takes its place, and those after it stay."""
    pipeline, done, ended = state["tool_pipeline"], state["done"], state["done"][-1]
    other = team.agent(ended["agent"]).fallback
    if other is None or len(state["notes"]) >= _FALLBACKS:
        return _said(run, [*state["notes"], ended["text"]], "completed", None)
    instead = METHODS[team.agent(other).method].instead.said(run.language).format(agent=other)
    note = f"{ended['text']} {instead}"
    at = len(done) - 1
    return {
        "done": done[:-1],
        "tool_pipeline": [*pipeline[:at], other, *pipeline[at + 1 :]],
        "tool_choice": other,
        "notes": [*state["notes"], note],
        "status": "work",
    }


def _said(run: RunContext, texts: list[str], status: str, reason: str | None) -> RouterState:
    """The end with an answer that no stage has said."""
    answer = "\n\n".join(texts)
    Speech(run).settle(answer)
    return {"answer": answer, "status": status, "reason": reason}
