"""A solo team: its one agent answers."""

from dure.agents import Outcome, RunContext, Work, work
from dure.messages import user
from dure.teams.definition import Team
from dure.teams.tools import tools_of


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the agent answer the message of `context`."""
    agent = team.agents[0]
    context.agents.append(agent.name)
    job = Work(context, agent, tools_of(agent, context.tools))
    return await work(job, user(context.message))
