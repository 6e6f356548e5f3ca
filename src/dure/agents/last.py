"""The last answer of work that cannot go on."""

from collections.abc import Sequence
from typing import Any

from dure.agents.context import RunContext, Speech
from dure.agents.graph import Going
from dure.agents.prompts import LAST_ANSWER, NO_ANSWER, STOPPED
from dure.dialects import ToolCallParser
from dure.errors import DureError
from dure.messages import Message, user


async def last_answer(
    run: RunContext,
    messages: Sequence[Message],
    offered: Sequence[Any],
    speech: Speech,
    *,
    known: str,
    silent: str = "",
    limited: bool,
    agent: str = "",
    work_id: str = "",
) -> Going:
    """One last answer without the tools that were `offered`. known: what is said where the model fails; silent: where
    it says nothing. limited: because of a limit, which the user is told."""
    try:
        asked_for = [*messages, user(LAST_ANSWER[run.language])]
        asked = await run.ask("last_answer", asked_for, agent=agent, work_id=work_id)
        # The model may go on calling although nothing is offered; what it says besides is the answer.
        parsed = ToolCallParser(offered).parse(asked.reply.content)
        answer = (parsed.final_answer or parsed.content).strip() or silent
    except DureError as error:
        if not known:
            return {"status": "failed", "error": error.kept()}
        answer = known
    head = STOPPED[run.language] + "\n\n" if limited else ""
    text = head + (answer or NO_ANSWER[run.language])
    speech.settle(text)
    return {"answer": text, "status": "stopped" if limited or not answer else "completed"}
