"""What of a form stands in the conversation."""

import time

import pytest

from dure.tools.contract.spoken import spoken_fields
from dure.tools.contract.template import templates


@pytest.mark.parametrize(
    ("talk", "names"),
    [
        ("(주)두레와 한빛상사의 용역계약서", ("(주)두레", "한빛상사")),
        ("Draft an agreement between Dure Inc. and Acme for a portal", ("Dure Inc.", "Acme")),
        ("용역계약서를 써 줘", (None, None)),
    ],
)
def test_parties_named_together(talk, names):
    found = spoken_fields(templates()["service"], {}, talk)
    assert (found.get("client"), found.get("provider")) == names


def test_a_long_word_takes_no_time():
    started = time.process_time()
    spoken_fields(templates()["service"], {}, "가" * 20_000)
    assert time.process_time() - started < 2
