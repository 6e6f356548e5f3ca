"""A piece of work, given to an agent; and what needs no agent."""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from dure.agents import Agent, Outcome, Prefetched, RunContext, Speech, Work, work
from dure.agents.prompts import NO_ANSWER, style, today
from dure.events import AgentFinished, AgentStarted
from dure.messages import system
from dure.teams.definition import Team
from dure.teams.tools import is_away, tools_of
from dure.texts import TEXTS

T = TypeVar("T")
_TEXT = TEXTS["teams_give"]


async def give(
    run: RunContext,
    agent: Agent,
    text: str,
    *,
    work_id: str = "",
    task: str = "",
    query: str = "",
    speaks: bool = False,
    found: Prefetched | None = None,
    left: Mapping[str, Any] | None = None,
) -> Outcome:
    """Let an agent work on `text` until it answers or must stop, and report it; a model's failure is an outcome.

    work_id: what the work is called in the run's record, counted where none is given: pieces of work that go on side
    by side have to be named before. task: what it is about, for people, where that is not the whole text. query: the
    question in a language of the documents, for the first search. speaks: its words are the answer to the user. left:
    where an earlier try broke off. Whoever gets `waiting` has to end so too.
    """
    work_id = work_id or run.new_id("w")
    run.at_work(agent.name)
    run.emit(AgentStarted(work_id, agent.name, task or text))
    if is_away(agent, run) and not run.way.decides:
        # A small model would tell of what it had done without them.
        outcome = Outcome("completed", run.own(_TEXT.say("away", run.language, agent=agent.called(run.language))))
        if speaks:
            Speech(run, work_id).settle(outcome.answer)
    else:
        told = Work(run, agent, tools_of(agent, run.tools), work_id, speaks, task, query, found, left)
        outcome = await work(told, run.said(text))
    if outcome.status != "waiting":
        code = outcome.error["code"] if outcome.error else None
        run.emit(AgentFinished(work_id, agent.name, outcome.status, code))
    return outcome


async def talk(team: Team, run: RunContext) -> str:
    """The answer to small talk and whatever else needs no agents, shown as it comes. Raises the model's errors."""
    speech, most = Speech(run), run.way.tokens.get("talk")
    rules = " ".join([style(run), *([today()] if run.way.decides else [])])
    messages = [system(f"{team.prompt.strip()}\n\n{rules}".strip()), *run.history, run.said(run.message)]
    asked = await run.ask("answer", messages, on_piece=speech, max_tokens=most, work_id="answer")
    answer = asked.reply.content.strip() or NO_ANSWER[run.language]
    speech.settle(answer)
    return answer


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What pieces of work give that go on at the same time. Raises what the first raises, and ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in works]
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None
    return [task.result() for task in tasks]
