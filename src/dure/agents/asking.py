"""Asking people before a call runs.

All calls of a step are planned before any of them runs, so that all that has to be asked is asked at once.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace

from dure.agents.approvals import Question, told
from dure.agents.context import RunContext
from dure.agents.reports import report
from dure.messages import ToolCall
from dure.tooling import Tool, ToolContext, ToolResult
from dure.toolsets import Wrapper


@dataclass(slots=True)
class Planned:
    """A call as it will run: with its arguments as the tool wants them, and as a person may have changed them."""

    call: ToolCall
    question: Question | None = None
    """What has to be asked about it now."""
    edited: bool = False


class Planning(Wrapper):
    """A toolset whose calls are planned first."""

    @abstractmethod
    def plan(self, written: ToolCall, call: ToolCall, context: ToolContext) -> Planned:
        """What is made of a call that the model wrote and that was prepared as `call`. Whatever asks, tells, records,
        compares or runs takes it from here: a call that differs from its record counts as never begun."""


class Asking(Planning):
    """Asks people about some calls, and runs those only as they decided. What was not planned here does not run."""

    wrapped: Planning

    def __init__(self, wrapped: Planning, run: RunContext) -> None:
        super().__init__(wrapped)
        self.run = run
        self._planned: dict[str, Planned] = {}
        """By the calls' ids."""

    @abstractmethod
    def concerns(self, tool: Tool) -> bool:
        """Whether calls of this tool may have to be asked about."""

    @abstractmethod
    def question(self, call: ToolCall, tool: Tool, context: ToolContext) -> Question:
        """The question whether a call may run."""

    @abstractmethod
    def allowed(self, call: ToolCall, tool: Tool) -> bool:
        """Whether a call may run about which nobody has decided anything."""

    def plan(self, written: ToolCall, call: ToolCall, context: ToolContext) -> Planned:
        tool = self._of_concern(call)
        if tool is None:
            return self.wrapped.plan(written, call, context)
        question = self.question(call, tool, context)
        decision = self.run.decided(question)
        final = replace(call, args=decision.args) if decision and decision.args is not None else call
        self.run.journal.reword(context.call_id, written, final)
        # What ran unasked stays so, though by now the run may know more than it did then.
        ran = decision is None and self.run.journal.finished(context.call_id, final) is not None
        asks = not ran and (decision is not None or not self.allowed(final, tool))
        planned = Planned(final, question if asks else None, final.args != call.args)
        self._planned[context.call_id] = planned
        return planned

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        planned = self._planned[context.call_id] if self._of_concern(call) else None
        if planned is None or planned.question is None:
            return await self.wrapped.call(call, context)
        decision = self.run.decided(planned.question)
        assert decision is not None, "a call runs once all that was asked is decided"
        if not decision.allowed:
            answered = decision.action == "answer"
            text = told(planned.question, decision, context.language)
            result = ToolResult(text, is_error=not answered, ended="" if answered else "declined")
            return report(self.run, call, context, result)
        result = await self.wrapped.call(call, context)
        if planned.edited:
            return replace(result, text=f"(A person changed the arguments to {call.args})\n{result.text}")
        return result

    def _of_concern(self, call: ToolCall) -> Tool | None:
        tool = self.tools().get(call.name)
        return tool if tool is not None and not call.error and self.concerns(tool) else None
