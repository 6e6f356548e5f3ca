"""A team as data that is kept with its runs, so that they go on under the definition they began with."""

import hashlib
from typing import Any

from dure.messages import canonical
from dure.teams.definition import Team
from dure.toolsets import listed


def data_of(team: Team) -> tuple[str, dict[str, Any]]:
    """The hash of a team, and the team as JSON-like values; tools that were given as objects by their names."""
    data = team.model_dump(mode="json", exclude_defaults=True, exclude={"agents": {"__all__": {"tools"}}})
    for kept, agent in zip(data["agents"], team.agents, strict=True):
        kept["tools"] = [name for t in agent.tools for name in ([t] if isinstance(t, str) else listed(t))]
    return hashlib.sha256(canonical(data)).hexdigest(), data


def team_of(data: dict[str, Any], present: Team | None) -> Team:
    """The team of such values. Tools that were given as objects are those of the agents of `present`, the team of that
    name. Raises ValueError for what is no team."""
    own = {agent.name: agent.own for agent in present.agents} if present else {}
    agents = [{**a, "tools": [own.get(a["name"], {}).get(t, t) for t in a["tools"]]} for a in data["agents"]]
    return Team.model_validate({**data, "agents": agents})
