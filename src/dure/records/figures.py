"""Runs in figures: what each used and cost, by the prices in the settings, and many of them together."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from math import ceil
from statistics import fmean
from typing import Any

import sqlalchemy as sa

from dure.runs.answer import usage_of
from dure.settings import Prices as Price
from dure.storage import runs as run_rows

Json = dict[str, Any]
_PER = 1_000_000
"""Tokens that a price is for."""


class Prices:
    """prices: by a model's name, or by a pattern of names such as `gpt-*`; the exact name first, then the longest
    pattern. currency: any text, shown beside the numbers."""

    def __init__(self, prices: Mapping[str, Price] | None = None, currency: str = "USD") -> None:
        self._prices = dict(prices or {})
        self._patterns = sorted(self._prices, key=len, reverse=True)
        self.currency = currency

    def of(self, model: str) -> Price | None:
        """The price of a model; None when it is not known."""
        pattern = next((p for p in self._patterns if fnmatchcase(model, p)), None)
        return self._prices.get(model) or (self._prices[pattern] if pattern else None)

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float | None:
        """What tokens of a model cost; None when its price is not known. No tokens cost nothing, whatever the model,
        where there are prices at all."""
        if self._prices and not prompt_tokens and not completion_tokens:
            return 0.0
        price = self.of(model)
        if price is None:
            return None
        cheaper = cached_tokens * (price[0] - price[-1]) if len(price) > 2 else 0.0
        return round((prompt_tokens * price[0] - cheaper + completion_tokens * price[1]) / _PER, 10)

    def total(self, costs: Iterable[float | None]) -> float | None:
        """See `total`; None where there are no prices."""
        return total(costs) if self._prices else None


def total(costs: Iterable[float | None]) -> float | None:
    """The sum; None when one of them is not known."""
    known = list(costs)
    if any(each is None for each in known):
        return None
    return round(sum(each for each in known if each is not None), 10)


def figures(connection: sa.Connection, owner: str, run_ids: Sequence[str], prices: Prices) -> dict[str, Json]:
    """What each run used: `{usage: (see `Usage.as_dict`), seconds, cost, currency}`; seconds
    leave out what it waited for people, and are None while it is at work."""
    calls: dict[str, list[Json]] = {run_id: [] for run_id in run_ids}
    seconds: dict[str, float] = {}
    for row in run_rows.used(connection, owner, run_ids):
        run_id = row["run_id"]
        if row["kind"] == "model_called":
            calls[run_id].append(row)
        else:
            seconds[run_id] = round(seconds.get(run_id, 0.0) + row["seconds"], 3)
    return {
        run_id: {
            "usage": usage_of(rows).as_dict(),
            "seconds": seconds.get(run_id),
            "cost": prices.total(
                prices.cost(r["model"], r["prompt_tokens"], r["completion_tokens"], r["cached_tokens"]) for r in rows
            ),
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
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)] if ordered else None
