"""The teams of runs, as they were when these began: kept as data with the runs, and of those that are not among the
teams there are, such as an agent that is asked alone, the tools that were given to them as objects."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from dure.teams import Team, data_of, team_of


class Definitions:
    """teams: those there are, by name."""

    def __init__(self, teams: Mapping[str, Team]) -> None:
        self.teams = teams
        self._kept: set[str] = set()
        """Hashes of definitions that are stored."""
        self._given: dict[str, Team] = {}
        """By the ids of open runs that began here their teams that nobody else has: another of that name may differ."""

    def begin(self, row: dict[str, Any], team: Team) -> dict[str, Any] | None:
        """Note in a new run's row which definition it begins with; the definition itself where that is to be stored. A
        branch goes on under that of the run that it is one of."""
        present, data = data_of(team)
        return data if row.setdefault("definition", present) == present and present not in self._kept else None

    def begun(self, row: dict[str, Any], team: Team) -> None:
        """The run and its definition are stored."""
        self._kept.add(row["definition"])
        if self.teams.get(team.name) is not team and any(agent.own for agent in team.agents):
            self._given[row["id"]] = team

    def ended(self, run_id: str) -> None:
        self._given.pop(run_id, None)

    def team(self, row: dict[str, Any], definition: dict[str, Any] | None) -> Team | None:
        """The team of a run as it was when that began; as it is, where nobody knows. Raises ValueError."""
        present = self._given.get(row["id"]) or self.teams.get(row["team"])
        if definition is None or (present and data_of(present)[0] == row["definition"]):
            return present
        return team_of(definition, present)

    def there(self, row: dict[str, Any], definition: dict[str, Any] | None) -> Team | None:
        """`team`; None, too, where it can be made no more, as one whose pack is gone."""
        with suppress(ValueError):
            return self.team(row, definition)
        return None
