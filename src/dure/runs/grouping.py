"""Runs that belong together: `with dure.experiment("name") as experiment:` groups those started within."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from statistics import fmean
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sa

from dure.errors import InvalidInput, Text
from dure.runs.ask import check_text
from dure.runs.cost import Prices, total
from dure.storage import experiments as experiment_rows

if TYPE_CHECKING:
    from dure.runs.runs import Runs

Json = dict[str, Any]
MAX_NAME = 100
"""Characters of an experiment's name."""
_PAGE = 500

# Of the task, not of the process: tasks that work side by side are in experiments of their own.
_within: ContextVar[tuple["Group", ...]] = ContextVar("dure_experiments", default=())
"""The experiments in whose `with` blocks this is, the outermost first."""


def checked_name(name: str | None) -> str | None:
    """The name of an experiment. Raises InvalidInput where it is blank or too long, InvalidText."""
    if name is None:
        return None
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME:
        raise InvalidInput(
            reason=Text(
                f"experiment: a name of 1 to {MAX_NAME} characters is needed",
                ko=f"experiment: 1~{MAX_NAME}자의 이름이 필요합니다",
            ),
            key="experiment",
        )
    check_text(name)
    return name


class Group:
    """An experiment by its name: of one owner, and of all that was ever started under that name."""

    def __init__(self, runs: "Runs", name: str, owner: str) -> None:
        self.name = checked_name(name) or ""
        self.owner = owner
        self._runs = runs

    def __enter__(self) -> Self:
        _within.set((*_within.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _within.set(_within.get()[:-1])

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    async def runs(self) -> list[Json]:
        """Its runs, newest first, as `Runs.list` gives them."""
        found: list[Json] = []
        while True:
            before = (found[-1]["created_at"], found[-1]["id"]) if found else None
            page = await self._runs.list(self.owner, experiment=self.name, limit=_PAGE, before=before)
            found += page
            if len(page) < _PAGE:
                return found

    async def summary(self) -> Json:
        """See `summary`."""
        return summary(self.name, await self.runs())


def current(runs: "Runs") -> str | None:
    """The name of the experiment in whose `with` block this is, if it is one of `runs`."""
    group = next(reversed(_within.get()), None)
    return group.name if group is not None and group._runs is runs else None


def figures(connection: sa.Connection, owner: str, run_ids: Sequence[str], prices: Prices) -> dict[str, Json]:
    """What each run used: `{usage: {model_calls, prompt_tokens, completion_tokens}, seconds, cost, currency}`."""
    if not run_ids:
        return {}
    calls: dict[str, list[Json]] = {run_id: [] for run_id in run_ids}
    for row in experiment_rows.used(connection, owner, run_ids):
        calls[row["run_id"]].append(row)
    seconds = experiment_rows.seconds(connection, owner, run_ids)
    return {
        run_id: {
            "usage": {
                "model_calls": sum(row["calls"] for row in rows),
                "prompt_tokens": sum(row["prompt_tokens"] for row in rows),
                "completion_tokens": sum(row["completion_tokens"] for row in rows),
            },
            "seconds": seconds.get(run_id),
            "cost": total(prices.cost(r["model"], r["prompt_tokens"], r["completion_tokens"]) for r in rows),
            "currency": prices.currency,
        }
        for run_id, rows in calls.items()
    }


def summary(name: str | None, runs: Sequence[Mapping[str, Any]]) -> Json:
    """Runs in figures: `{experiment, runs, status: {completed: n, …}, seconds: {mean, p50, p95}, model_calls,
    prompt_tokens, completion_tokens, cost, currency, rating: {mean, count}}`; what nothing is known of is None.

    runs: as `Runs.list` gives them. cost is None when one run's is not known."""
    took = sorted(run["seconds"] for run in runs if run["seconds"] is not None)
    ratings = [run["rating"]["rating"] for run in runs if run["rating"]]
    statuses = [run["status"] for run in runs]
    return {
        "experiment": name,
        "runs": len(runs),
        "status": {status: statuses.count(status) for status in dict.fromkeys(statuses)},
        "seconds": {
            "mean": round(fmean(took), 3) if took else None,
            "p50": percentile(took, 50),
            "p95": percentile(took, 95),
        },
        **{
            key: sum(run["usage"][key] for run in runs) for key in ("model_calls", "prompt_tokens", "completion_tokens")
        },
        "cost": total(run["cost"] for run in runs),
        "currency": runs[0]["currency"] if runs else None,
        "rating": {"mean": round(fmean(ratings), 2) if ratings else None, "count": len(ratings)},
    }


def percentile(ordered: Sequence[float], percent: float) -> float | None:
    """The least of the ordered values that at least `percent` of them do not exceed (nearest rank)."""
    if not ordered:
        return None
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]
