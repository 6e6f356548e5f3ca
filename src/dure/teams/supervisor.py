"""A supervisor team: route → work (side by side) → route again, forward, or stop.

The supervisor sees its agents as tools. One agent's complete answer is forwarded as it is, saving the call that
would only rewrite it; several answers are composed. A small model is spared most of this, see `who`: who
works is decided once, and several work one after another.
"""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from dure.agents import Outcome, RunContext, Speech
from dure.agents.loop import last_answer
from dure.agents.outcome import Going, follow
from dure.agents.prompts import STOPPED, cut_off, style
from dure.events import Notice, Routed
from dure.messages import Message, ToolCall, assistant, system, tool_result, user, wire_call
from dure.teams.definition import Team
from dure.teams.give import give, side_by_side, talk
from dure.teams.plan import nearest
from dure.teams.who import choosing
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
    results: Annotated[list[tuple[str, str]], operator.add]
    """Agents with what they answered."""
    round: int
    corrected: bool


@dataclass(slots=True)
class Crew:
    """The context of the graph: a team and the run's surroundings."""

    team: Team
    run: RunContext
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
    if not context.way.decides:
        return await _by_examples(team, context)
    start = SupervisorState(turns=[user(context.message)], results=[], round=0, corrected=False)
    return await follow(start, SupervisorState, Crew(team, context), 4 * team.max_rounds + 8, _route, _work, _stop)


async def decide(team: Team, context: RunContext) -> Routed:
    """The first decision on the message alone, which nobody works on. No agents: the team answers itself."""
    if not context.way.decides:
        return await choosing.decide(team, context)
    crew = Crew(team, context)
    state = SupervisorState(turns=[user(context.message)], round=0, corrected=False)
    update = await _route(state, crew)
    if update["status"] == "route":
        state = SupervisorState(turns=[*state["turns"], *update["turns"]], round=0, corrected=True)
        update = await _route(state, crew)
    return Routed([each["agent"] for each in update.get("pending", [])], "model")


async def _by_examples(team: Team, run: RunContext) -> Outcome:
    """Let those work one after another whom examples and a small model choose, each with what those before it found."""
    choice = await choosing.choose(team, run)
    run.work_on(choice.request)
    agents = [] if choice.options else choice.agents
    run.emit(Routed(agents, choice.how, choice.scores, choice.request))
    if choice.options:
        question = ask(team, choice.options, run)
        Speech(run).settle(question)
        return Outcome("completed", question)
    if not agents:
        return Outcome("completed", await talk(team, run))
    results: list[tuple[str, str]] = []
    for name in agents:
        text, alone = _task_text(run, run.message, results), len(agents) == 1
        outcome = await give(run, team.agent(name), text, task=run.message, speaks=alone, found=choice.found)
        if alone or outcome.status == "waiting" or (outcome.status == "failed" and not results):
            return outcome
        results.append((name, outcome.answer))
    answer = "\n\n".join(filter(None, (found.strip() for _, found in results)))
    Speech(run).settle(answer)
    return Outcome("completed", answer)


async def _route(state: SupervisorState, crew: Crew) -> SupervisorState:
    run = crew.run
    if state["round"] >= crew.team.max_rounds:
        return {"status": "stop", "reason": "max_rounds"}
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
    name = call.name if call.name in names else nearest(call.name, names)
    if name is None or (call.error and name == call.name):
        return None
    task, last = str(call.args.get("task") or crew.run.message), call.args.get("more") is not True
    # Numbered here, where work is handed out in order, not where it begins side by side.
    return Delegation(call_id=call.id, work_id=crew.run.new_id("w"), agent=name, task=task, last=last)


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
        )
        for each in pending
    )
    only = outcomes[0]
    if any(outcome.status == "waiting" for outcome in outcomes):
        return {"status": "waiting"}
    if pending[0]["last"] and only.status in ("completed", "stopped"):
        return {"status": only.status, "answer": only.answer, "reason": only.reason}
    if all(outcome.status == "failed" for outcome in outcomes):
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
