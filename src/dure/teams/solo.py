"""A solo team: its one agent answers."""

from typing import Any

import orjson

from dure.agents import Outcome, RunContext, Work, work
from dure.errors import NoResult
from dure.events import Routed
from dure.messages import Message, assistant, system, user
from dure.teams.definition import Team
from dure.teams.tools import tools_of
from dure.teams.who.alone import written_out
from dure.toolsets.arguments import InvalidArguments, valid

_FILL = "Give the result of the conversation as JSON of the schema. Use only what was said; leave out nothing."


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the agent answer the message of `context`."""
    agent = team.agents[0]
    context.at_work(agent.name)
    if team.result is not None:
        # What the agent says is no answer yet, and is not shown as one.
        context.output_format = "json"
    if not context.way.decides:
        context.work_on(await written_out(context, context.message, context.history))
    job = Work(context, agent, tools_of(agent, context.tools))
    outcome = await work(job, context.said(context.message))
    if team.result is None or outcome.status not in ("completed", "stopped"):
        return outcome
    outcome.response = await _result(team.result, context, outcome.answer)
    return outcome


async def _result(schema: dict[str, Any], context: RunContext, answer: str) -> str:
    """The answer as JSON of the schema; the model is told once what does not fit. Raises NoResult."""
    messages: list[Message] = [system(_FILL), user(context.message), assistant(answer), user("The result as JSON:")]

    def faults(written: Any) -> list[str]:
        try:
            valid(schema, written)
        except InvalidArguments as error:
            return [error.faults.said(context.language)]
        return []

    written = (await context.mended("result", messages, schema, faults))[-1]
    if wrong := faults(written):
        raise NoResult(reason=wrong[0][:300])
    return orjson.dumps(valid(schema, written)).decode()


async def decide(team: Team, context: RunContext) -> Routed:
    """There is but one."""
    return Routed([team.agents[0].name], "rule")
