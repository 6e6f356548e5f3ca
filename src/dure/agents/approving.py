"""Tools with effects run only as people allow."""

from dure.agents.approvals import Question, in_doubt, may_run
from dure.agents.asking import Asking, Planned, Planning
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext


class Approving(Asking):
    """Asks before a tool with effects runs, but for those that the agent may use unasked while nothing from outside
    has come into the run; and what became of one that was under way when the process died."""

    def __init__(self, wrapped: Planning, run: RunContext, agent: Agent) -> None:
        super().__init__(wrapped, run)
        self._agent = agent

    def concerns(self, tool: Tool) -> bool:
        return tool.effect != "read"

    def allowed(self, call: ToolCall, tool: Tool) -> bool:
        return not self.run.tainted and tool.name in self._agent.allow

    def question(self, call: ToolCall, tool: Tool, context: ToolContext) -> Question:
        return may_run(call, tool, context)

    def plan(self, written: ToolCall, call: ToolCall, context: ToolContext) -> Planned:
        planned = super().plan(written, call, context)
        journal = self.run.journal
        if context.call_id in self._planned and journal.broken_off(context.call_id, planned.call):
            planned.question = in_doubt(planned.call, context, journal.starts(context.call_id))
        return planned
