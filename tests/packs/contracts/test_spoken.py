"""What of a form stands in the conversation."""

import pytest

from dure.packs.contracts.spoken import spoken_fields
from dure.packs.contracts.template import templates


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


def test_a_long_word_takes_linear_time(assert_linear):
    assert_linear(lambda talk: spoken_fields(templates()["service"], {}, talk), lambda n: "가" * n, 20_000)


@pytest.mark.parametrize(
    ("talk", "given", "said"),
    [
        ("위약금은 3천만원으로 합니다", "30,000,000원", True),
        ("위약금은 삼천만 원", "30,000,000원", True),
        ("위약금은 3천만원", "3,000원", False),
        ("a penalty of twelve thousand dollars", "12,000 dollars", True),
        ("위약금 1억 2천만원", "2천만원", False),
        ("3월 2일부터", "3년", False),
        ("3년", "3개월", False),
        ("위약금은 나중에", "0", False),
    ],
)
def test_numbers_are_compared_by_their_value_and_what_they_count(talk, given, said):
    found = spoken_fields(templates()["nda"], {"penalty": given}, talk)
    assert ("penalty" in found) == said
