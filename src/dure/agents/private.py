"""What a run has read goes out to the web only as people allow."""

from dure.agents.approvals import Question, may_send
from dure.agents.asking import Asking
from dure.agents.outgoing import carries
from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext


class Private(Asking):
    """Asks before a tool for the web is told what might carry out something that the run has read (`outgoing`)."""

    def concerns(self, tool: Tool) -> bool:
        return tool.effect == "read" and bool(tool.outgoing)

    def allowed(self, call: ToolCall, tool: Tool) -> bool:
        return not carries(self.run, tool, call.args)

    def question(self, call: ToolCall, tool: Tool, context: ToolContext) -> Question:
        return may_send(call, tool, context)
