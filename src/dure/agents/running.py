"""The calls of one reply: planned, all asked about before any runs, then carried out, what only looks side by side."""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any, Literal

from dure.agents.approvals import DONE, Question, asked_of, in_doubt, may_run, told
from dure.agents.asking import context_of
from dure.agents.citing import cited
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journaled import Journaled, known_end
from dure.agents.outgoing import carries
from dure.agents.prompts import TOO_MANY_CALLS
from dure.messages import ToolCall, json_bytes
from dure.tooling import Asks, Tool, ToolContext, ToolResult
from dure.toolsets import prepared

log = logging.getLogger(__name__)

MOST_CALLS = 32
"""Calls of one reply that run."""


@dataclass(slots=True)
class Planned:
    """A call as it will run: with its arguments as the tool wants them, and as a person may have changed them."""

    call: ToolCall
    context: ToolContext
    question: Question | None = None
    """What has to be asked about it now."""
    edited: bool = False
    done: ToolResult | None = None
    """What came of it, where that is not recorded but known."""


class Asking:
    """An agent's tools as they are called in a run. People are asked about some calls, which run only as they decide:

    - before a tool with effects runs, but for those that the agent may use unasked while nothing from outside has come
      into the run; and what became of one that was under way when the process died, unless its tool can tell or may do
      it again;
    - before a tool for the web is told what might carry out something that the run has read (`outgoing`).
    """

    def __init__(self, tools: Mapping[str, Tool], run: RunContext, agent: Agent) -> None:
        self._tools, self._run, self._agent = tools, run, agent

    async def plan(self, written: ToolCall, context: ToolContext) -> Planned:
        """What is made of a call that the model wrote. Whatever asks, tells, records, compares or runs takes it from
        here. Raises Diverged for a call that differs from its record."""
        journal, call_id = self._run.journal, context.call_id
        call = prepared(self._tools, written, context.language)
        tool = None if call.error else self._tools.get(call.name)
        called = self._agent.called(context.language)
        question = may_run(call, tool, context, called) if tool else asked_of(call, context)
        decision = self._run.decided(question) if question else None
        if tool is None and (decision is None or decision.allowed):
            # A "no" counts also where the tool is gone since.
            question = decision = None
        final = replace(call, args=decision.args) if decision and decision.args is not None else call
        edited, done = final.args != call.args, None
        begun = journal.begun(call_id, final, written)
        # Asked of all, since what went out unasked is counted.
        unasked = tool is not None and decision is None and self._may_unasked(final, tool)
        if unasked or (begun and (tool is None or decision is None)):
            # What ran unasked stays so, though by now the run may know more than it did then.
            question = None
        if begun and journal.finished(call_id):
            # Whatever has become of its tool.
            final = replace(final, args=begun.args)
        elif begun and (effect := begun.effect or (tool.effect if tool else "read")) != "read":
            became = known_end(self._run, begun.by, context)
            if became == "unknown" and effect != "idempotent":
                became = await self._became(tool, context)
                if became == "unknown":
                    question = in_doubt(final, context, journal.starts[call_id], late=bool(tool and tool.server))
            done = became if isinstance(became, ToolResult) else None
        return Planned(final, context, question, edited, done)

    async def _became(self, tool: Tool | None, context: ToolContext) -> ToolResult | Literal["not done", "unknown"]:
        """What became of a call that broke off, as its tool has it. A server's may go on until its time limit."""
        became: Literal["done", "not done", "unknown"] | ToolResult = "unknown"
        try:
            said = await tool.verify(context.key) if tool and tool.verify else became
            became = said if isinstance(said, ToolResult) or said in ("done", "not done") else "unknown"
        except Exception:
            log.exception("what became of %s could not be verified", context.key)
        at = self._run.journal.began.get(context.call_id)
        if became == "unknown" and tool and tool.server and at:
            left = datetime.fromisoformat(at).timestamp() + tool.timeout - time.time()
            await asyncio.sleep(min(max(left, 0.0), tool.timeout))
        return ToolResult(DONE[context.language]) if became == "done" else became

    def _may_unasked(self, call: ToolCall, tool: Tool) -> bool:
        if tool.effect == "read":
            return not tool.changed and not carries(self._run, tool, call.args)
        return not (tool.changed or self._run.tainted or call.unfamiliar) and tool.name in self._agent.allow

    async def made(self, planned: Planned) -> ToolResult | None:
        """What comes of a call; None where it asks people itself."""
        context, question = planned.context, planned.question
        call = Journaled(self._run, planned.call, context)
        if planned.done is not None:
            return call.ended(planned.done)
        decision = self._run.decided(question) if question else None
        if question and decision is None:
            # Not an assertion: those are left out by `python -O`.
            raise RuntimeError("a call runs once all that was asked is decided")
        if question and decision and not decision.allowed:
            answered = decision.action == "answer"
            text = told(question, decision, context.language)
            result = ToolResult(text, is_error=not answered, ended="" if answered else "declined")
            return call.ended(result)
        try:
            result = await call.made(self._tools)
        except Asks:
            return None
        if planned.edited and context.cite is not None:
            # Told to the model that wrote it; of what code calls, users read what came of it.
            changed = json_bytes(planned.call.args).decode()
            return replace(result, text=f"(A person changed the arguments to {changed})\n{result.text}")
        return result


async def run_tools(
    run: RunContext,
    tools: Mapping[str, Tool],
    calls: Sequence[ToolCall],
    agent: Agent,
    work_id: str,
    *,
    by_model: bool = False,
) -> list[ToolResult] | None:
    """Run the calls of one reply: those that only look side by side, `SIDE_BY_SIDE` at once, one with effects after all
    before it and before all after it. None when people have to be asked before any of them runs, or one of them asks
    them. Those beyond `MOST_CALLS` do not run, which is their result. by_model: it wrote them."""
    too_many = TOO_MANY_CALLS[run.language].format(most=MOST_CALLS, number=len(calls))
    asking, planned = Asking(tools, run, agent), list[Planned]()
    for number, call in enumerate(calls, 1):
        written = call if number <= MOST_CALLS else replace(call, error=call.error or too_many)
        context = context_of(run, agent.name, run.new_id("c", work_id), work_id)
        context.cite = partial(cited, run) if by_model else None
        planned.append(await asking.plan(written, context))
    if run.decide([each.question for each in planned if each.question]) is None:
        return None
    results: list[ToolResult] = []
    for turn in _turns(planned, tools):
        found = await asyncio.gather(*map(asking.made, turn))
        results += [each for each in found if each is not None]
        if None in found:
            return None
    return results


def _turns(planned: Sequence[Planned], tools: Mapping[str, Tool]) -> Iterator[list[Planned]]:
    """Calls that may run side by side: a file is written into the folder that the call before it makes, and read as the
    one before it left it, only in the order in which they were called."""

    def looks(each: Planned) -> bool:
        tool = tools.get(each.call.name)
        return tool is None or tool.effect == "read"

    for looking, calls in groupby(planned, looks):
        turn = [*calls]
        yield from [turn] if looking else ([each] for each in turn)


async def look(run: RunContext, tool: str, agent: Agent, work_id: str, **args: Any) -> dict[str, Any]:
    """The data of what a tool of the run's finds; nothing where it is not there, fails, or people have to be asked."""
    if tool not in run.tools:
        return {}
    found = await run_tools(run, {tool: run.tools[tool]}, [ToolCall(tool, args)], agent, work_id)
    return found[0].fields if found else {}
