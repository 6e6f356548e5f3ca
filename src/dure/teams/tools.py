"""Which tools an agent has: those it names, those of MCP servers it asks for, those given as objects."""

import logging
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from dure.agents import Agent, RunContext
from dure.errors import InvalidInput, Language, phrase
from dure.teams.definition import Team
from dure.texts import TEXTS
from dure.tooling import Tool
from dure.toolsets import listed

log = logging.getLogger(__name__)

MCP = "mcp"
QUERY = TEXTS.one("teams_supervisor.query")
"""What a question in another language is for, by that language."""
_MOST_NAMED = 30
_LIKE = 0.7
"""How like a name of a tool has to be to be meant."""


def tools_of(agent: Agent, known: Mapping[str, Tool]) -> dict[str, Tool]:
    """The agent's tools by name. `mcp` gives all MCP tools, `mcp:NAME` those of one server.

    A named tool that is not there at the moment (a server that is down) is left out: it costs only itself.
    """
    tools: dict[str, Tool] = {}
    for wanted in agent.tools:
        if not isinstance(wanted, str):
            tools |= listed(wanted)
        elif wanted == MCP:
            tools |= {name: t for name, t in known.items() if t.server}
        elif wanted.startswith(f"{MCP}:"):
            tools |= {name: t for name, t in known.items() if t.server == wanted.removeprefix(f"{MCP}:")}
        elif wanted in known:
            tools[wanted] = known[wanted]
    return tools


def present(team: Team, run: RunContext) -> tuple[list[Agent], str]:
    """The agents that can work at the moment, for a model that decides, and what it is told of the others: those whose
    tools are all away (no server is set up, or all are down) could only tell what they would have done. Whoever works
    with servers is described with the tools that these have now, whatever else they might have."""
    away = [agent for agent in team.agents if is_away(agent, run)]
    able = [_with_tools(agent, run) for agent in team.agents if agent not in away]
    if not away or not able:
        return able or team.agents, ""
    named = "; ".join(f"{agent.name} ({agent.purpose})" for agent in away)
    return able, f"Not connected now: {named}. What needs that cannot be done: tell the user so in your answer."


async def foreign(agent: Agent, run: RunContext) -> Language | None:
    """The language, other than the message's, of documents that an agent searches; None where there are none."""
    tool = tools_of(agent, run.tools).get(agent.search or "")
    if tool is None:
        return None
    if tool.name in run.tools:
        # Whoever works then is told the same, without another look.
        run.tools = {**run.tools, tool.name: (tool := await tool.of_run(run.owner))}
    return await tool.foreign(run.owner, run.language)


def is_away(agent: Agent, run: RunContext) -> bool:
    """Whether it has tools, and none of them is there now; of a decision alone nobody is, since no server is asked."""
    return not run.decides_alone and bool(agent.tools) and not tools_of(agent, run.tools)


def only_looks(agent: Agent, run: RunContext) -> bool:
    """Whether it has tools, each of which looks something up here and may be used without asking anybody."""
    tools = tools_of(agent, run.tools).values()
    here = not any(each.effect != "read" or each.outgoing or each.server for each in tools)
    return bool(tools) and here and not agent.changes


def _with_tools(agent: Agent, run: RunContext) -> Agent:
    served = [name for name, tool in tools_of(agent, run.tools).items() if tool.server]
    if not served:
        return agent
    named = ", ".join(served[:_MOST_NAMED]) + (", …" if len(served) > _MOST_NAMED else "")
    return agent.model_copy(update={"description": f"{agent.description}. Its tools now: {named}"})


def wants_server(team: Team, known: Mapping[str, Tool], server: str) -> bool:
    """Whether an agent wants the tools of that MCP server, or one that is not there yet and may be any server's."""
    wanted = {each for agent in team.agents for each in agent.tools if isinstance(each, str)}
    return any(each in (MCP, f"{MCP}:{server}") or (each not in known and ":" not in each) for each in wanted)


def unknown_tools(
    teams: Iterable[Team], known: Mapping[str, Tool], servers: Collection[str] | None = None
) -> list[str]:
    """Tools that agents name and that do not exist, as `tool (team/agent; one that may be meant?)`. MCP tools come and
    go with their servers; servers: the names of all there are, where those count, too."""
    return [
        f"{name} ({team.name}/{agent.name}{near})"
        for team in teams
        for agent in team.agents
        for name in _lacking(agent, known, servers)
        for near in ["".join(f"; {each}?" for each in get_close_matches(name, known, 1, _LIKE))]
    ]


def _lacking(agent: Agent, known: Mapping[str, Tool], servers: Collection[str] | None) -> list[str]:
    named = [name for name in agent.tools if isinstance(name, str)]
    served = [name for name in named if name.partition(":")[0] == MCP]
    # What is searched with or allowed may be a server's.
    named += [] if served else filter(None, (agent.search, *agent.allow))
    there = [name for name in served if servers is None or name == MCP or name.removeprefix(f"{MCP}:") in servers]
    return [name for name in dict.fromkeys(named) if name not in {*known, *agent.own, *there}]


def check_tools(teams: Iterable[Team], known: Mapping[str, Tool]) -> None:
    """Raises InvalidInput for `unknown_tools`."""
    if unknown := unknown_tools(teams, known):
        reason = phrase("teams_registry.no_tool", unknown=", ".join(unknown[:5]), known=", ".join(known))
        raise InvalidInput(reason=reason, key="tools")


def warn_of_tools(teams: Iterable[Team], known: Mapping[str, Tool]) -> None:
    """Log `unknown_tools` of teams that stand in files, which may be mended while others are asked."""
    for each in unknown_tools(teams, known):
        log.warning("a team file names a tool that is not there: %s", each)
