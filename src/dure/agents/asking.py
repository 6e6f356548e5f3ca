"""Asking people before a call runs.

All calls of a step are planned before any of them runs, so that all that has to be asked is asked at once.
"""

from dataclasses import dataclass, replace

from dure.agents.approvals import Question, in_doubt, may_run, may_send, told
from dure.agents.context import RunContext
from dure.agents.definition import Agent
from dure.agents.journaled import report
from dure.agents.outgoing import carries
from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets import Toolset, Wrapper


@dataclass(slots=True)
class Planned:
    """A call as it will run: with its arguments as the tool wants them, and as a person may have changed them."""

    call: ToolCall
    question: Question | None = None
    """What has to be asked about it now."""
    edited: bool = False


class Asking(Wrapper):
    """Asks people about some calls, and runs those only as they decided:

    - before a tool with effects runs, but for those that the agent may use unasked while nothing from outside has come
      into the run; and what became of one that was under way when the process died;
    - before a tool for the web is told what might carry out something that the run has read (`outgoing`).

    What was not planned here does not run.
    """

    def __init__(self, wrapped: Toolset, run: RunContext, agent: Agent) -> None:
        super().__init__(wrapped)
        self._run = run
        self._agent = agent
        self._planned: dict[str, Planned] = {}
        """By the calls' ids."""

    def plan(self, written: ToolCall, call: ToolCall, context: ToolContext) -> Planned:
        """What is made of a call that the model wrote and that was prepared as `call`. Whatever asks, tells, records,
        compares or runs takes it from here. Raises Diverged for a call that differs from its record."""
        journal, call_id = self._run.journal, context.call_id
        tool = None if call.error else self.tools().get(call.name)
        question = _question(call, tool, context) if tool else None
        decision = self._run.decided(question) if question else None
        final = replace(call, args=decision.args) if decision and decision.args is not None else call
        edited = final.args != call.args
        begun = journal.begun(call_id, final, written)
        if tool and decision is None and (begun or self._may_unasked(final, tool)):
            # What ran unasked stays so, though by now the run may know more than it did then.
            question = None
        if begun and journal.finished(call_id):
            # Whatever has become of its tool.
            final = replace(final, args=begun.args)
        elif begun and (begun.effect or (tool.effect if tool else "read")) != "read":
            question = in_doubt(final, context, journal.starts(call_id))
        self._planned[call_id] = Planned(final, question, edited)
        return self._planned[call_id]

    def _may_unasked(self, call: ToolCall, tool: Tool) -> bool:
        if tool.effect == "read":
            return not carries(self._run, tool, call.args)
        return not self._run.tainted and tool.name in self._agent.allow and not call.unfamiliar

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        planned = self._planned[context.call_id]
        if planned.question is None:
            return await self.wrapped.call(call, context)
        decision = self._run.decided(planned.question)
        assert decision is not None, "a call runs once all that was asked is decided"
        if not decision.allowed:
            answered = decision.action == "answer"
            text = told(planned.question, decision, context.language)
            result = ToolResult(text, is_error=not answered, ended="" if answered else "declined")
            return report(self._run, call, context, result)
        result = await self.wrapped.call(call, context)
        if planned.edited:
            return replace(result, text=f"(A person changed the arguments to {call.args})\n{result.text}")
        return result


def _question(call: ToolCall, tool: Tool, context: ToolContext) -> Question | None:
    """The question whether a call may run, where people may have to be asked."""
    if tool.effect != "read":
        return may_run(call, tool, context)
    return may_send(call, tool, context) if tool.outgoing else None
