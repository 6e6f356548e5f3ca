"""Running a tool inside a run: its events, and the list of calls that the answer reports."""

from dure.agents.context import RunContext
from dure.events import ToolFinished, ToolStarted
from dure.messages import ToolCall
from dure.tooling import Tool, ToolResult
from dure.tools import run_call


async def run_tool(run: RunContext, tools: dict[str, Tool], call: ToolCall, agent: str, work_id: str) -> ToolResult:
    """Run one call, reporting its start and end; a failure is a result too (`ToolResult.is_error`)."""
    call_id = report_start(run, call, agent, work_id)
    status, result, seconds = await run_call(tools, call, run.tool_context(agent))
    report_end(run, call, call_id, (status, result, seconds), agent, work_id)
    return result


def report_start(run: RunContext, call: ToolCall, agent: str, work_id: str) -> str:
    """Say that a call begins; returns its id in the run."""
    call_id = run.new_id("c")
    run.emit(ToolStarted(call_id, call.name, call.args, agent, work_id))
    return call_id


def report_end(
    run: RunContext, call: ToolCall, call_id: str, ended: tuple[str, ToolResult, float], agent: str, work_id: str
) -> None:
    """Say how a call ended: status, result, seconds."""
    status, result, seconds = ended
    run.emit(ToolFinished(call_id, call.name, status, shown(result), seconds, agent, work_id))
    run.tool_calls.append({"name": call.name, "args": call.args, "agent": agent, "status": status})


def shown(result: ToolResult) -> str:
    """A result as people and the record see it: its text, then the passages with their places."""
    found = [f"{p.title}{f', p.{p.page}' if p.page else ''}\n{p.text}" for p in result.passages]
    return "\n\n".join(filter(None, [result.text, *found]))
