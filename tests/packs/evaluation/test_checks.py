"""What counts as equal."""

from typing import Any

import pytest

from dure.packs.evaluation.checks import Score, check_tools, same, spellings


@pytest.mark.parametrize(
    ("found", "wanted", "equal"),
    [
        (15, 15.0, True),
        (1, True, False),
        (True, True, True),
        ("가", "가", True),
        (" a ", "a", True),
        ("A", "a", False),
        ([1, "x"], [1, "x"], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ("15", 15, False),
        (None, None, True),
    ],
)
def test_equal_as_json(found: Any, wanted: Any, equal: bool) -> None:
    assert same(found, wanted) is equal


def test_one_call_counts_once() -> None:
    made = [{"name": "f", "args": {"a": 1, "b": 2}}]
    score = Score()
    check_tools(score, [{"name": "f", "args": {"a": 1}}, {"name": "f", "args": {}}], made)
    assert score.parts == {"tools": (1, 2)}
    assert len(score.faults) == 1


def test_names_of_documents() -> None:
    assert spellings("인사 규정.PDF") & spellings("인사 규정")
    assert not spellings("v1.2 release notes") & spellings("v1")
