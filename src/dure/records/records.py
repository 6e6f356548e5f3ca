"""Runs looked at afterwards: what each used and cost, what was done for its answer, and what people think of it."""

from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import Any, Self, Unpack

from dure.errors import InvalidInput, NotFound, phrase
from dure.records.compare import compare
from dure.records.experiment import Experiment
from dure.records.figures import Prices, figures, summary
from dure.records.view import view
from dure.runs import Runs
from dure.runs.ask import check_length, checked_experiment
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.storage.runs import Wanted

Json = dict[str, Any]
Rows = list[Json]
"""Named before the class: inside it `list` is the method."""
_PAGE = 200
MAX_COMMENT = 4000
"""Characters of a comment on a run."""


class Records:
    """The records of all runs. `prices`: what models cost."""

    def __init__(self, runs: Runs, database: Database, prices: Prices) -> None:
        self._runs = runs
        self._database = database
        self._prices = prices

    async def get(self, owner: str, run_id: str) -> Json:
        """The run and its record, as `Runs.get` gives them, with its figures. Raises NotFound."""
        (run,) = await self._with_figures(owner, [await self._runs.get(owner, run_id)])
        return run

    async def list(self, owner: str, **wanted: Unpack[Wanted]) -> Rows:
        """The runs as `Runs.list` gives them, each with its figures: `usage, seconds, cost, currency`."""
        return await self._with_figures(owner, await self._runs.list(owner, **wanted))

    async def all(self, owner: str, **wanted: Unpack[Wanted]) -> AsyncIterator[Json]:
        """All that `list` would give, read in pages."""
        wanted["limit"] = _PAGE
        while True:
            page = await self.list(owner, **wanted)
            for run in page:
                yield run
            if len(page) < _PAGE:
                return
            wanted["before"] = (page[-1]["created_at"], page[-1]["id"])

    async def _with_figures(self, owner: str, runs: Sequence[Json]) -> Rows:
        used = await self._database.read(figures, owner, [run["id"] for run in runs], self._prices)
        return [run | used[run["id"]] for run in runs]

    async def view(self, owner: str, run_id: str) -> Experiment:
        """The run as an experiment. Raises NotFound."""
        return view(await self._runs.get(owner, run_id), self._prices)

    async def experiments(self, owner: str, **wanted: Unpack[Wanted]) -> AsyncIterator[Experiment]:
        """The owner's runs as experiments, newest first, one at a time in memory."""
        async for run in self.all(owner, **wanted):
            try:
                yield await self.view(owner, run["id"])
            except NotFound:
                continue  # deleted a moment ago

    async def compare(self, owner: str, run_ids: Sequence[str]) -> Json:
        """Runs compared with the first; see `dure.records.compare`. Raises NotFound."""
        return compare([await self.view(owner, run_id) for run_id in run_ids])

    async def rate(self, owner: str, run_id: str, rating: int, comment: str | None = None) -> Json:
        """Say what one thinks of a run, 1 to 5; again: instead. Returns the run. Raises NotFound, InvalidInput."""
        if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
            raise InvalidInput(reason=phrase("records.rating"), key="rating")
        comment = (comment or "").strip()
        check_length("comment", comment, 0, MAX_COMMENT)
        await self._database.write(run_rows.rate, owner, run_id, rating, comment or None)
        (run,) = await self._with_figures(owner, [await self._runs.brief(owner, run_id)])
        return run


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
