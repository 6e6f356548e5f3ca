"""Running tools inside a run: asking people first, their events, and the list of calls that the answer reports."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dure.agents.approvals import Decision, Question, in_doubt, may_run, may_send, told
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journal import Ended
from dure.agents.outgoing import carries
from dure.agents.prompts import FILES_NOT_KEPT, TOO_MANY_CALLS
from dure.events import ToolFinished, ToolStarted
from dure.messages import ToolCall
from dure.tooling import Tool, ToolResult
from dure.tools import prepared, run_call

log = logging.getLogger(__name__)

MOST_CALLS = 32
"""Calls of one reply that run."""
_GRACE = 5.0
"""Seconds that a tool with effects may go on after its run was cancelled, so that its end becomes known."""


@dataclass(slots=True)
class _Planned:
    """A call as it will run: with its arguments as the tool wants them, and as a person may have changed them."""

    call: ToolCall
    call_id: str
    question: Question | None = None
    """What has to be asked about it now."""
    edited: bool = False


async def run_tools(
    run: RunContext, tools: Mapping[str, Tool], calls: Sequence[ToolCall], agent: Agent, work_id: str
) -> list[ToolResult] | None:
    """Run the calls of one reply side by side, `SIDE_BY_SIDE` at once; None when people have to be asked before any of
    them runs. Those beyond `MOST_CALLS` do not run, which is their result."""
    told = TOO_MANY_CALLS[run.language].format(most=MOST_CALLS, number=len(calls))
    planned = []
    for number, call in enumerate(calls, 1):
        written = call if number <= MOST_CALLS else replace(call, error=call.error or told)
        planned.append(_planned(run, tools, written, run.new_id("c", work_id), agent, work_id))
    decisions = run.decide([each.question for each in planned if each.question])
    if decisions is None:
        return None
    jobs = []
    for each in planned:
        decision = decisions[each.question.key] if each.question else None
        jobs.append(_carry_out(run, tools, each, decision, agent.name, work_id))
    return list(await asyncio.gather(*jobs))


def _planned(
    run: RunContext, tools: Mapping[str, Tool], written: ToolCall, call_id: str, agent: Agent, work_id: str
) -> _Planned:
    """What is made of a call that the model wrote. Whatever asks, tells, records, compares or runs takes it from here:
    a call that differs from its record counts as never begun."""
    call = prepared(tools, written, run.language)
    tool = tools.get(call.name)
    if tool is None or call.error or (tool.effect == "read" and not tool.outgoing):
        run.journal.reword(call_id, written, call)
        return _Planned(call, call_id)
    ask = may_send if tool.effect == "read" else may_run
    may = ask(call, tool, call_id, agent.name, work_id, run.language)
    decision = run.decided(may)
    final = replace(call, args=decision.args) if decision and decision.args is not None else call
    run.journal.reword(call_id, written, final)
    question: Question | None = may
    if tool.effect != "read" and run.journal.broken_off(call_id, final):
        starts = run.journal.starts(call_id)
        question = in_doubt(final, tool, call_id, agent.name, work_id, run.language, starts)
    elif decision is None and not _must_ask(run, tool, final, call_id, agent):
        question = None
    return _Planned(final, call_id, question, final.args != call.args)


def _must_ask(run: RunContext, tool: Tool, call: ToolCall, call_id: str, agent: Agent) -> bool:
    """Whether a call about which nothing was decided has to be asked for."""
    # What ran unasked stays so, though by now the run may know more than it did then.
    if run.journal.finished(call_id, call):
        return False
    return carries(run, tool, call.args) if tool.effect == "read" else run.tainted or tool.name not in agent.allow


async def _carry_out(
    run: RunContext,
    tools: Mapping[str, Tool],
    planned: _Planned,
    decision: Decision | None,
    agent: str,
    work_id: str,
) -> ToolResult:
    call, call_id, question = planned.call, planned.call_id, planned.question
    if question is None or decision is None:
        return await run_tool(run, tools, call, call_id, agent, work_id)
    if not decision.allowed:
        result = ToolResult(told(question, decision, run.language), is_error=decision.action != "answer")
        status = "ok" if decision.action == "answer" else "declined"
        if run.journal.finished(call_id, call) is None:
            run.emit(ToolStarted(call_id, call.name, call.args, agent, work_id))
            report_end(run, call, call_id, (status, result, 0.0), agent, work_id)
        else:
            note_call(run, call, status, agent)
        return result
    result = await run_tool(run, tools, call, call_id, agent, work_id, again=question.kind == "in_doubt")
    if planned.edited:
        return replace(result, text=f"(A person changed the arguments to {call.args})\n{result.text}")
    return result


async def run_tool(
    run: RunContext,
    tools: Mapping[str, Tool],
    call: ToolCall,
    call_id: str,
    agent: str,
    work_id: str,
    *,
    again: bool = False,
) -> ToolResult:
    """Run one call, unless its end is recorded; a failure is a result too (`ToolResult.is_error`).

    A tool with effects is recorded for good as begun before it runs and as ended after: what was begun and has no
    recorded end is never repeated unasked (`again`: it was asked for)."""
    known = run.journal.finished(call_id, call)
    if known is not None:
        note_call(run, call, known[0], agent)
        return known[1]
    tool = tools.get(call.name)
    effects = tool is not None and tool.effect != "read" and not call.error
    assert again or not (effects and run.journal.broken_off(call_id, call))

    async def to_its_end() -> ToolResult:
        ended = await run_call(tools, call, run.tool_context(agent))
        ended = await _with_files_kept(run, ended, agent, effects)
        report_end(run, call, call_id, ended, agent, work_id)
        if effects:
            await run.commit()
        return ended[1]

    async with run.places:
        report_start(run, call, call_id, agent, work_id)
        if not effects:
            return await to_its_end()
        await run.commit()
        task = asyncio.ensure_future(to_its_end())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task], timeout=_GRACE)
            task.cancel()
            raise


async def _with_files_kept(run: RunContext, ended: Ended, agent: str, effects: bool) -> Ended:
    """Keep what a tool made as artefacts of the run. What cannot be kept is told in the result; a tool without effects
    has failed then."""
    status, result, seconds = ended
    failed = 0
    for file in result.files:
        try:
            await run.keep(file, agent)
        except Exception:
            log.exception("a file of run %s could not be kept", run.run_id)
            failed += 1
    if not failed:
        return ended
    told = FILES_NOT_KEPT[run.language].format(number=failed)
    is_error = result.is_error or not effects
    status = "error" if status == "ok" and is_error else status
    return status, replace(result, text=f"{result.text}\n{told}", is_error=is_error), seconds


def report_start(run: RunContext, call: ToolCall, call_id: str, agent: str, work_id: str) -> None:
    """Say that a call begins."""
    run.emit(ToolStarted(call_id, call.name, call.args, agent, work_id))


def report_end(run: RunContext, call: ToolCall, call_id: str, ended: Ended, agent: str, work_id: str) -> None:
    """Say how a call ended."""
    status, result, seconds = ended
    passages = [p.as_dict() for p in result.passages]
    run.emit(ToolFinished(call_id, call.name, status, result.text, seconds, agent, work_id, passages, result.data))
    note_call(run, call, status, agent)


def note_call(run: RunContext, call: ToolCall, status: str, agent: str) -> None:
    """Add a call to those that the answer reports."""
    run.tool_calls.append({"name": call.name, "args": call.args, "agent": agent, "status": status})
