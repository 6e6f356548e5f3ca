"""What is said of calls: their events, and the list of those that the answer reports."""

from dure.agents.context import RunContext
from dure.events import ToolFinished, ToolStarted
from dure.messages import ToolCall
from dure.tooling import ToolContext, ToolResult


def report_start(run: RunContext, call: ToolCall, context: ToolContext) -> None:
    """Say that a call begins."""
    run.emit(ToolStarted(context.call_id, call.name, call.args, context.agent, context.work_id))


def report_end(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> None:
    """Say how a call ended."""
    passages = [p.as_dict() for p in result.passages]
    run.emit(
        ToolFinished(
            context.call_id,
            call.name,
            result.status,
            result.text,
            result.seconds,
            context.agent,
            context.work_id,
            passages,
            result.data,
        )
    )
    note_call(run, call, context, result)


def report(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> ToolResult:
    """Say how a call ended that was not run as one of a step. Returns what is recorded of it, where something is."""
    known = run.journal.finished(context.call_id, call)
    if known is None:
        report_start(run, call, context)
        report_end(run, call, context, result)
        return result
    note_call(run, call, context, known)
    return known


def note_call(run: RunContext, call: ToolCall, context: ToolContext, result: ToolResult) -> None:
    """Add a call to those that the answer reports."""
    run.tool_calls.append({"name": call.name, "args": call.args, "agent": context.agent, "status": result.status})
