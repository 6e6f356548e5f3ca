"""Units with their sizes, with prefixes and without."""

import pytest

from dure.numbers.measures import unit


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("MWh", ("energy", 1e6)),
        ("kWh", ("energy", 1000.0)),
        ("킬로와트시", ("energy", 1000.0)),
        ("kW", ("power", 1000.0)),
        ("mg", ("weight", 1e-6)),
        ("kg", ("weight", 1.0)),
        ("센티미터", ("length", 0.01)),
        ("kilometers", ("length", 1000.0)),
        ("Mm", ("length", 0.001)),
        ("킬로", None),
        ("kton", None),
    ],
)
def test_a_unit_has_its_prefix_as_a_factor(name, wanted):
    assert unit(name) == wanted
