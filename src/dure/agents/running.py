"""Running tools inside a run: asking people first, their events, and the list of calls that the answer reports."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dure.agents.approvals import Decision, Question, in_doubt, may_run, may_send, told
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journal import Ended
from dure.agents.outgoing import carries
from dure.events import ToolFinished, ToolStarted
from dure.messages import ToolCall
from dure.tooling import Tool, ToolResult
from dure.tools import run_call
from dure.tools.arguments import InvalidArguments, checked

_GRACE = 5.0
"""Seconds that a tool with effects may go on after its run was cancelled, so that its end becomes known."""


async def run_tools(
    run: RunContext, tools: Mapping[str, Tool], calls: Sequence[ToolCall], agent: Agent, work_id: str
) -> list[ToolResult] | None:
    """Run the calls of one reply side by side; None when people have to be asked before any of them runs."""
    ids = [run.new_id("c", work_id) for _ in calls]
    questions = [_question(run, tools, call, call_id, agent, work_id) for call, call_id in zip(calls, ids, strict=True)]
    decisions = run.decide([q for q in questions if q is not None])
    if decisions is None:
        return None
    jobs = []
    for call, call_id, question in zip(calls, ids, questions, strict=True):
        decision = decisions[question.key] if question else None
        jobs.append(_carry_out(run, tools, call, call_id, question, decision, agent.name, work_id))
    return list(await asyncio.gather(*jobs))


def _question(
    run: RunContext, tools: Mapping[str, Tool], call: ToolCall, call_id: str, agent: Agent, work_id: str
) -> Question | None:
    """What has to be asked about a call now, if anything."""
    tool = tools.get(call.name)
    if tool is None or call.error or (tool.effect == "read" and not tool.outgoing):
        return None
    try:
        call = replace(call, args=checked(tool, call.args, run.language))
    except InvalidArguments:
        return None
    if tool.effect == "read":
        may = may_send(call, tool, call_id, agent.name, work_id, run.language)
        # What was asked stays asked: by now the run may know more than when it asked.
        known = run.decided(may) is None and (run.journal.finished(call_id, call) or not carries(run, tool, call.args))
        return None if known else may
    may = may_run(call, tool, call_id, agent.name, work_id, run.language)
    decision = run.decided(may)
    final = replace(call, args=decision.args) if decision and decision.args is not None else call
    if run.journal.broken_off(call_id, final):
        return in_doubt(final, tool, call_id, agent.name, work_id, run.language)
    if run.journal.finished(call_id, final):
        return may if decision else None
    return may if run.tainted or tool.name not in agent.allow else None


async def _carry_out(
    run: RunContext,
    tools: Mapping[str, Tool],
    call: ToolCall,
    call_id: str,
    question: Question | None,
    decision: Decision | None,
    agent: str,
    work_id: str,
) -> ToolResult:
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
    if decision.args is not None and decision.args != call.args:
        result = await run_tool(run, tools, replace(call, args=decision.args), call_id, agent, work_id)
        return replace(result, text=f"(A person changed the arguments to {decision.args})\n{result.text}")
    args = question.args if question.kind == "in_doubt" else call.args
    return await run_tool(run, tools, replace(call, args=args), call_id, agent, work_id, again=True)


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
    effects = tool is not None and tool.effect != "read"
    assert again or not (effects and run.journal.broken_off(call_id, call))
    report_start(run, call, call_id, agent, work_id)
    if not effects:
        ended = await run_call(tools, call, run.tool_context(agent))
        await keep_files(run, ended, agent)
        report_end(run, call, call_id, ended, agent, work_id)
        return ended[1]

    async def to_its_end() -> ToolResult:
        ended = await run_call(tools, call, run.tool_context(agent))
        await keep_files(run, ended, agent)
        report_end(run, call, call_id, ended, agent, work_id)
        await run.commit()
        return ended[1]

    await run.commit()
    task = asyncio.ensure_future(to_its_end())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=_GRACE)
        task.cancel()
        raise


async def keep_files(run: RunContext, ended: Ended, agent: str) -> None:
    """Keep what a tool made as artefacts of the run."""
    for file in ended[1].files:
        await run.keep(file, agent)


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
