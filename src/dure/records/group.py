"""Runs that belong together: `with dure.experiment("name") as experiment:` groups those started within."""

from contextvars import ContextVar
from typing import Any, Self

from dure.records.figures import summary
from dure.records.records import Records
from dure.runs.ask import checked_experiment

Json = dict[str, Any]

# Of the task, not of the process: tasks that work side by side are in experiments of their own.
_within: ContextVar[tuple["Group", ...]] = ContextVar("dure_experiments", default=())
"""The experiments in whose `with` blocks this is, the outermost first."""


class Group:
    """An experiment by its name: of one owner, and of all that was ever started under that name.

    Raises InvalidInput for a name that cannot be."""

    def __init__(self, records: Records, name: str, owner: str) -> None:
        self.name = checked_experiment(name)
        self.owner = owner
        self.records = records

    def __enter__(self) -> Self:
        _within.set((*_within.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _within.set(_within.get()[:-1])

    async def runs(self) -> list[Json]:
        """Its runs, newest first, as `Records.list` gives them."""
        return [run async for run in self.records.all(self.owner, experiment=self.name)]

    async def summary(self) -> Json:
        """See `dure.records.figures.summary`."""
        return summary(self.name, await self.runs())


def current(records: Records) -> str | None:
    """The name of the experiment in whose `with` block this is, if it is one of `records`."""
    group = next(reversed(_within.get()), None)
    return group.name if group is not None and group.records is records else None
