"""Which venue's name is which."""

import pytest

from dure.packs.papers.library.conditions import fits


@pytest.mark.parametrize(
    ("wanted", "venue", "same"),
    [
        ("NIPS", "Advances in Neural Information Processing Systems 30", True),
        ("neurips", "NeurIPS 2020", True),
        ("ACL", "NAACL", False),
        ("ACL", "Proceedings of the 55th Annual Meeting of the Association for Computational Linguistics", True),
        ("ACL", "Transactions of the Association for Computational Linguistics", False),
        ("EMNLP", "Findings of EMNLP 2020", True),
        ("Nature", "Nature Methods", True),
        ("Nature", "The Signature Journal", False),
        ("한국정보과학회", "한국정보과학회 학술발표논문집", True),
        ("CVPR", "", False),
    ],
)
def test_venues(wanted: str, venue: str, same: bool) -> None:
    assert fits(wanted, venue) is same
