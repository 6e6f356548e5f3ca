"""A supervisor team: route → work (side by side) → route again, forward, or stop.

The supervisor sees its agents as tools. One agent's complete answer is forwarded as it is, saving the call that
would only rewrite it; several answers are composed. A small model is spared most of this, see `who`: who
works is decided once, and several work one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from dure.agents import Agent, Outcome, RunContext, Speech
from dure.agents.loop import last_answer
from dure.agents.prompts import STOPPED, cut_off, style, today
from dure.errors import Language
from dure.events import Notice, Routed
from dure.messages import Message, ToolCall, assistant, system, tool_result, wire_call
from dure.storage.terms import terms
from dure.teams.definition import Team
from dure.teams.give import give, side_by_side, talk
from dure.teams.plan import nearest
from dure.teams.report import NOT_DONE
from dure.teams.tools import QUERY, foreign, present
from dure.teams.who import choosing
from dure.teams.who.choosing import Choice
from dure.teams.who.learning import chances
from dure.teams.who.model import hints
from dure.tooling import openai_tool

_RULES = (
    "Call agents for the work, several at once when independent; `more`: true unless the agent's answer is all that is "
    "asked. Answer only small talk, or from their results, keeping numbers such as [1]."
)
_BESIDE = "Beside a call: in `cannot`."


class Delegation(TypedDict):
    """A piece of work given to an agent. `last`: its answer is the team's, if it is complete. `cannot`: what the lead
    says is left undone, since something is not connected. `query`: the question in the documents' language."""

    call_id: str
    work_id: str
    agent: str
    task: str
    last: bool
    cannot: str
    query: str


@dataclass(slots=True)
class Crew:
    """A team at work on a message."""

    team: Team
    run: RunContext
    turns: list[Message]
    """The supervisor's own conversation: the message, its calls, the agents' answers."""
    results: list[tuple[str, str]] = field(default_factory=list)
    """Agents with what they answered."""
    corrected: bool = False
    hints: str = ""
    present: tuple[list[Agent], str] = ([], "")
    """The agents that can work in this round, and what is told of the others."""
    foreign: dict[str, Language] | None = None
    """By agents that search, another language than the message's in which there are documents; None: not known yet."""

    def offered(self) -> list[dict[str, Any]]:
        """The agents as tools."""
        able, away = self.present
        properties = {"task": {"type": "string"}, "more": {"type": "boolean"}}
        properties |= {"cannot": {"type": "string"}} if away else {}
        offered = []
        for agent in able:
            of = (self.foreign or {}).get(agent.name)
            own = {"query": {"type": "string", "description": QUERY[of]}} if of else {}
            parameters = {"type": "object", "properties": properties | own, "required": ["task"]}
            offered.append(openai_tool(agent.name, agent.purpose, parameters))
        return offered

    def system(self) -> Message:
        away = self.present[1]
        rules = " ".join(filter(None, [_RULES, away and f"{away} {_BESIDE}", style(self.run), today()]))
        return system(f"{self.team.prompt.strip()}\n\n{rules}{self.hints}".strip())


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    if not context.way.decides:
        return await _by_examples(team, context)
    crew = Crew(team, context, [context.said(context.message)])
    for _ in range(team.max_rounds):
        decided = await _route(crew)
        if isinstance(decided, str):
            return await _stop(crew, decided)
        ended = decided if isinstance(decided, Outcome) else await _work(crew, decided)
        if ended is not None:
            return ended
    return await _stop(crew, "max_rounds")


async def decide(team: Team, context: RunContext) -> Routed:
    """The first decision on the message alone, which nobody works on. No agents: the team answers itself."""
    if not context.way.decides:
        return await choosing.decide(team, context)
    decided = await _route(Crew(team, context, [context.said(context.message)]))
    return Routed([each["agent"] for each in decided] if isinstance(decided, list) else [], "model")


async def _by_examples(team: Team, run: RunContext) -> Outcome:
    """Let those work one after another whom examples and a small model choose, each with what those before it found."""
    choice = await choosing.choose(team, run)
    run.work_on(choice.request)
    lookers = choosing.lookers(team, run, choice)
    if lookers and (choice.options or choice.agents != lookers[:1]):
        run.emit(Routed(lookers, choosing.TRIED, choice.scores, choice.request))
        outcome = await _first_found(team, run, lookers, choice)
        asks = choosing.untried(choice, lookers) and choice.agents != lookers[:1]
        if outcome.found or outcome.status != "completed" or not asks:
            return outcome
    if (asked := choosing.settled(team, run, choice)) is not None:
        return asked
    if lookers:
        return await _first_found(team, run, lookers, choice)
    if not choice.agents:
        return Outcome("completed", await talk(team, run))
    results: list[tuple[str, str]] = []
    for name in choice.agents:
        text, alone = _task_text(run, run.message, results), len(choice.agents) == 1
        outcome = await give(run, team.agent(name), text, task=run.message, speaks=alone, found=choice.found)
        if alone or outcome.status == "waiting" or (outcome.status == "failed" and not results):
            return outcome
        results.append((name, outcome.answer))
    answer = "\n\n".join(filter(None, (found.strip() for _, found in results)))
    Speech(run).settle(answer)
    return Outcome("completed", answer)


async def _first_found(team: Team, run: RunContext, names: Sequence[str], choice: Choice) -> Outcome:
    """The answer of the first of these agents who finds one; where none does, of the first who could look at all."""
    outcomes, only = list[Outcome](), len(names) == 1
    for name in names:
        outcomes.append(await give(run, team.agent(name), run.message, speaks=only, found=choice.found))
        if outcomes[-1].found:
            break
    looked = [each for each in outcomes if each.status == "completed"] or outcomes
    told = outcomes[-1] if outcomes[-1].found else looked[0]
    if not only:
        Speech(run).settle(told.answer)
    return told


async def _route(crew: Crew) -> list[Delegation] | Outcome | str:
    """The work that the supervisor gives; its own answer; or why it came to neither."""
    run = crew.run
    crew.present = present(crew.team, run)
    if crew.foreign is None:
        crew.foreign = {agent.name: of for agent in crew.present[0] if (of := await foreign(agent, run))}
    crew.hints = crew.hints or hints(await chances(crew.team, run), [a.name for a in crew.present[0]])
    speech = Speech(run)
    messages = [crew.system(), *run.history, *crew.turns]
    reply = (await run.ask("route", messages, crew.offered(), on_piece=speech)).reply
    calls, said = reply.tool_calls, "" if reply.tool_calls or reply.unfinished else reply.content
    speech.settle(said)
    turn = assistant(None, [wire_call(c) for c in calls])
    if not crew.corrected and (any(c.error for c in calls) or (reply.unfinished and not calls)):
        crew.corrected = True
        told = [tool_result(c.id, c.name, c.error or "Not run: another call of this turn was wrong.") for c in calls]
        crew.turns += [turn, *told] if calls else cut_off(reply.unfinished)
        return await _route(crew)
    if not calls:
        return Outcome("completed", said) if said.strip() else "empty_answer"
    pending = [d for d in (_delegation(c, crew) for c in calls) if d is not None]
    if not pending:
        return "unknown_agent"
    for each in pending:
        each["last"] = each["last"] and len(pending) == 1 and not crew.results
    run.emit(Routed([d["agent"] for d in pending], "model"))
    crew.turns.append(turn)
    return pending


def _delegation(call: ToolCall, crew: Crew) -> Delegation | None:
    """The call as a piece of work; a wrong name becomes the nearest agent's. None where it is not understood."""
    names = [a.name for a in crew.team.agents]
    name = call.name if call.name in names else nearest(call.name, names)
    if name is None or (call.error and name == call.name):
        return None
    task, last = str(call.args.get("task") or crew.run.message), call.args.get("more") is not True
    # Numbered here, where work is handed out in order, not where it begins side by side.
    work_id, undone = crew.run.new_id("w"), _undone(call, crew)
    query = str(call.args.get("query") or "")
    return Delegation(call_id=call.id, work_id=work_id, agent=name, task=task, last=last, cannot=undone, query=query)


def _undone(call: ToolCall, crew: Crew) -> str:
    """What a call says is left undone, where that names what was asked for or is away: some models fill in anything."""
    if not (cannot := str(call.args.get("cannot") or "").strip()):
        return ""
    able = {agent.name for agent in crew.present[0]}
    away = [agent.description for agent in crew.team.agents if agent.name not in able]
    named = {*terms(cannot)} & {*terms(" ".join([crew.run.message, *away]))}
    return cannot if away and any(len(each) > 1 for each in named) else ""


async def _work(crew: Crew, pending: list[Delegation]) -> Outcome | None:
    """Let the agents work side by side; how the team's work ended, if it has."""
    run = crew.run
    # Who answers may say so again.
    run.sources.said += [each["cannot"] for each in pending if each["cannot"]]
    outcomes = await side_by_side(
        give(
            run,
            crew.team.agent(each["agent"]),
            _task_text(run, each["task"], crew.results),
            work_id=each["work_id"],
            task=each["task"],
            query=each["query"],
            speaks=each["last"],
        )
        for each in pending
    )
    only = outcomes[0]
    if any(outcome.status == "waiting" for outcome in outcomes):
        return Outcome("waiting", "")
    if pending[0]["last"] and only.status in ("completed", "stopped"):
        return Outcome(only.status, _with_undone(run, only.answer, pending[0]["cannot"]), only.reason)
    if all(outcome.status == "failed" for outcome in outcomes):
        return Outcome("failed", "", error=only.error)
    for each, outcome in zip(pending, outcomes, strict=True):
        text = outcome.answer or f"The agent failed: {(outcome.error or {}).get('code')}"
        crew.turns.append(tool_result(each["call_id"], each["agent"], text))
        crew.results.append((each["agent"], outcome.answer))
    return None


def _with_undone(run: RunContext, answer: str, cannot: str) -> str:
    """The last agent's answer, with what the lead says is left undone below it, which no source is asked of."""
    if not cannot:
        return answer
    told = f"\n\n{run.own(f'{NOT_DONE[run.language]}: {cannot}')}"
    Speech(run).settle(told)
    return f"{answer.rstrip()}{told}"


def _task_text(run: RunContext, task: str, results: list[tuple[str, str]]) -> str:
    parts = [run.message]
    if task.strip() != run.message.strip():
        parts.append(f"Task: {task}")
    return "\n\n".join([*parts, *(f"Result of {agent}: {answer}" for agent, answer in results if answer)])


async def _stop(crew: Crew, reason: str) -> Outcome:
    """One last answer from what is known, without agents."""
    run, limited = crew.run, reason == "max_rounds"
    if limited:
        run.emit(Notice(reason, STOPPED[run.language]))
    known = "\n\n".join(answer for _, answer in crew.results if answer)
    messages = [crew.system(), *run.history, *crew.turns]
    ended = await last_answer(run, messages, crew.offered(), Speech(run), known=known, silent=known, limited=limited)
    ended.reason = reason
    return ended
