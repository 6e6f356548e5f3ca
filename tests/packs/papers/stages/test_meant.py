"""Which papers a message means, by its names, by search and by a model's choice."""

import pytest

from dure.packs.papers.stages.meant import Meant, _surer

BUS, LSTM, RAIN = ({"id": name, "title": name} for name in ("bus", "LSTM", "rain"))


@pytest.mark.parametrize(
    ("chosen", "named", "near", "meant"),
    [
        pytest.param([BUS], [LSTM], [BUS, RAIN], [BUS], id="model and search agree on a paper that names a method"),
        pytest.param([RAIN], [LSTM], [BUS, RAIN], [LSTM], id="a name is surer than a model alone"),
        pytest.param([LSTM], [LSTM], [LSTM, BUS], [LSTM], id="what is named and chosen"),
        pytest.param([RAIN], [], [BUS, RAIN], [BUS], id="search is surer than a model alone"),
        pytest.param([], [], [BUS], [BUS], id="a question is asked of the best found"),
    ],
)
def test_two_of_name_search_and_model_outweigh_the_third(chosen, named, near, meant) -> None:
    found = Meant("?", wants="question", papers=chosen, named=named)
    assert _surer(found, named, near) == meant
