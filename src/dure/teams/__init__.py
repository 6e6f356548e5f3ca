"""Teams: how agents work together, and the built-in teams as data."""

from dure.agents import Outcome as Outcome
from dure.agents import RunContext as RunContext
from dure.teams.definition import KINDS as KINDS
from dure.teams.definition import Kind as Kind
from dure.teams.definition import Team as Team
from dure.teams.definition import fault_of as fault_of
from dure.teams.give import give as give
from dure.teams.registry import DEFAULT_TEAM as DEFAULT_TEAM
from dure.teams.registry import TeamFiles as TeamFiles
from dure.teams.registry import all_teams as all_teams
from dure.teams.registry import data_of as data_of
from dure.teams.registry import prepare as prepare
from dure.teams.registry import team_named as team_named
from dure.teams.registry import team_of as team_of
from dure.teams.tools import check_tools as check_tools
from dure.teams.tools import tools_of as tools_of
from dure.teams.tools import unknown_tools as unknown_tools
from dure.teams.tools import wants_server as wants_server
from dure.teams.tools import warn_of_tools as warn_of_tools
