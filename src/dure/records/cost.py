"""What model calls cost, by the prices in the settings."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from dure.settings import Prices as Price

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
        """What tokens of a model cost; None when its price is not known. No tokens cost nothing, whatever the model."""
        if not prompt_tokens and not completion_tokens:
            return 0.0
        price = self.of(model)
        if price is None:
            return None
        cheaper = cached_tokens * (price[0] - price[-1]) if len(price) > 2 else 0.0
        return round((prompt_tokens * price[0] - cheaper + completion_tokens * price[1]) / _PER, 10)


def total(costs: Iterable[float | None]) -> float | None:
    """The sum; None when one of them is not known."""
    known = list(costs)
    if any(each is None for each in known):
        return None
    return round(sum(each for each in known if each is not None), 10)
