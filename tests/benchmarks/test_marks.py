"""The figures of benchmarks/marks.py, which docs/documents.md tells."""

import pytest


@pytest.fixture(scope="module")
def known(benchmark):
    return [benchmark.cases(file) for file in sorted(benchmark.DATA.glob("*.json"))]


def test_right_answers_have_no_more_marks_than_is_told(benchmark, known):
    counts = sum((benchmark.marked(each)[1] for each in known), benchmark.Counter())
    assert sum(map(len, known)) == 428
    assert counts["missing"] <= 83
    assert counts["general"] <= 17


def test_as_many_wrong_figures_are_named_as_is_told(benchmark, known):
    named = [benchmark.caught(each, 50) for each in known]
    assert sum(each.total() for each, _ in named) >= 0.85 * sum(each.total() for _, each in named)
