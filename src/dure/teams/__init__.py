"""Teams: how agents work together, and the built-in teams as data."""

from dure.agents import Outcome, RunContext
from dure.teams.definition import KINDS, Kind, Team
from dure.teams.files import load_team, load_teams
from dure.teams.give import give
from dure.teams.kept import data_of, team_of
from dure.teams.registry import DEFAULT_TEAM, all_teams, play, prepare, route
from dure.teams.tools import needs_servers, tools_of, unknown_tools

__all__ = [
    "DEFAULT_TEAM",
    "KINDS",
    "Kind",
    "Outcome",
    "RunContext",
    "Team",
    "all_teams",
    "data_of",
    "give",
    "load_team",
    "load_teams",
    "needs_servers",
    "play",
    "prepare",
    "route",
    "team_of",
    "tools_of",
    "unknown_tools",
]
