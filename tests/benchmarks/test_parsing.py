"""The figures of benchmarks/parsing.py that do not hang on the machine."""

import io

from canitoolcall.fixtures import load_fixtures
from rich.console import Console


def test_recorded_calls_of_every_family_are_read(benchmark):
    console = Console(file=io.StringIO(), width=200)
    cases = list(load_fixtures())
    assert len(cases) == 469
    assert benchmark.judge(cases, console), console.file.getvalue()


def test_texts_without_a_call_hold_none(benchmark):
    console = Console(file=io.StringIO(), width=200)
    assert benchmark.without_calls(console), console.file.getvalue()
