"""The calls of one reply: planned all, asked about all at once, then carried out side by side."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dure.agents.asking import Asking
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journaled import Journaled
from dure.agents.prompts import TOO_MANY_CALLS
from dure.messages import ToolCall
from dure.tooling import Tool, ToolResult
from dure.toolsets import MAX_RESULT_CHARS, Executed, Fitted, prepared

MOST_CALLS = 32
"""Calls of one reply that run."""
_CHARS_A_TOKEN = 2
"""Of the model's window: between Korean and English."""


def in_run(tools: Mapping[str, Tool], run: RunContext, agent: Agent) -> Asking:
    """An agent's tools as they are called in a run. The order of the wrappers, from within: a call is executed; its
    result fits; that it began and ended is recorded, its files are kept, and what is recorded is not done again; and
    before all of that, people are asked what goes out to the web and what has effects."""
    fitted = Fitted(Executed(tools), min(MAX_RESULT_CHARS, _CHARS_A_TOKEN * run.model_of(agent.name).context))
    return Asking(Journaled(fitted, run), run, agent)


async def run_tools(
    run: RunContext, tools: Mapping[str, Tool], calls: Sequence[ToolCall], agent: Agent, work_id: str
) -> list[ToolResult] | None:
    """Run the calls of one reply side by side, `SIDE_BY_SIDE` at once; None when people have to be asked before any of
    them runs. Those beyond `MOST_CALLS` do not run, which is their result."""
    told = TOO_MANY_CALLS[run.language].format(most=MOST_CALLS, number=len(calls))
    toolset = in_run(tools, run, agent)
    planned = []
    for number, call in enumerate(calls, 1):
        written = call if number <= MOST_CALLS else replace(call, error=call.error or told)
        context = run.tool_context(agent.name, run.new_id("c", work_id), work_id)
        planned.append((await toolset.plan(written, prepared(tools, written, run.language), context), context))
    if run.decide([plan.question for plan, _ in planned if plan.question]) is None:
        return None
    return list(await asyncio.gather(*(toolset.call(plan.call, context) for plan, context in planned)))
