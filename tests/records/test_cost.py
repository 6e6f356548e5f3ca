"""What model calls cost."""

import pytest

from dure.records.figures import Prices, total


def test_the_exact_name_then_the_longest_pattern() -> None:
    prices = Prices({"*": (1, 1), "gpt-*": (2, 2), "gpt-5-*": (3, 3), "gpt-5-mini": (0, 0)})
    wanted = {"gpt-5-mini": (0, 0), "gpt-5-large": (3, 3), "gpt-4": (2, 2), "qwen": (1, 1), "": (1, 1)}
    assert {model: prices.of(model) for model in wanted} == wanted


def test_a_million_tokens() -> None:
    prices = Prices({"m": (0.25, 2.0)})
    assert prices.cost("m", 1_000_000, 500_000) == pytest.approx(1.25)
    assert prices.cost("m", 1, 0) == 0.00000025
    assert prices.cost("other", 1, 0) is None
    assert prices.cost("other", 0, 0) == 0.0
    assert prices.total([]) == 0.0


def test_without_prices_nothing_is_known_of_costs() -> None:
    """Not even of what failed before a token was read."""
    assert Prices().cost("m", 0, 0) is None
    assert Prices().total([]) is None
    assert Prices({"other": (1, 1)}).total([0.0]) == 0.0


def test_cached_tokens_cost_what_is_said_of_them() -> None:
    assert Prices({"m": (2.0, 8.0, 0.5)}).cost("m", 1_000_000, 0, 400_000) == pytest.approx(1.4)
    assert Prices({"m": (2.0, 8.0)}).cost("m", 1_000_000, 0, 400_000) == 2.0


def test_an_unknown_part_makes_the_sum_unknown() -> None:
    assert total([0.1, 0.2]) == 0.3
    assert total([0.1, None]) is None
    assert total([]) == 0
