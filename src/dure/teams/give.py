"""A piece of work, given to an agent; and what needs no agent."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from dure.agents import Agent, Outcome, Prefetched, RunContext, Speech, Work, work
from dure.agents.prompts import NO_ANSWER, style, today
from dure.errors import DureError
from dure.events import AgentFinished, AgentStarted
from dure.messages import system
from dure.teams.definition import Team
from dure.teams.tools import tools_of

T = TypeVar("T")


async def give(
    run: RunContext,
    agent: Agent,
    text: str,
    *,
    work_id: str = "",
    task: str = "",
    speaks: bool = False,
    found: Prefetched | None = None,
) -> Outcome:
    """Let an agent work on `text` until it answers or must stop, and report it; a model's failure is an outcome.

    work_id: what the work is called in the run's record, counted where none is given: pieces of work that go on side
    by side have to be named before. task: what it is about, for people, where that is not the whole text. speaks: its
    words are the answer to the user. Whoever gets `waiting` has to end so too.
    """
    work_id = work_id or run.new_id("w")
    run.at_work(agent.name)
    run.emit(AgentStarted(work_id, agent.name, task or text))
    outcome = await work(Work(run, agent, tools_of(agent, run.tools), work_id, speaks, task, found), run.said(text))
    if outcome.status != "waiting":
        code = outcome.error["code"] if outcome.error else None
        run.emit(AgentFinished(work_id, agent.name, outcome.status, code))
    return outcome


async def talk(team: Team, run: RunContext) -> str:
    """The answer to small talk and whatever else needs no agents, shown as it comes. Raises the model's errors."""
    speech, most = Speech(run), run.way.tokens.get("talk")
    rules = " ".join([style(run), *([today()] if run.way.decides else [])])
    messages = [system(f"{team.prompt.strip()}\n\n{rules}".strip()), *run.history, run.said(run.message)]
    try:
        asked = await run.ask("answer", messages, on_piece=speech, max_tokens=most, work_id="answer")
    except DureError:
        speech.settle("")
        raise
    answer = asked.reply.content.strip() or NO_ANSWER[run.language]
    speech.settle(answer)
    return answer


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What pieces of work give that go on at the same time. Raises what the first of them raises; then the others end
    too."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in works]
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None
    return [task.result() for task in tasks]
