"""A supervisor team: route → work (side by side) → route again, forward, or stop.

The supervisor sees its agents as tools. One agent's complete answer is forwarded as it is, saving the call that
would only rewrite it; several answers are composed. A small model is spared most of this, see `who`: who
works is decided once, and several work one after another.
"""

import operator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, TypedDict

from dure.agents import Outcome, Prefetched, RunContext, Speech
from dure.agents.graph import Going, follow
from dure.agents.last import last_answer
from dure.agents.prompts import STOPPED, cut_off, style
from dure.errors import DureError
from dure.events import Notice, Routed
from dure.messages import Message, ToolCall, assistant, system, tool_result, user, wire_call
from dure.teams.definition import Team
from dure.teams.give import give, side_by_side
from dure.teams.who.choosing import choose
from dure.teams.who.learning import chances
from dure.teams.who.model import hints
from dure.teams.who.question import ask
from dure.tooling import openai_tool

_RULES = (
    "Call agents for the work, several at once when independent; `more`: true when others must work on the result. "
    "Answer only small talk, or from their results, keeping numbers such as [1]."
)


class Delegation(TypedDict):
    """A piece of work given to an agent. `last`: its answer is the team's, if it is complete."""

    call_id: str
    work_id: str
    agent: str
    task: str
    last: bool


class SupervisorState(Going, total=False):
    turns: Annotated[list[Message], operator.add]
    """The supervisor's own conversation: the message, its calls, the agents' answers."""
    pending: list[Delegation]
    later: list[str]
    """Agents that a small model's team has still to hand the message to."""
    results: Annotated[list[tuple[str, str]], operator.add]
    """Agents with what they answered."""
    round: int
    corrected: bool


@dataclass(slots=True)
class Crew:
    """The context of the graph: a team and the run's surroundings."""

    team: Team
    run: RunContext
    found: Prefetched | None = None
    hints: str = ""

    def offered(self) -> list[dict[str, Any]]:
        """The agents as tools."""
        properties = {"task": {"type": "string"}, "more": {"type": "boolean"}}
        parameters = {"type": "object", "properties": properties, "required": ["task"]}
        return [openai_tool(agent.name, agent.description, parameters) for agent in self.team.agents]

    def system(self) -> Message:
        return system(f"{self.team.prompt.strip()}\n\n{_RULES} {style(self.run)}{self.hints}".strip())


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    start = SupervisorState(turns=[user(context.message)], results=[], round=0, corrected=False)
    return await follow(start, SupervisorState, Crew(team, context), 4 * team.max_rounds + 8, _route, _work, _stop)


async def decide(team: Team, context: RunContext) -> Routed:
    """The first decision on the message alone, which nobody works on. No agents: the team answers itself."""
    if not context.way.decides:
        choice = await choose(team, context)
        return Routed(choice.agents, choice.how, choice.scores, choice.request)
    crew = Crew(team, context)
    state = SupervisorState(turns=[user(context.message)], round=0, corrected=False)
    update = await _route_by_model(state, crew)
    if update["status"] == "route":
        state = SupervisorState(turns=[*state["turns"], *update["turns"]], round=0, corrected=True)
        update = await _route_by_model(state, crew)
    return Routed([each["agent"] for each in update.get("pending", [])], "model")


async def _route(state: SupervisorState, crew: Crew) -> SupervisorState:
    try:
        if not crew.run.way.decides:
            return _go_on(state, crew) if state.get("results") else await _route_by_examples(crew)
        if state["round"] >= crew.team.max_rounds:
            return {"status": "stop", "reason": "max_rounds"}
        return await _route_by_model(state, crew)
    except DureError as error:
        return {"status": "failed", "error": error.kept()}


async def _route_by_examples(crew: Crew) -> SupervisorState:
    run = crew.run
    choice = await choose(crew.team, run)
    crew.found = choice.found
    run.work_on(choice.request)
    agents = [] if choice.options else choice.agents
    run.emit(Routed(agents, choice.how, choice.scores, choice.request))
    if agents:
        first, *later = agents
        given = _delegate(run, "", first, run.message, last=not later)
        return {"status": "work", "pending": [given], "later": later}
    speech = Speech(run)
    if choice.options:
        question = ask(crew.team, choice.options, run)
        speech.settle(question)
        return {"status": "completed", "answer": question}
    text = f"{crew.team.prompt.strip()}\n\n{style(run)}".strip()
    asked = await run.ask("answer", [system(text), *run.history, user(run.message)], on_piece=speech, max_tokens=400)
    speech.settle(asked.reply.content)
    return {"status": "completed", "answer": asked.reply.content}


def _go_on(state: SupervisorState, crew: Crew) -> SupervisorState:
    """The next agent, who is given what those before it found; at last all that was found is the answer."""
    if state["later"]:
        agent, *later = state["later"]
        given = _delegate(crew.run, "", agent, crew.run.message, last=False)
        return {"status": "work", "pending": [given], "later": later}
    answer = "\n\n".join(filter(None, (found.strip() for _, found in state["results"])))
    Speech(crew.run).settle(answer)
    return {"status": "completed", "answer": answer}


async def _route_by_model(state: SupervisorState, crew: Crew) -> SupervisorState:
    run = crew.run
    crew.hints = crew.hints or hints(await chances(crew.team, run))
    messages = [crew.system(), *run.history, *state["turns"]]
    speech = Speech(run)
    asked = await run.ask("route", messages, crew.offered(), on_piece=speech)
    reply = asked.reply
    said = "" if reply.tool_calls or reply.unfinished else reply.content
    speech.settle(said)
    if not reply.tool_calls:
        if reply.unfinished and not state["corrected"]:
            return {"status": "route", "corrected": True, "turns": cut_off(reply.unfinished)}
        if not said.strip():
            return {"status": "stop", "reason": "empty_answer"}
        return {"status": "completed", "answer": said}
    turn = assistant(None, [wire_call(c) for c in reply.tool_calls])
    wrong = [c for c in reply.tool_calls if c.error]
    if wrong and not state["corrected"]:
        answers = [
            tool_result(c.id, c.name, c.error or "Not run: another call of this turn was wrong.")
            for c in reply.tool_calls
        ]
        return {"status": "route", "corrected": True, "turns": [turn, *answers]}
    pending = [d for d in (_delegation(c, crew) for c in reply.tool_calls) if d is not None]
    if not pending:
        return {"status": "stop", "reason": "unknown_agent"}
    pending[0]["last"] = pending[0]["last"] and len(pending) == 1 and not state.get("results")
    for other in pending[1:]:
        other["last"] = False
    run.emit(Routed([d["agent"] for d in pending], "model"))
    return {"status": "work", "pending": pending, "turns": [turn], "round": state["round"] + 1}


def _delegation(call: ToolCall, crew: Crew) -> Delegation | None:
    """The call as a piece of work; a wrong name becomes the agent it comes nearest to, if any. None for a call that
    is not understood in another way."""
    names = [a.name for a in crew.team.agents]
    name = call.name
    if name not in names:
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        if not near:
            return None
        name = near[0]
    elif call.error:
        return None
    task = call.args.get("task")
    more = call.args.get("more") is True
    return _delegate(crew.run, call.id, name, str(task or crew.run.message), last=not more)


def _delegate(run: RunContext, call_id: str, agent: str, task: str, *, last: bool) -> Delegation:
    # Numbered here, where work is handed out in order, not where it begins side by side.
    return Delegation(call_id=call_id, work_id=run.new_id("w"), agent=agent, task=task, last=last)


async def _work(state: SupervisorState, crew: Crew) -> SupervisorState:
    run, pending = crew.run, state["pending"]
    outcomes = await side_by_side(
        give(
            run,
            crew.team.agent(each["agent"]),
            _task_text(run, each["task"], state["results"]),
            work_id=each["work_id"],
            task=each["task"],
            speaks=each["last"],
            found=crew.found,
        )
        for each in pending
    )
    only = outcomes[0]
    if any(outcome.status == "waiting" for outcome in outcomes):
        return {"status": "waiting"}
    if pending[0]["last"] and only.status in ("completed", "stopped"):
        return {"status": only.status, "answer": only.answer, "reason": only.reason}
    if all(outcome.status == "failed" for outcome in outcomes) and (run.way.decides or not state["results"]):
        return {"status": "failed", "error": only.error}
    turns = []
    for each, outcome in zip(pending, outcomes, strict=True):
        text = outcome.answer or f"The agent failed: {(outcome.error or {}).get('code')}"
        turns.append(tool_result(each["call_id"], each["agent"], text))
    results = [(each["agent"], outcome.answer) for each, outcome in zip(pending, outcomes, strict=True)]
    return {"status": "route", "turns": turns, "results": results}


def _task_text(run: RunContext, task: str, results: list[tuple[str, str]]) -> str:
    parts = [run.message]
    if task.strip() != run.message.strip():
        parts.append(f"Task: {task}")
    return "\n\n".join([*parts, *(f"Result of {agent}: {answer}" for agent, answer in results if answer)])


async def _stop(state: SupervisorState, crew: Crew) -> Going:
    """One last answer from what is known, without agents."""
    run = crew.run
    limited = state["reason"] == "max_rounds"
    if limited:
        run.emit(Notice("max_rounds", STOPPED[run.language]))
    known = "\n\n".join(answer for _, answer in state["results"] if answer)
    messages = [crew.system(), *run.history, *state["turns"]]
    return await last_answer(run, messages, crew.offered(), Speech(run), known=known, silent=known, limited=limited)
