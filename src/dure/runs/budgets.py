"""What an owner's questions may use up on one day (UTC), in tokens and in money."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dure.errors import OverBudget, phrase
from dure.messages import Usage
from dure.settings import EVERYBODY, Budget
from dure.storage import Database, now
from dure.storage import runs as run_rows

Cost = Callable[[str, int, int, int], float | None]
"""What prompt, completion and cached tokens of a model cost; None where its price is not known."""


@dataclass(slots=True)
class Spending:
    """Of one owner, today; shared by the runs that this process works on."""

    budget: Budget
    currency: str
    cost: Cost
    day: str = ""
    tokens: int = 0
    money: float = 0.0
    """Of models whose prices are known."""

    def check(self) -> None:
        """Raises OverBudget once all is spent."""
        for spent, most, unit in self.told():
            if spent >= most:
                raise OverBudget(spent=f"{spent:,.10g}", most=f"{most:,.10g}", unit=unit)

    def told(self) -> list[tuple[float, float, str]]:
        """What was spent, of how much, in which unit, for each limit."""
        tokens = phrase("runs_budgets.tokens")
        limits = (self.tokens, self.budget.tokens, tokens), (self.money, self.budget.money, self.currency)
        return [(spent, most, unit) for spent, most, unit in limits if most is not None]

    def add(self, model: str, used: Usage) -> None:
        """Note what an answer of a model took."""
        self.tokens += used.prompt_tokens + used.completion_tokens
        self.money += self.cost(model, used.prompt_tokens, used.completion_tokens, used.cached_tokens) or 0.0


class Budgets:
    """Of all owners: each has its own budget, else everybody's."""

    def __init__(self, budgets: Mapping[str, Budget], currency: str, database: Database, cost: Cost) -> None:
        self._budgets = budgets
        self._new: Callable[[Budget], Spending] = lambda budget: Spending(budget, currency, cost)
        self._database = database
        self._of: dict[str, Spending] = {}

    async def of(self, owner: str) -> Spending | None:
        """What the owner has spent today, in all processes; None where nothing limits it."""
        budget = self._budgets.get(owner, self._budgets.get(EVERYBODY))
        if budget is None:
            return None
        day = now()[:10]
        stored = self._new(budget)
        for row in await self._database.read(run_rows.spent, owner, day):
            stored.add(row.model, Usage(0, row.prompt, row.completion, row.cached))
        known = self._of.setdefault(owner, self._new(budget))
        if known.day != day:
            known.day, known.tokens, known.money = day, 0, 0.0
        # The last answers of this process may not be stored yet.
        known.tokens, known.money = max(known.tokens, stored.tokens), max(known.money, stored.money)
        return known
