"""Teams: how agents work together, and the built-in teams as data."""

from dure.teams.definition import Team
from dure.teams.files import load_team, load_teams
from dure.teams.learning import prepare
from dure.teams.registry import DEFAULT_TEAM, all_teams, play, route
from dure.teams.tools import unknown_tools

__all__ = ["DEFAULT_TEAM", "Team", "all_teams", "load_team", "load_teams", "play", "prepare", "route", "unknown_tools"]
